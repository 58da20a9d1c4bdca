"""What a release of points has left, against plain loops."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.attacks.tracks import split_at_gaps
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
        assert list(told)[: len(expected)] == list(expected)
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


def publish_as_they_are(out, fixes, *, degrees=0.0, keep=None, gap_s=10**9):
    """Write a release of everybody's raw points, moved north; of those in ``keep`` alone, if given; cut at gaps."""
    keep = np.arange(len(fixes)) if keep is None else np.array(keep)
    some = fixes.select(keep)
    parts = split_at_gaps(Points.of_people(some), gap_s)
    payload = replace(parts, lat=parts.lat + degrees)
    release = build_release(
        Protected(payload=payload), mechanism="toy", parameters={}, claim=Nothing(), span_s=fixes.span_s
    )
    release.write(out, record=False)


@pytest.fixture(scope="module")
def people():
    return read_fixes(synth.gps(4, 3, seed=2).points)


def test_what_is_published_raw_is_found_whole(tmp_path, people):
    publish_as_they_are(tmp_path / "r", people)
    told = shoal.utility(tmp_path / "r", original=people).to_dict()
    for part in ("poi_per_trace", "poi_per_person"):
        figures = told[part]
        assert figures["counted"] > 0
        assert figures["published_pois"] == figures["raw_pois"]
        assert figures["precision"] == figures["recall"] == figures["f_score"] == pytest.approx(1, abs=0.1)
    assert told["poi_per_person"]["counted"] == 4
    assert told["poi_per_person"]["raw_pois"] < told["poi_per_trace"]["raw_pois"], "stays at one place are joined"
    assert told["spatial_error_m"]["mean"] < 0.1
    asked = told["range_queries"]
    assert (asked["queries"], asked["distortion"]) == (1000, 0)
    assert asked["raw_uids"] == asked["published_uids"] >= 1


def test_moved_points_are_that_far_and_found_no_more(tmp_path, people):
    publish_as_they_are(tmp_path / "r", people, degrees=0.1)
    told = shoal.utility(tmp_path / "r", original=people).to_dict()
    assert 0 < told["spatial_error_m"]["mean"] <= 11_103
    assert told["spatial_error_m"]["q75"] > 1000, "the town is 8 km across"
    assert 0 < told["spatial_error_standard_error_m"] < told["spatial_error_m"]["mean"]
    assert told["poi_per_person"]["f_score"] < 0.2
    assert told["range_queries"]["distortion"] > 0.9
    assert 0 <= told["range_queries"]["distortion_standard_error"] < 0.1


def test_who_is_erased_still_counts(tmp_path, people):
    publish_as_they_are(tmp_path / "r", people, keep=[0, 2])
    told = shoal.utility(tmp_path / "r", original=people).to_dict()
    assert told["people_suppressed"] == 2
    assert told["poi_per_person"]["counted"] == 4
    assert told["poi_per_person"]["f_score"] == pytest.approx(0.5, abs=0.05)


def test_tokens_change_no_figure(tmp_path, people):
    found = []
    for name in "ab":
        publish_as_they_are(tmp_path / name, people, degrees=0.003, gap_s=55)
        found.append(shoal.utility(tmp_path / name, original=people).to_dict())
    assert found[0] == found[1]
