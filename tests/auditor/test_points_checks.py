"""The checks of points: against plain versions, on sound releases of every sort, and on what they must not miss."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.naive_points import cylinders, metres, naive_cell, on_the_way
from shoal.auditor import checks
from shoal.auditor.budgets import rounded_up
from shoal.auditor.case import Case
from shoal.auditor.chance import ks
from shoal.auditor.cylinder_near import nearness
from shoal.auditor.cylinders import _examine
from shoal.auditor.noise import _gamma
from shoal.auditor.points_draws import lattice
from shoal.auditor.points_geometry import degree_lengths, distances
from shoal.auditor.points_parts import Published, origins, published, recorded
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.broken import say_more
from shoal.auditor.selftest.broken_cylinders import _pivots_for_all, _withheld
from shoal.auditor.selftest.broken_noise import _with
from shoal.auditor.selftest.sound_cylinders import sound_cylinders
from shoal.auditor.selftest.sound_noise import EPSILON, MEMO_M, planar_noise, sound_noise
from shoal.auditor.selftest.sound_smoothing import ALPHA_M, sound_smoothing
from shoal.data import read

assert checks.THEMES

degree = st.floats(-80, 80)


def audited(draft, folder, *only, alone=False):
    written = draft.write(folder)
    case = Case(written.release) if alone else Case(written.release, original=written.original, secret=written.secret)
    return {check.id: check for check in run_checks(case, only=set(only))}


@given(degree, st.floats(-180, 180), st.floats(-0.3, 0.3), st.floats(-0.3, 0.3))
def test_distances_are_those_on_the_ellipsoid(lat, lng, north, east):
    to = lat + north, (lng + east + 180) % 360 - 180
    found = distances(*(np.array([value]) for value in (lat, lng, *to)))[0]
    true = metres((lat, lng), to)
    assert abs(found - true) <= 0.02 + 2e-5 * true


def test_far_places_are_measured_too():
    found = distances(np.array([38.7]), np.array([-9.1]), np.array([60.0]), np.array([11.0]))[0]
    assert abs(found - metres((38.7, -9.1), (60.0, 11.0))) < 1e-3


step = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
trace = st.lists(step, min_size=2, max_size=4)


@settings(max_examples=60)
@given(st.lists(st.tuples(trace, st.sampled_from([0, 1])), min_size=1, max_size=7), st.sampled_from([2, 3]))
def test_cylinders_are_what_the_definition_says(people, k):
    """On a raster of 60 m, with a radius of 100 m; some have other times."""
    traces = [
        [(10 * i + late, 45 + y * 60 / 111_200, 7 + x * 60 / 78_800) for i, (x, y) in enumerate(one)]
        for one, late in people
    ]
    offsets = np.concatenate(([0], np.cumsum([len(one) for one in traces])))
    t, lat, lng = (np.array([row[i] for one in traces for row in one]) for i in range(3))
    points = Published(offsets, t.astype(np.int64), lat, lng)
    times = [tuple(row[0] for row in one) for one in traces]
    group = np.array([sorted(set(times)).index(one) for one in times])
    held, by_people, _ = _examine(points, group, np.arange(len(traces)), k, 100.0)
    assert held.tolist() == cylinders(traces, k, 100.3)
    assert by_people.tolist() == held.tolist()


def beside(*metres_east, k, length=4, away_at=None):
    """Straight traces beside each other; the last one is elsewhere at one moment."""
    walk = 45 + np.arange(length) * 1e-3
    lng = np.array([7 + metres / 78_847 for metres in metres_east])[:, None] + np.zeros(length)
    if away_at is not None:
        lng[-1, away_at] += 0.1
    many = len(metres_east)
    times = np.tile(np.arange(length), many)
    points = Published(np.arange(many + 1) * length, times, np.tile(walk, many), lng.ravel())
    return _examine(points, np.zeros(many, np.int64), np.arange(many), k, 100.0)[0].tolist()


def test_a_pivot_holds_those_on_either_side():
    assert beside(-80, 80, 0, k=3) == [True] * 3, "the two are not near each other, but near one"
    assert beside(160, 240, 80, 0, k=3) == [True] * 4, "the last one's pivot is in another's cylinder itself"
    assert beside(-80, 80, 300, k=3) == [False] * 3
    assert beside(-120, 0, 120, k=2) == [False] * 3


@pytest.mark.parametrize("moment", [0, 1, 7, 23, 39])
def test_one_moment_outside_is_seen_wherever_it_is(moment):
    assert beside(0, 10, k=2, length=40) == [True] * 2
    assert beside(0, 10, k=2, length=40, away_at=moment) == [False] * 2


def test_cylinders_are_counted_in_people():
    walk = np.arange(4.0) * 1e-3
    points = Published(np.arange(0, 13, 4), np.tile(np.arange(4), 3), np.tile(45 + walk, 3), np.full(12, 7.0))
    everyone = np.zeros(3, np.int64)
    for person, k, fine in (([0, 0, 1], 2, True), ([0, 0, 1], 3, False), ([0, 0, 0], 2, False), ([-1, -1, 0], 2, True)):
        held, by_people, _ = _examine(points, everyone, np.array(person), k, 100.0)
        assert held.all()
        assert by_people.all() == fine


@settings(max_examples=80)
@given(st.lists(st.lists(step, min_size=3, max_size=3), min_size=2, max_size=4))
def test_points_of_one_time_are_paired_as_well_as_they_can_be(traces):
    """Three points of one time, in the order of places, on a raster of 60 m; the radius is 100 m."""
    rows = [sorted((45 + y * 60 / 111_200, 7 + x * 60 / 78_800) for x, y in one) for one in traces]
    lat, lng = (np.array([row[i] for one in rows for row in one]) for i in range(2))
    points = Published(np.arange(len(rows) + 1) * 3, np.zeros(lat.size, np.int64), lat, lng)
    near = nearness(points, np.arange(len(rows)), 100.0)
    for one, mine in enumerate(rows):
        ways = [[max(map(metres, mine, way)) <= 100.3 for way in permutations(theirs)] for theirs in rows]
        assert sorted(near(one).tolist()) == [other for other, way in enumerate(ways) if any(way)]


def test_cylinders_around_records_of_one_time_pass(tmp_path):
    """Two records of everybody at each time, which the order of places mixes up."""
    draft = sound_cylinders(seed=14)
    draft.data = draft.data.with_columns(
        datetime=pl.col("datetime").gather(pl.int_range(pl.len()) // 2 * 2).over("uid")
    )
    pivots = draft.data.filter(pl.col("member") % 2 == 0).join(draft.mapping, on="uid")
    others = draft.raw.filter(~pl.col("uid").is_in(pivots["original_uid"].implode()))
    again = pivots.select(pl.col("original_uid").alias("uid"), "datetime", "lat", "lng")
    draft.raw = pl.concat([others, again.cast(draft.raw.schema)])
    assert audited(draft, tmp_path, "cylinder")["cylinder"].status == "pass"


def test_cylinders_of_cells_say_that_they_were_not_compared(tmp_path):
    written = sound_cylinders(seed=15).write(tmp_path)
    case = Case(written.release, original=read(written.original), secret=written.secret)
    (check,) = run_checks(case, only={"cylinder"})
    assert check.status == "pass"
    assert "cannot be compared" in check.reason


def test_a_trace_of_somebody_with_two_names_is_no_pivot(tmp_path):
    """Half of the records under each name are not what was recorded of the person."""
    draft = sound_cylinders(seed=16)
    first, third = draft.mapping["original_uid"][0], draft.mapping["original_uid"][2]
    draft.mapping = draft.mapping.with_columns(pl.col("original_uid").replace(third, first))
    draft.raw = draft.raw.with_columns(pl.col("uid").replace(third, first))
    assert "pivot_recorded" in audited(draft, tmp_path, "cylinder")["cylinder"].broken


@pytest.mark.parametrize(("share", "fine"), [(0.25, True), (0.249, False), (None, True)])
def test_no_more_are_thrown_away_than_was_asked_for(tmp_path, share, fine):
    draft = sound_cylinders(seed=17)
    _withheld(draft)
    say_more("parameters", trash=share)(draft)
    assert (audited(draft, tmp_path, "cylinder")["cylinder"].status == "pass") == fine


def test_people_who_are_alike_are_not_the_raw_data(tmp_path):
    draft = sound_cylinders(seed=18)
    _pivots_for_all(draft)
    names = draft.data.join(draft.mapping, on="uid").select(
        pl.col("original_uid").alias("uid"), "datetime", "lat", "lng"
    )
    draft.raw = pl.concat(
        [draft.raw.filter(~pl.col("uid").is_in(names["uid"].implode())), names.cast(draft.raw.schema)]
    )
    check = audited(draft, tmp_path, "cylinder")["cylinder"]
    assert check.status == "pass"
    assert check.figures["as_recorded"] == draft.mapping.height
    assert check.figures["recorded_share_of_others"] == 0


def test_many_traces_of_equal_times_are_quick():
    rng = np.random.default_rng(3)
    traces, length = 3_000, 20
    lat = 45 + np.repeat(rng.uniform(0, 1, traces // 2), 2)[:, None] + np.zeros(length)
    lng = 7 + np.repeat(rng.uniform(0, 1, traces // 2), 2)[:, None] + np.arange(length) * 1e-3
    points = Published(
        np.arange(traces + 1) * length,
        np.tile(np.arange(length), traces),
        lat.ravel(),
        np.ascontiguousarray(lng.ravel()),
    )
    held, _, pivots = _examine(points, np.zeros(traces, np.int64), np.arange(traces), 2, 100.0)
    assert held.all()
    assert pivots <= traces // 2


place = st.tuples(st.integers(-4, 4), st.integers(-4, 4))


@settings(max_examples=80, deadline=None)
@given(st.lists(place, min_size=2, max_size=5), st.data())
def test_points_on_a_way_are_told_from_those_beside_it(way, data):
    """Points drawn along the way, in order or not, or beside it; units of 100 m near the equator."""
    from shoal.auditor.points_path import follow

    points = []
    for _ in range(data.draw(st.integers(1, 4))):
        segment = data.draw(st.integers(0, len(way) - 2))
        (ax, ay), (bx, by) = way[segment], way[segment + 1]
        share = data.draw(st.sampled_from([0, 0.25, 0.5, 1]))
        beside = data.draw(st.sampled_from([0, 0, 0, 0.3]))
        points.append((ax + (bx - ax) * share + beside, ay + (by - ay) * share + beside))
    per_lng, per_lat = (float(length) for length in degree_lengths(np.array(0.001)))
    lat, raw_lat = (np.array([p[1] for p in some]) * 100 / per_lat for some in (points, way))
    lng, raw_lng = (np.array([p[0] for p in some]) * 100 / per_lng for some in (points, way))
    scale = np.stack(degree_lengths(lat), axis=1)
    first, stop = np.array([0]), np.array([len(way)])
    on, _, _ = follow(np.array([0, len(points)]), lat, lng, scale, first, stop, raw_lat, raw_lng, 1.0, 50.0)
    expected = on_the_way([(100 * x, 100 * y) for x, y in points], [(100 * x, 100 * y) for x, y in way], 1.5)
    assert (on[0] == len(points)) == expected


def test_a_way_goes_on_or_ends_there():
    from shoal.auditor.points_path import follow

    lat, raw_lng = np.zeros(2), np.array([0.0, 0.01, 0.02])
    lng, scale = np.array([0.004, 0.008]), np.stack(degree_lengths(np.zeros(2)), axis=1)
    for stop, goes_on in ((3, True), (2, False)):
        found = follow(
            np.array([0, 2]), lat, lng, scale, np.array([0]), np.array([stop]), np.zeros(3), raw_lng, 0.5, 500.0
        )
        assert found[0].tolist() == [2]
        assert found[2].tolist() == [goes_on]


def test_parts_are_found_by_person_and_time(tmp_path):
    draft = sound_smoothing(people=3, parts=2, seed=4)
    written = draft.write(tmp_path)
    case = Case(written.release, original=written.original, secret=written.secret)
    raw, points = recorded(case), published(case)
    whence = origins(case, points)
    assert whence.known.all()
    assert raw.person_of.size == 3 * 3 + 1
    for uid, part in enumerate(whence.part):
        first, stop = raw.starts[part], raw.starts[part + 1]
        assert raw.person[first] == case.person_of_uid[uid]
        assert raw.t_us[first] <= points.t_us[points.offsets[uid]] + 500_000
        assert points.t_us[points.offsets[uid + 1] - 1] <= raw.t_us[stop - 1] + 500_000


@pytest.mark.parametrize("trim", ["zone", "fixed"])
def test_sound_ends_pass_however_they_are_cut(tmp_path, trim):
    cut = {} if trim == "zone" else {"starts_m": (ALPHA_M, ALPHA_M), "trim": "fixed"}
    assert audited(sound_smoothing(seed=5, **cut), tmp_path, "smoothing")["smoothing"].status == "pass"


def test_short_cuts_near_the_way_pass(tmp_path):
    draft = sound_smoothing(seed=6)
    say_more("parameters", interpolation="chord")(draft)
    draft.data = draft.data.with_columns((pl.col("lat") + 20 / 111_400).round(6))
    assert audited(draft, tmp_path, "smoothing")["smoothing"].status == "pass"


@pytest.mark.parametrize(
    ("sound", "examined"),
    [(sound_smoothing, "smoothing"), (sound_noise, "budgets"), (sound_cylinders, "cylinder")],
)
def test_what_strangers_can_check_is_checked_without_the_original(tmp_path, sound, examined):
    check = audited(sound(seed=7), tmp_path, examined, alone=True)[examined]
    assert check.status == "pass"
    assert "`original`" in check.reason


def test_a_budget_for_one_uid_is_seen_by_strangers(tmp_path):
    draft = sound_noise(seed=8)
    draft.manifest["budgets"] = dict.fromkeys(draft.manifest["budgets"], 0.01)
    assert audited(draft, tmp_path, "budgets", alone=True)["budgets"].broken == ("at_least",)


@given(st.floats(1e-6, 1e6))
def test_budgets_are_rounded_up_to_two_digits(value):
    up = rounded_up(value)
    assert value * (1 - 1e-12) <= up <= value * 1.1 + 1e-12
    assert float(f"{up:.2g}") == up


def test_a_sound_law_is_hardly_ever_doubted():
    rng = np.random.default_rng(9)
    for _ in range(300):
        share = np.sort(_gamma(EPSILON * np.hypot(*planar_noise(rng, 2_000))))
        assert ks(share, share) > 1e-5


@pytest.mark.parametrize("memo", [None, MEMO_M])
def test_sound_noise_passes_with_and_without_memory(tmp_path, memo):
    found = audited(sound_noise(seed=10, memo_m=memo), tmp_path, "noise_law", "budgets")
    assert {check.status for check in found.values()} == {"pass"}
    when = "once for each person and cell" if memo else "anew each time"
    assert found["noise_law"].reason.endswith(f"drawn {when}")


@pytest.mark.parametrize(("scale", "broken"), [(0.0, "all_moved"), (0.8, "radius"), (1.3, "radius")])
def test_other_noise_for_cells_is_seen(tmp_path, scale, broken):
    draft = sound_noise(seed=11, memo_m=MEMO_M)
    raw = draft.raw.rename({"uid": "original_uid", "lat": "true_lat", "lng": "true_lng"})
    rows = draft.data.join(draft.mapping, on="uid").join(raw, on=["original_uid", "datetime"])
    *_, lat, lng, _ = lattice(rows["true_lat"].to_numpy(), rows["true_lng"].to_numpy(), MEMO_M)
    new = [(true + (rows[name].to_numpy() - true) * scale).round(6) for name, true in (("lat", lat), ("lng", lng))]
    draft.data = rows.with_columns(lat=pl.Series(new[0]), lng=pl.Series(new[1])).select(draft.data.columns)
    assert broken in audited(draft, tmp_path, "noise_law")["noise_law"].broken


@given(degree, st.floats(-180, 179.99), st.sampled_from([50.0, 200.0, 1e6, 3e7]))
def test_the_lattice_is_the_one_that_is_written_down(lat, lng, side):
    line, column, middle_lat, middle_lng, sure = (float(v[0]) for v in lattice(np.array([lat]), np.array([lng]), side))
    if not sure:
        return
    up, along, true_lat, true_lng = naive_cell(lat, lng, side)
    assert (line, column) == (up, along)
    assert abs(middle_lat - true_lat) < 1e-9
    assert abs((middle_lng - true_lng + 180) % 360 - 180) < 1e-9


def test_noise_in_degrees_is_no_other_at_the_equator(tmp_path):
    """Said plainly: there both are the same, so nothing can be seen, and nothing is wrong."""
    draft = sound_noise(seed=12)
    draft.raw = draft.raw.with_columns(lat=pl.col("lat") - 60)
    _with(lambda records, rng: planar_noise(rng, records.height))(draft)
    assert audited(draft, tmp_path, "noise_law")["noise_law"].status == "pass"


def test_two_records_at_one_time_are_left_out_of_the_law(tmp_path):
    draft = sound_noise(seed=13, people=6)
    again = draft.raw.filter(pl.col("uid") == draft.mapping["original_uid"][0]).head(50)
    draft.raw = pl.concat([draft.raw, again.with_columns(lat=pl.col("lat") + 0.01)])
    names = draft.mapping.rename({"original_uid": "name"})
    moved = again.rename({"uid": "name"}).join(names, on="name").with_columns(group=pl.lit(0), member=pl.lit(0))
    draft.data = pl.concat([draft.data, moved.select(draft.data.columns).cast(draft.data.schema)])
    check = audited(draft, tmp_path, "noise_law")["noise_law"]
    assert check.status == "pass"
    assert check.figures["draws"] == draft.data.height - 100
