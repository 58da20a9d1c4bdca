"""A release of each kind: rows complete, in order of (uid, time), mapping total and injective."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from shoal.contract.kinds import cell_names
from shoal.data import Boxes, Grid, Points, Profiles, Projection
from shoal.data.layout import ALWAYS
from shoal.release import Protected, build, build_release
from shoal.release.spool import Spooled

quiet = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)

box = st.tuples(st.integers(0, 50), st.integers(1, 3), *[st.integers(-9, 9), st.integers(1, 4)] * 2)


def boxes_of(sequences: list[list[tuple[int, ...]]], sequence_of: list[int]) -> Boxes:
    flat = np.array([b for sequence in sequences for b in sequence], np.int32).reshape(-1, 6)
    return Boxes(
        pa.array([f"p{i}" for i in range(len(sequence_of))], pa.string()),
        np.array(sequence_of, np.int32),
        np.cumsum([0, *map(len, sequences)]).astype(np.int64),
        *(np.ascontiguousarray(flat[:, i]) for i in range(6)),
        crs=Projection(10, 20),
        grid=Grid(),
    )


def rows_by_person(release) -> dict[str, list[tuple[object, ...]]]:
    person_of = dict(zip(*(release.secret.mapping[c].to_pylist() for c in ("uid", "original_uid")), strict=True))
    rows: dict[str, list[tuple[object, ...]]] = {}
    for uid, *rest in zip(*(column.to_pylist() for column in release.data.columns), strict=True):
        rows.setdefault(person_of[uid], []).append(tuple(rest))
    return rows


@quiet
@given(data=st.data())
def test_boxes(about, data):
    sequences = data.draw(st.lists(st.lists(box, max_size=4), min_size=1, max_size=5))
    sequence_of = data.draw(st.lists(st.integers(0, len(sequences) - 1), max_size=8))
    boxes = boxes_of(sequences, sequence_of)
    release = build_release(Protected(payload=boxes), **about)

    expected: dict[str, list[tuple[object, ...]]] = {}
    for row in boxes.to_arrow().to_pylist():
        expected.setdefault(row.pop("uid"), []).append(tuple(row.values()))
    found = rows_by_person(release)
    assert {name: sorted(rows) for name, rows in found.items()} == {
        name: sorted(rows) for name, rows in expected.items()
    }
    order = list(zip(*(release.data[c].to_pylist() for c in ("uid", "t_start", "x_min", "y_min")), strict=True))
    assert order == sorted(order)
    # Nobody without a row has a uid.
    assert set(release.secret.mapping["original_uid"].to_pylist()) == set(expected)


def test_members_of_a_group_have_equal_rows_under_other_uids(make_release):
    release = make_release(6)
    found = rows_by_person(release)
    assert found["person-000000"] == found["person-000001"] != found["person-000002"]
    assert len(set(release.secret.mapping["uid"].to_pylist())) == 6


def test_row_order_is_unrelated_to_the_input(make_release):
    release = make_release(1000, per_person=1)
    person_of = dict(zip(*(release.secret.mapping[c].to_pylist() for c in ("uid", "original_uid")), strict=True))
    published = [int(person_of[uid][-6:]) for uid in release.data["uid"].to_pylist()]
    assert sorted(published) == list(range(1000))
    # Under chance alone tau has a standard deviation of 0.021.
    assert abs(kendalltau(np.arange(1000), published).statistic) < 0.17


@pytest.mark.parametrize("piece", [1, 40, 10**6])
def test_many_boxes_go_to_a_file_some_people_at_a_time_and_its_bytes_are_the_same(
    make_release, monkeypatch, tmp_path, piece
):
    whole = make_release(101, seed=3)
    monkeypatch.setattr(build, "ROWS_IN_MEMORY", 302)
    monkeypatch.setattr(build, "ROWS_OF_A_PIECE", piece)
    spooled = make_release(101, seed=3)
    assert isinstance(whole.rows, pa.Table)
    assert isinstance(spooled.rows, Spooled)
    assert spooled.data.equals(whole.data)
    assert spooled.manifest == whole.manifest
    assert spooled.secret.mapping.equals(whole.secret.mapping)
    one, two = (release.write(tmp_path / name, record=False) for name, release in (("one", whole), ("two", spooled)))
    for name in ("data.parquet", "manifest.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    assert isinstance(make_release(100, seed=3).rows, pa.Table)


def test_seed_repeats_and_stamps(make_release):
    assert make_release(seed=3).data == make_release(seed=3).data
    assert make_release(seed=3).data != make_release(seed=4).data
    assert make_release(seed=3).not_for_release
    assert make_release().data != make_release().data
    assert not make_release().not_for_release


def points(parts, person_of=None):
    """So many points of each part; parts are people unless said otherwise."""
    parts = np.array(parts, np.int64)
    rng, size = np.random.default_rng(2), int(parts.sum())
    people = pa.array(["a", "b", "no rows", "c"])
    person_of = np.arange(parts.size) if person_of is None else np.array(person_of)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(parts)))
    times = rng.integers(0, 5, size) * 1_000_000
    return Points(people, person_of, offsets, times, *rng.uniform(-60, 60, (2, size)))


def test_points_of_people(about):
    payload = points([3, 1, 0, 3])
    release = build_release(Protected(payload=payload), **about)
    assert release.data.schema == pa.schema(
        [
            ("uid", pa.string()),
            ("datetime", pa.timestamp("us", "UTC")),
            ("lat", pa.float64()),
            ("lng", pa.float64()),
        ]
    )
    assert release.manifest["kind"] == "points"
    assert release.manifest["grid"] is None
    assert set(release.secret.mapping["original_uid"].to_pylist()) == {"a", "b", "c"}
    rows = rows_by_person(release)
    assert sorted(row[1] for row in rows["a"]) == sorted(np.round(payload.lat[:3], 6))
    order = list(zip(release.data["uid"].to_pylist(), release.data["datetime"].to_pylist(), strict=True))
    assert order == sorted(order)
    assert all(round(v, 6) == v for v in release.data["lat"].to_pylist() + release.data["lng"].to_pylist())


def test_points_of_parts_have_a_uid_each(about):
    # Parts 0 and 4 are a's, 2 is c's; 1 and 3 have no rows.
    release = build_release(Protected(payload=points([2, 0, 2, 0, 2], [0, 1, 3, 3, 0])), **about)
    assert sorted(release.secret.mapping["original_uid"].to_pylist()) == ["a", "a", "c"]
    assert release.data["uid"].value_counts().field("counts").to_pylist() == [2, 2, 2]
    assert release.manifest["counts"]["people_published"] == 0  # 2, rounded


def test_points_in_any_order_give_the_same(about):
    lat, lng = np.array([1.0, 2.0, 3.0, 2.0]), np.array([5.0, 4.0, 3.0, 2.0])
    times, turn = np.array([0, 0, 5, 0]), np.array([2, 1, 0, 3])

    def released(order):
        columns = (column[order] for column in (times, lat, lng))
        payload = Points(pa.array(["a", "b"]), np.arange(2), np.array([0, 3, 4]), *columns)
        return build_release(Protected(payload=payload), seed=1, **about)

    assert released(np.arange(4)).data == released(turn).data


def test_minus_zero_does_not_show(about):
    tiny, zero = np.array([-1e-9]), np.array([0])
    payload = Points(pa.array(["a"]), zero, np.array([0, 1]), zero.copy(), tiny, tiny.copy())
    release = build_release(Protected(payload=payload), **about)
    assert not np.signbit(release.data["lat"].to_numpy()).any()


def test_no_points(about):
    release = build_release(Protected(payload=points([0, 0, 0, 0])), **about)
    assert release.data.num_rows == release.secret.mapping.num_rows == 0
    assert release.data.schema.field("uid").type == pa.string()


def profiles(people: list[str], towns: list[str]) -> Profiles:
    values = np.random.default_rng(3).random((len(people), len(cell_names(2))))
    return Profiles(pa.array(people, pa.string()), pa.array(towns, pa.string()), values, 2)


def test_profiles(about):
    given_ = profiles(["a", "a", "b", "c"], ["rome", "pisa", "rome", "rome"])
    release = build_release(Protected(payload=given_), **{**about, "span_s": given_.span_s})
    assert release.data.column_names == ["uid", "municipality", *cell_names(2)]
    assert release.manifest["crs"] is release.manifest["grid"] is None
    assert release.span_s == ALWAYS
    assert release.data["uid"].to_pylist() == sorted(release.data["uid"].to_pylist())
    joined = {(m["uid"], m["municipality"]): m["original_uid"] for m in release.secret.mapping.to_pylist()}
    assert len({uid for uid, _ in joined}) == 4
    back = {
        (joined[row["uid"], row["municipality"]], row["municipality"]): tuple(row.values())[2:]
        for row in release.data.to_pylist()
    }
    for i, row in enumerate(given_.to_arrow().to_pylist()):
        assert back[row["uid"], row["municipality"]] == tuple(given_.values[i])


def test_profiles_twice_the_same_person_and_place(about):
    with pytest.raises(AssertionError, match="not distinct"):
        build_release(Protected(payload=profiles(["a", "a"], ["rome", "rome"])), **about)


def test_short_reprs_without_values(make_release):
    release = make_release(20, seed=7)
    assert repr(release) == "Release(some, about 20 people, 60 rows, not for release)"
    assert repr(release.secret) == "Secret(20 uids, 0 suppressed)"


def test_many_rows_cross_chunks(make_release, monkeypatch):
    from shoal.release import columns

    monkeypatch.setattr(columns, "_ROWS", 7)
    release = make_release(10, seed=1)
    assert release.data["uid"].num_chunks > 1
    monkeypatch.undo()
    assert release.data == make_release(10, seed=1).data
