"""Wait For Me: the small cases of its description, its naive twin, what it publishes, and bad input."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from mechanisms import naive_w4m as naive
from shoal.errors import DataError, ParameterError
from shoal.mechanisms.w4m.clusters import Rule, attempt, cluster
from shoal.mechanisms.w4m.published import bend
from shoal.mechanisms.w4m.tracks import Tracks
from shoal.progress import silent
from shoal.workers import workers

A = [(100.0 * i, 0.0, 1000.0 + 60 * i) for i in range(6)]


def beside(trace, dx=0.0, dy=500.0, dt=0.0):
    return [(x + dx, y + dy, t + dt) for x, y, t in trace]


def line(points):
    return [(100.0 * i, 0.0, 1000.0 + 60 * i) for i in range(points)]


def tracks_in_metres(traces):
    speed = naive.speed(traces)
    x, y, t = (np.array(column) for column in zip(*itertools.chain(*traces), strict=True))
    one = np.ones(x.size)
    offsets = np.cumsum([0, *(len(trace) for trace in traces)])
    return Tracks(offsets, (x, y, one, one, speed * t), speed)


def bent(traces, pivot, delta=200.0):
    result = bend(tracks_in_metres(traces), np.full(len(traces), pivot), delta)
    parts = [slice(*pair) for pair in itertools.pairwise(result.offsets)]
    return result, [list(zip(result.x[part], result.y[part], strict=True)) for part in parts]


def test_a_parallel_trace_is_bent_to_half_of_delta():
    result, published = bent([A, beside(A)], pivot=1)
    assert np.allclose(published[0], [(100.0 * i, 400.0) for i in range(6)])
    assert published[1] == [(x, y) for x, y, _ in beside(A)]
    assert (result.moved_m, result.created, result.deleted) == (pytest.approx(2400), 0, 0)


def test_a_longer_pivot_creates_points():
    result, published = bent([A, beside(line(9))], pivot=1)
    assert len(published[0]) == 9
    assert np.allclose(published[0][6:], [(580.388, 401.942), (662.861, 407.152), (748.550, 414.251)], atol=1e-3)
    assert (result.created, result.deleted) == (3, 0)
    assert result.waited_s == pytest.approx(360)


def test_a_shorter_pivot_deletes_points():
    result, _ = bent([line(9), beside(A)], pivot=1)
    assert (result.created, result.deleted) == (0, 3)


def test_a_shifted_pivot():
    result, published = bent([A, beside(A, dx=50, dt=30)], pivot=1)
    assert np.allclose(published[0], [(40.050 + 100 * i, 400.496) for i in range(6)], atol=1e-3)
    assert result.moved_m == pytest.approx(2414.963, abs=1e-3)
    assert result.waited_s == pytest.approx(180)


@pytest.mark.parametrize(("radius", "together"), [(499.0, False), (500.0, True)])
def test_the_radius_decides(radius, together):
    found = clustered([A, beside(A)], radius=radius, trash=1.0)
    assert (found.pivot_of >= 0).all() == together


def clustered(traces, k=2, delta=200.0, radius=5000.0, trash=0.1, seed=1):
    with workers(2) as two:
        rng = np.random.default_rng(seed)
        return cluster(tracks_in_metres(traces), Rule(k, delta, radius, trash), rng, silent, workers=two)


metres = st.integers(0, 2000).map(float)
points = st.lists(st.tuples(metres, metres, st.integers(0, 600).map(float)), min_size=1, max_size=8)
traces = points.map(lambda trace: sorted(trace, key=lambda point: point[2]))


@given(st.lists(traces, min_size=2, max_size=5), st.sampled_from([50.0, 200.0, 700.0]))
def test_distances_and_reaches_are_those_of_the_naive_walk(some, delta):
    from shoal.kernels.w4m.walk import distances

    tracks, count = tracks_in_metres(some), len(some)
    total, reach = np.empty((count, count), np.int64), np.empty((count, count))
    distances(np.arange(count), tracks.offsets, tracks.columns, delta, 10, total, reach)
    speed = naive.speed(some)
    for a, b in itertools.product(range(count), repeat=2):
        # Where a distance is a whole number of steps, rounding decides: that is no matter of the walk.
        assert reach[a, b] == pytest.approx(naive.reach(some[a], some[b], delta, speed))
        assert total[a, b] == naive.distance(some[a], some[b], delta, speed)


@given(traces, traces, st.sampled_from([50.0, 200.0, 700.0]))
def test_what_is_published_is_what_the_naive_walk_gives(member, pivot, delta):
    result, published = bent([member, pivot], pivot=1, delta=delta)
    wanted, moved, waited = naive.published(member, pivot, delta, naive.speed([member, pivot]))
    assert np.allclose(published[0], wanted)
    assert result.moved_m == pytest.approx(moved, abs=1e-6)
    if naive.speed([member, pivot]):
        assert result.waited_s == pytest.approx(waited, abs=1e-6)


@given(st.integers(2, 4), st.integers(4, 20), st.integers(0, 10**6))
def test_clusters_have_k_members_within_the_radius(k, count, seed):
    rng = np.random.default_rng(seed)
    total = rng.integers(0, 100, (count, count))
    reach = rng.uniform(0, 10, (count, count))
    pivot_of = attempt(total, reach, 6.0, k, rng)
    for pivot in np.unique(pivot_of[pivot_of >= 0]):
        members = np.flatnonzero(pivot_of == pivot)
        assert members.size >= k
        assert pivot in members
        assert (reach[members[members != pivot], pivot] <= 6.0).all()
    pivots = np.unique(pivot_of[pivot_of >= 0])
    left = np.flatnonzero(pivot_of < 0)
    assert (reach[np.ix_(left, pivots)] > 6.0).all()


def test_the_radius_grows_until_few_enough_are_thrown_away():
    far = [beside(A, dy=3000.0 * i) for i in range(6)]
    assert (clustered(far, radius=100.0, trash=1.0).pivot_of < 0).all()
    found = clustered(far, radius=100.0, trash=0.0)
    assert (found.pivot_of >= 0).all()
    assert found.radius_m >= 3000
    assert found.attempts > 1


def events(people=30, lng=2.0, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(people):
        x, y = rng.normal(0, 0.01, 2)
        for j in range(int(rng.integers(5, 15))):
            moment = f"2020-01-01T{j:02}:{int(rng.integers(60)):02}:00Z"
            east = (lng + x + j * 0.001 + 180) % 360 - 180
            rows.append((f"u{i}", moment, 48.0 + y, east))
    return pl.DataFrame(rows, schema=["uid", "datetime", "lat", "lng"], orient="row")


@pytest.mark.parametrize("lng", [2.0, 179.999])
def test_everybody_published_is_beside_k_others_at_the_same_times(lng):
    release = shoal.WaitForMe(k=3, delta_m=200, max_radius_m=3000).protect(events(lng=lng), seed=1)
    data = pl.from_arrow(release.data)
    assert data["lng"].is_between(-180, 180).all()
    groups = {}
    for (uid,), rows in data.group_by(["uid"], maintain_order=True):
        groups.setdefault(tuple(rows["datetime"]), []).append(uid)
    assert min(len(members) for members in groups.values()) >= 3
    assert release.secret.mapping.num_rows + release.secret.suppressed.num_rows == 30
    assert release.manifest["promise"]["claim"] == {"name": "cylinder", "k": 3, "delta_m": 200.0}


def at_the_same_times(people=20, seed=0):
    """Within 40 m of each other, each at places of their own, at the same minutes."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"u{i}", f"2020-01-01T{hour:02}:00:00Z", 48 + rng.random() / 5_000, 2 + hour / 1_000 + rng.random() / 5_000)
        for i in range(people)
        for hour in range(12)
    ]
    return pl.DataFrame(rows, schema=["uid", "datetime", "lat", "lng"], orient="row")


def test_a_release_that_is_hardly_bent_is_said_to_be_raw_before_the_audit_says_so(tmp_path):
    data = at_the_same_times()
    written = shoal.protect(data, shoal.WaitForMe(k=2, delta_m=200), tmp_path / "r", not_for_release=True)
    (remark,) = written.release.remarks
    assert remark.startswith("100% of the points of those who are no pivot are published where and when")
    checks = shoal.audit(written.path, original=data, secret=written.secret).checks
    assert next(check for check in checks if check.id == "cylinder").broken == ("not_raw",)


@pytest.mark.parametrize(
    "data",
    [events(), pl.concat([at_the_same_times(1).with_columns(uid=pl.lit(uid)) for uid in "abcd"])],
    ids=["bent", "alike"],
)
def test_what_is_bent_or_the_pivot_s_own_is_not_called_raw(data):
    assert shoal.WaitForMe(k=2, delta_m=50).protect(data, seed=1).remarks == ()


def test_the_promise_does_not_call_it_k_anonymity():
    words = shoal.WaitForMe(k=5, delta_m=100).promise
    assert "not k-anonymity" in words.holds
    assert any("pivot" in line for line in words.not_covered)


def test_the_order_of_rows_changes_nothing():
    data = events()
    one, other = (
        shoal.WaitForMe(k=2, delta_m=200).protect(frame, seed=3).data
        for frame in (data, data.sample(fraction=1, shuffle=True, seed=5))
    )
    assert one.equals(other)


def test_the_number_of_threads_changes_nothing():
    from shoal.engines.local import Local

    data = events()
    one, two = (shoal.WaitForMe(k=2, delta_m=200).protect(data, seed=3, engine=Local(n)).data for n in (1, 2))
    assert one.equals(two)


def test_without_a_seed_pivots_differ():
    from shoal.data import read_fixes

    fixes, mechanism = read_fixes(events()), shoal.WaitForMe(k=2, delta_m=200)
    pivots = {str(mechanism.protect(fixes).secret.extra["clusters"]["pivot"].to_pylist()) for _ in range(4)}
    assert len(pivots) > 1


def test_fewer_traces_than_k_are_refused():
    with pytest.raises(DataError, match="fewer traces than k = 5"):
        shoal.WaitForMe(k=5, delta_m=200).protect(events(people=3))


@pytest.mark.parametrize(
    "wrong", [{"k": 1}, {"delta_m": 0}, {"delta_m": float("inf")}, {"trash": 1.0}, {"trash": -0.1}]
)
def test_parameters_beyond_their_limits_are_refused(wrong):
    with pytest.raises(ParameterError):
        shoal.WaitForMe(**{"delta_m": 200, **wrong})


def test_people_with_one_point_and_equal_times():
    rows = [("a", 0), ("b", 0), ("c", 0), ("c", 0)]
    data = pl.DataFrame(
        {
            "uid": [uid for uid, _ in rows],
            "datetime": ["2020-01-01T00:00:00Z"] * 4,
            "lat": [48.0, 48.001, 48.002, 48.003],
            "lng": [2.0] * 4,
        }
    )
    release = shoal.WaitForMe(k=3, delta_m=200).protect(data, seed=1)
    assert release.secret.mapping.num_rows == 3
