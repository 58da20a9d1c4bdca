"""Promesse: a point every alpha metres, at equal intervals, nothing of the ends; beside a slow twin on geodesics."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from mechanisms.naive_points import EARTH, ROUNDING_M, from_line, metres, promesse, same_places
from shoal.data import read_fixes
from shoal.engines.local import Local
from shoal.errors import DataError, ParameterError
from shoal.kernels.points.earth import chord_of, places_in_space
from shoal.kernels.points.zones import centres, cut
from shoal.mechanisms.promesse import ZONE, split

T0 = 1_600_000_000


def frame(*traces):
    """People p0, p1, … from lists of (second, lat, lng)."""
    rows = [(f"p{i}", *row) for i, trace in enumerate(traces) for row in trace]
    table = pl.DataFrame(rows, schema=["uid", "s", "lat", "lng"], orient="row")
    at = pl.from_epoch(pl.col("s"), time_unit="s").dt.cast_time_unit("us").dt.replace_time_zone("UTC")
    return table.select("uid", at.alias("datetime"), pl.col("lat", "lng").cast(pl.Float64))


def wander(seed, *, lat, lng, steps=60, stride=80.0, every=30, still=0.3):
    """A trace that goes, turns, stands still and trembles: (second, lat, lng)."""
    rng = np.random.default_rng(seed)
    rows, heading, second = [(T0, lat, lng)], rng.uniform(0, 360), T0
    for _ in range(steps):
        heading += rng.normal(0, 40)
        far = rng.exponential(2.0) if rng.random() < still else rng.exponential(stride)
        lng, lat, _ = EARTH.fwd(lng, lat, heading, far)
        second += int(rng.integers(1, 2 * every))
        rows.append((second, lat, lng))
    return rows


def published(release):
    """The points of each uid: seconds, lat, lng."""
    data = pl.from_arrow(release.data).with_columns(pl.col("datetime").dt.epoch("s"))
    parts = data.partition_by("uid", maintain_order=True)
    return [tuple(part[name].to_numpy() for name in ("datetime", "lat", "lng")) for part in parts]


def protected_if_long(mechanism, data, **how):
    try:
        return mechanism.protect(data, **how)
    except DataError as error:
        if "no trace is long enough" not in error.found:
            raise
        return None


def spacing(lat, lng):
    return EARTH.inv(lng[:-1], lat[:-1], lng[1:], lat[1:])[2]


places = st.tuples(
    st.sampled_from([0.0, 38.7, -45.0, 70.0, 89.95, -89.99]) | st.floats(-85, 85),
    st.sampled_from([0.5, 179.999, -180.0]) | st.floats(-180, 180),
)


@given(st.integers(0, 2**31), places, st.sampled_from([5.0, 50.0, 200.0, 1000.0]), st.booleans(), st.booleans())
@example(1, (89.99999, 10.0), 200.0, True, True)
@example(2, (38.7, 180.0), 200.0, True, False)
def test_points_are_alpha_apart_at_equal_intervals(seed, place, alpha, path, zone):
    """Checked from outside, on what is published: geodesics, and what six decimals may cost."""
    trace = wander(seed, lat=place[0], lng=place[1], stride=2 * alpha, every=120)
    mechanism = shoal.Promesse(
        alpha_m=alpha,
        interpolation="path" if path else "chord",
        endpoint_trim="zone" if zone else "fixed",
    )
    release = protected_if_long(mechanism, read_fixes(frame(trace), allow_zero=True), seed=seed)
    raw = np.array(trace)
    for seconds, lat, lng in published(release) if release else []:
        assert seconds.size >= 3
        assert np.abs(spacing(lat, lng) - alpha).max() < 2 * ROUNDING_M
        gaps = np.diff(seconds)
        assert gaps.min() >= 1
        assert gaps.max() - gaps.min() <= 1
        assert raw[0, 0] <= seconds[0] < seconds[-1] <= raw[-1, 0]
        if path:
            for point in list(zip(lat, lng, strict=True))[:: 1 + lat.size // 10]:
                assert from_line(point, raw[:, 1:]) < ROUNDING_M + 0.01


@pytest.mark.parametrize("interpolation", ["path", "chord"])
@pytest.mark.parametrize("place", [(0.0, 0.5), (45.0, 179.9995), (-69.0, -180.0), (89.999, 0.0)])
def test_the_slow_twin_agrees(interpolation, place):
    for seed in range(4):
        trace = wander(seed, lat=place[0], lng=place[1], steps=40, stride=150)
        wanted = promesse(trace, 100.0, interpolation)
        mechanism = shoal.Promesse(alpha_m=100, interpolation=interpolation, endpoint_trim="fixed")
        assert wanted
        [(seconds, lat, lng)] = published(mechanism.protect(frame(trace)))
        assert seconds.tolist() == [row[0] for row in wanted]
        for mine, theirs in zip(zip(lat, lng, strict=True), wanted, strict=True):
            assert metres(mine, theirs[1:]) < ROUNDING_M + 0.01


def test_corners_are_kept_by_path_and_cut_by_chord():
    corner = [(T0 + 60 * i, 0.001 * i, 1.0) for i in range(11)]
    corner += [(T0 + 60 * (10 + i), 0.01, 1 + 0.001 * i) for i in range(1, 11)]
    line = np.array(corner)[:, 1:]
    off = {}
    for way in ("path", "chord"):
        mechanism = shoal.Promesse(alpha_m=300, interpolation=way, endpoint_trim="fixed")
        # Records far apart, so that a short cut shows.
        [(_, lat, lng)] = published(mechanism.protect(frame([corner[0], corner[10], corner[20]])))
        off[way] = max(from_line(point, line) for point in zip(lat, lng, strict=True))
    assert off["path"] < 0.1
    assert off["chord"] > 20


def test_first_and_last_point_are_a_step_away_from_the_ends_when_fixed():
    straight = [(T0 + 30 * i, 45.0, 5.0 + 0.0005 * i) for i in range(100)]
    [(seconds, lat, lng)] = published(shoal.Promesse(alpha_m=100, endpoint_trim="fixed").protect(frame(straight)))
    assert abs(metres(straight[0][1:], (lat[0], lng[0])) - 100) < 0.2
    assert 100 - 0.2 < metres(straight[-1][1:], (lat[-1], lng[-1])) < 200.2
    # The time of a point is that of the record that it approaches: 100 m are 2.5 records of 39.4 m.
    assert seconds[0] == T0 + 30 * 3


@pytest.mark.parametrize(("points", "kept"), [(3, 0), (4, 0), (5, 3), (6, 4)])
def test_three_points_are_the_fewest(points, kept):
    """A way of n - 1 steps and a bit has n points; both ends go, and three must be left."""
    length = (points - 1) * 100 + 50
    line = [EARTH.fwd(5.0, 45.0, 90, metre) for metre in np.linspace(0, length, 60)]
    trace = [(T0 + 30 * i, lat, lng) for i, (lng, lat, _) in enumerate(line)]
    release = protected_if_long(shoal.Promesse(alpha_m=100, endpoint_trim="fixed"), frame(trace))
    assert (release.data.num_rows if release else 0) == kept


def home_and_away(directions, home=(38.7, -9.1), far=3000.0, days=1):
    """One person who sits at home, goes straight away and back, sits, and has no signal until the next time."""
    rows, second = [], T0
    rng = np.random.default_rng(5)
    for heading in list(directions) * days:
        for metre in [0] * 20 + list(range(0, int(far), 20)) + list(range(int(far), 0, -20)) + [0] * 20:
            lng, lat, _ = EARTH.fwd(home[1], home[0], heading, metre)
            lng, lat, _ = EARTH.fwd(lng, lat, rng.uniform(0, 360), rng.exponential(3))
            rows.append((second, lat, lng))
            second += 15
        second += 6 * 3600
    return rows


def test_a_zone_is_one_disc_for_all_traces_and_holds_the_home_off_its_centre():
    home, alpha = (38.7, -9.1), 100.0
    headings = range(0, 360, 20)
    data = frame(home_and_away(headings, home))
    offsets = []
    for seed in range(12):
        release = shoal.Promesse(alpha_m=alpha).protect(data, seed=seed)
        parts = published(release)
        assert len(parts) == len(headings)
        # The first point is a step outside of the disc: undo the step, and all ends lie on one circle.
        plane = [EARTH.inv(home[1], home[0], lng[0], lat[0]) for _, lat, lng in parts]
        angle = np.radians([azimuth for azimuth, _, _ in plane])
        radius = np.array([length for _, _, length in plane]) - alpha
        x, y = radius * np.sin(angle), radius * np.cos(angle)
        left, *_ = np.linalg.lstsq(np.column_stack((2 * x, 2 * y, np.ones_like(x))), x**2 + y**2, rcond=None)
        size = np.sqrt(left[2] + left[0] ** 2 + left[1] ** 2)
        assert abs(size - 2 * alpha) < 40  # a record every 20 m, trembling by some metres
        offsets.append(np.hypot(left[0], left[1]))
        assert offsets[-1] < alpha + 40
        assert radius.min() > alpha - 20
    assert np.median(offsets) > 0.4 * alpha  # uniform in the disc: 0.71


def test_the_ring_of_a_fixed_trim_shows_the_home():
    """Why zones are the default: the mean of the first points is the home, to some metres."""
    home = (38.7, -9.1)
    data = frame(home_and_away(range(0, 360, 20), home))
    errors = {}
    for trim in ("fixed", "zone"):
        found = []
        for seed in range(3):
            parts = published(shoal.Promesse(alpha_m=100, endpoint_trim=trim).protect(data, seed=seed))
            first = np.array([(lat[0], lng[0]) for _, lat, lng in parts])
            found.append(metres(home, first.mean(axis=0)))
        errors[trim] = np.median(found)
    assert errors["fixed"] < 10
    assert errors["zone"] > 30


@given(st.integers(0, 2**31), st.integers(1, 12))
def test_end_places_are_those_of_the_slow_twin(seed, traces):
    rng = np.random.default_rng(seed)
    spots = np.array([[45.0, 180.0 - 0.0005], [45.001, -179.9995], [45.0, 179.99]])
    at = spots[rng.integers(0, 3, 2 * traces)] + rng.uniform(-0.001, 0.001, (2 * traces, 2))
    at[:, 1] = (at[:, 1] + 180) % 360 - 180
    person = np.sort(rng.integers(0, 3, traces))
    place = places_in_space(at[:, 0].copy(), at[:, 1].copy())
    offsets = np.arange(0, 2 * traces + 1, 2)
    chance = rng.random((2 * traces, 2))
    centre = centres(place, offsets, person, chance, chord_of(100.0))
    for one in np.unique(person):
        ends = np.flatnonzero(np.repeat(person == one, 2))
        wanted = same_places([tuple(at[end]) for end in ends], 100.0)
        for end, first in zip(ends, ends[wanted], strict=True):
            assert (centre[end] == centre[first]).all()
            assert np.linalg.norm(centre[first] - place[first]) <= 100.001
    leaders = {tuple(row) for row in centre}
    assert len(leaders) == sum(
        len(set(same_places([tuple(at[end]) for end in np.flatnonzero(np.repeat(person == one, 2))], 100.0)))
        for one in np.unique(person)
    )
    # Both ends of every trace lie inside their discs, however the centre was drawn.
    start, stop = cut(place, offsets, centre, ZONE * chord_of(100.0))
    assert (start == stop).all()


def test_centres_are_uniform_in_the_disc():
    n = 4000
    place = np.repeat(places_in_space(np.array([38.7]), np.array([-9.1])), n, axis=0)
    chance = np.random.default_rng(1).random((n, 2))
    offsets, person = np.arange(0, n + 1, 1), np.arange(n)
    centre = centres(place, offsets, person, np.repeat(chance, 2, axis=0), 100.0)[::2]
    away = np.linalg.norm(centre - place[0], axis=1) / 100
    assert away.max() <= 1.000001
    # In a disc the squared distance is uniform.
    assert np.abs(np.sort(away**2) - (np.arange(n) + 0.5) / n).max() < 0.03
    assert np.linalg.norm(centre.mean(axis=0) - place[0]) < 4


def test_only_what_lies_in_the_disc_is_cut():
    straight = [(T0 + 30 * i, 45.0, 5.0 + 0.0005 * i) for i in range(100)]
    data = read_fixes(frame(straight))
    place = places_in_space(data.lat, data.lng)
    offsets, person = split(data)
    centre = centres(place, offsets, person, np.full((2, 2), 0.25), chord_of(100.0))
    start, stop = cut(place, offsets, centre, ZONE * chord_of(100.0))
    away = [np.linalg.norm(place - row, axis=1) for row in centre]
    assert (away[0][: start[0]] <= 200).all()
    assert away[0][start[0]] > 200
    assert (away[1][stop[0] :] <= 200).all()
    assert away[1][stop[0] - 1] > 200


@given(st.integers(0, 2**31))
def test_no_trace_begins_or_ends_near_an_end_even_if_the_way_comes_back(seed):
    """People who leave the disc for a moment and return: what follows is cut off as well."""
    rng = np.random.default_rng(seed)
    home, alpha, rows, second = (38.7, -9.1), 100.0, [], T0
    for far in [*rng.uniform(0, 6 * alpha, 8), 3000.0, *rng.uniform(0, 6 * alpha, 8)]:
        heading = rng.uniform(0, 360)
        for metre in [*np.arange(0, far, 35), *np.arange(far, 0, -35)]:
            lng, lat, _ = EARTH.fwd(home[1], home[0], heading, metre)
            rows.append((second, lat, lng))
            second += 30
    for _, lat, lng in published(shoal.Promesse(alpha_m=alpha).protect(frame(rows), seed=seed)):
        for end, at in ((rows[0], 0), (rows[-1], -1)):
            assert metres(end[1:], (lat[at], lng[at])) > alpha - 0.2


def test_each_trace_has_a_name_and_is_listed():
    """Gaps of 4 h split; what is too short is listed with its reason, and whoever has nothing left as a whole."""
    day = wander(1, lat=45, lng=5, steps=100)
    end = day[-1][0]
    later = [(second - T0 + end + 4 * 3600, lat, lng) for second, lat, lng in wander(2, lat=45, lng=5, steps=100)]
    close = [(later[-1][0] + 4 * 3600 - 1 + i, 45.0, 5.0) for i in range(3)]
    sitting = [(close[-1][0] + 4 * 3600 + 60 * i, 45.0, 5.0) for i in range(50)]
    release = shoal.Promesse(alpha_m=50, endpoint_trim="fixed").protect(frame(day + later + close + sitting, sitting))
    parts = pl.from_arrow(release.secret.extra["parts"])
    assert parts.columns == ["original_uid", "start", "end", "records", "points", "reason"]
    assert parts["reason"].to_list() == [None, None, "short", "short"]
    assert parts["records"].to_list() == [len(day), len(later) + len(close), 50, 50]
    assert parts["start"].dt.epoch("s").to_list() == [day[0][0], later[0][0], sitting[0][0], sitting[0][0]]
    mapping = pl.from_arrow(release.secret.mapping)
    assert mapping["original_uid"].to_list() == ["p0", "p0"]
    counts = pl.from_arrow(release.data).group_by("uid").len().join(mapping, on="uid", maintain_order="right")
    assert counts["len"].to_list() == parts["points"].to_list()[:2]
    withheld = pl.from_arrow(release.secret.suppressed)
    assert withheld.select("original_uid", "reason").rows() == [("p1", "short")]
    assert withheld["t"].is_null().all()
    assert release.secret.run["traces_dropped"] == {"short": 2, "fast": 0}


@given(st.integers(0, 2**31))
def test_the_order_of_rows_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    traces = [wander(seed + i, lat=45, lng=179.999, steps=30, stride=100) for i in range(3)]
    for trace in traces:
        trace.append((trace[-1][0], 45.0, 180.0))  # two places at one time
    data = frame(*traces)
    shuffled = data[rng.permutation(data.height).tolist()]
    mechanism = shoal.Promesse(alpha_m=60)
    one = mechanism.protect(data, seed=1)
    other = mechanism.protect(shuffled, seed=1, engine=Local(1))
    assert one.data.equals(other.data)
    assert one.secret.extra["parts"].equals(other.secret.extra["parts"])


def test_blocks_change_nothing(monkeypatch):
    data = read_fixes(frame(*[wander(i, lat=45, lng=5) for i in range(9)]))
    mechanism = shoal.Promesse(alpha_m=60)
    one = mechanism.protect(data, seed=4)
    monkeypatch.setattr(shoal.mechanisms.blocks.blocks_of, "__defaults__", (100,))
    assert mechanism.protect(data, seed=4).data.equals(one.data)


def test_zones_come_from_the_operating_system(monkeypatch):
    data = frame(home_and_away(range(0, 360, 60)))
    mechanism = shoal.Promesse(alpha_m=100)

    def first(**how):
        return sorted(part[1][0] for part in published(mechanism.protect(data, **how)))

    assert first() != first()
    assert first(seed=1) == first(seed=1) != first(seed=2)
    asked = []

    def constant(size):
        asked.append(size)
        return b"\x55" * size

    monkeypatch.setattr("os.urandom", constant)
    assert first() == first()
    assert 6 * 4 * 8 in asked  # two numbers for either end of six traces


def test_a_trace_of_25_days():
    rng = np.random.default_rng(2)
    n = 25 * 24 * 60
    lat, lng = 37.7 + np.cumsum(rng.normal(0, 4e-4, n)), -122.4 + np.cumsum(rng.normal(0, 4e-4, n))
    trace = list(zip((T0 + 60 * np.arange(n)).tolist(), lat, lng, strict=True))
    [(seconds, lat, lng)] = published(shoal.Promesse(alpha_m=200).protect(frame(trace)))
    gaps = np.diff(seconds)
    assert seconds.size > 1000
    assert gaps.max() - gaps.min() <= 1
    assert np.abs(spacing(lat, lng) - 200).max() < 2 * ROUNDING_M


@pytest.mark.parametrize("opposite", [False, True])
def test_a_jump_round_the_world(opposite):
    """Walked on the ground, whatever its length; where that leaves less than a second a point, the trace is dropped."""
    near = [(T0 + 60 * i, 45.0, 5.0 + 0.01 * i) for i in range(100)]
    there = (-45.0, near[-1][2] - 180) if opposite else (-20.0, 60.0)
    jump = [(T0 + 3600 * 5 + 60 * i, there[0], there[1] + 0.01 * i) for i in range(100)]
    [(_, lat, lng)] = published(shoal.Promesse(alpha_m=10_000).protect(frame(near + jump)))
    assert lat.size > 500
    assert np.abs(spacing(lat, lng) - 10_000).max() < 0.2
    both = frame(near + jump, wander(1, lat=45, lng=5, steps=100))
    release = shoal.Promesse(alpha_m=50, endpoint_trim="fixed").protect(both)
    assert pl.from_arrow(release.secret.extra["parts"])["reason"].to_list() == ["fast", None]


def test_far_too_many_points_are_refused(monkeypatch):
    monkeypatch.setattr("shoal.mechanisms.promesse.MOST_POINTS", 1000)
    with pytest.raises(DataError, match="larger `alpha_m`"):
        shoal.Promesse(alpha_m=1).protect(frame(wander(1, lat=45, lng=5, steps=100)))


@pytest.mark.parametrize(
    "trace",
    [
        [(T0, 45.0, 5.0)],
        [(T0, 45.0, 5.0), (T0, 45.0, 5.0)],
        [(T0 + i, 45.0, 5.0 + 0.0001 * i) for i in range(3)],
        [(T0 + 60 * i, 45.0, 5.0 + 1e-5 * (i % 3)) for i in range(1000)],
        [(T0, 45.0, 5.0), (T0, 46.0, 5.0)],
    ],
    ids=["one", "twice", "three", "still", "jump-in-no-time"],
)
def test_nothing_left_is_refused(trace):
    with pytest.raises(DataError, match="no trace is long enough"):
        shoal.Promesse(alpha_m=100).protect(frame(trace, trace))


@pytest.mark.parametrize("alpha", [0, -1, float("inf"), float("nan"), None, "200", True, 0.5, 100_001])
def test_steps_that_cannot_be(alpha):
    with pytest.raises(ParameterError, match="`alpha_m="):
        shoal.Promesse(alpha_m=alpha)


@pytest.mark.parametrize("change", [{"endpoint_trim": "none"}, {"interpolation": "spline"}])
def test_words_that_are_none(change):
    with pytest.raises(ParameterError):
        shoal.Promesse(alpha_m=100, **change)


def test_what_is_published_is_what_was_used():
    mechanism = shoal.Promesse(alpha_m=123.4567891)
    assert mechanism.alpha_m == 123.457
    release = mechanism.protect(frame(wander(1, lat=45, lng=5, steps=300)))
    assert release.manifest["parameters"]["alpha_m"] == 123.457
    assert release.manifest["promise"]["claim"] == {"name": "speed-smoothing", "alpha_m": 123.457}
    said = json.dumps(release.manifest["promise"])
    assert "246.914 m" in said
    assert "ring" not in said
    assert "ring" in json.dumps(shoal.Promesse(alpha_m=100, endpoint_trim="fixed").promise.to_dict())
