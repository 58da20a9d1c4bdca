"""What a release of points has left, against plain loops."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from shoal.contract.claims import Nothing
from shoal.data import Points, read_fixes
from shoal.errors import DataError
from shoal.release import Protected, build_release
from usefulness import naive_figures as naive

DAY_US = 1_577_836_800_000_000

crowds = st.lists(st.tuples(st.integers(1, 6), st.lists(st.integers(0, 4), max_size=3)), min_size=1, max_size=5)
"""Of each person: raw records, and how many points each published part has."""


def fixes_of(raw):
    rows = [(uid, i) for uid, count in raw.items() for i in range(count)]
    moments = pa.array([DAY_US + 1_500_000 * i for _, i in rows], pa.timestamp("us", "UTC"))
    return pa.table(
        {
            "uid": [uid for uid, _ in rows],
            "datetime": moments,
            "lat": [6.0 + i / 100 for _, i in rows],
            "lng": [-5.0] * len(rows),
        }
    )


def publish(out, people, parts):
    """Write a release of ``parts``: (person, number of points) each."""
    offsets = np.concatenate(([0], np.cumsum([size for _, size in parts]))).astype(np.int64)
    rows = int(offsets[-1])
    rng = np.random.default_rng(rows)
    payload = Points(
        pa.array(people, pa.string()),
        np.array([person for person, _ in parts], np.int64),
        offsets,
        DAY_US + rng.integers(0, 10**9, rows),
        6 + rng.random(rows),
        -5 + rng.random(rows),
    )
    release = build_release(
        Protected(payload=payload), mechanism="toy", parameters={}, claim=Nothing(), span_s=(0, 86_400)
    )
    release.write(out, record=False)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(crowds)
@example([(3, [])])
@example([(3, [0]), (2, [5, 1])])
def test_figures_equal_plain_loops(tmp_path_factory, crowd):
    out = tmp_path_factory.mktemp("release") / "r"
    people = [f"p{i}" for i in range(len(crowd))]
    raw = {uid: count for uid, (count, _) in zip(people, crowd, strict=True)}
    parts = [(i, size) for i, (_, sizes) in enumerate(crowd) for size in sizes]
    publish(out, people, parts)
    rows = [(people[person], part) for part, (person, size) in enumerate(parts) for _ in range(size)]
    expected = naive.points(raw, rows)
    for original in (fixes_of(raw), read_fixes(fixes_of(raw))):
        found = shoal.utility(out, original=original)
        assert found.kind == "points"
        told = found.to_dict()
        assert list(told) == list(expected)
        for name, value in expected.items():
            assert told[name] == pytest.approx(value), name


def test_repeated_records_are_records(tmp_path):
    table = fixes_of({"a": 1, "b": 2})
    publish(tmp_path / "r", ["a", "b"], [(0, 1), (1, 2)])
    found = shoal.utility(tmp_path / "r", original=pa.concat_tables([table, table])).to_dict()
    assert (found["samples_deleted_share"], found["compression"]) == (0.5, 0.5)


def test_what_does_not_fit_is_told(tmp_path):
    raw = {"a": 2, "b": 1}
    publish(tmp_path / "r", ["a", "b"], [(0, 2), (1, 1)])
    with pytest.raises(DataError, match="does not know"):
        shoal.utility(tmp_path / "r", original=fixes_of({"a": 2}))
    with pytest.raises(DataError, match="grid"):
        shoal.utility(tmp_path / "r", original=shoal.read(fixes_of(raw)))
    with pytest.raises(DataError, match="no column"):
        shoal.utility(tmp_path / "r", original=pa.table({"uid": ["a"]}))


def test_a_release_of_no_kind_is_told(tmp_path):
    publish(tmp_path / "r", ["a"], [(0, 2)])
    path = tmp_path / "r" / "data.parquet"
    table = pq.read_table(path)
    broken = (
        table.append_column("age", pa.array([1, 2])),
        table.drop(["lat"]),
        table.set_column(2, "lat", pa.array([None, 1.0])),
    )
    for one in broken:
        pq.write_table(one, path)
        with pytest.raises(DataError, match="no kind"):
            shoal.utility(tmp_path / "r", original=fixes_of({"a": 2}))
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"no readable data\.parquet"):
        shoal.utility(tmp_path / "r", original=fixes_of({"a": 2}))
    (tmp_path / "r" / "manifest.json").write_text("[]")
    with pytest.raises(DataError, match=r"no readable manifest\.json"):
        shoal.utility(tmp_path / "r", original=fixes_of({"a": 2}))


def test_the_bytes_say_what_it_is_not_the_manifest(tmp_path):
    publish(tmp_path / "r", ["a"], [(0, 2)])
    path = tmp_path / "r" / "manifest.json"
    path.write_text(path.read_text().replace('"kind": "points"', '"kind": "boxes"'))
    assert shoal.utility(tmp_path / "r", original=fixes_of({"a": 2})).kind == "points"
