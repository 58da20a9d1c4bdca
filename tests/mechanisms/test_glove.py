"""GLOVE releases: everybody covered or listed, boxes truthful and disjoint, groups of k or more."""

import itertools
import math
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pyarrow as pa
import pytest

import naive
import shoal
from shoal import synth
from shoal.data import Grid, Projection, Traces
from shoal.errors import DataError, ParameterError
from shoal.kernels.kmerge.driver import stretch_rule
from shoal.mechanisms.glove import Glove
from shoal.mechanisms.glove.grouping import group_people
from shoal.progress import silent
from shoal.workers import workers

CASES = [
    {"k": 2},
    {"k": 3, "publish": "merge"},
    {"k": 2, "publish": "merge", "suppress_km": 15, "suppress_hours": 6, "align_m": 1000, "align_minutes": 30},
    {"k": 5, "suppress_share": 0.05, "align_m": 500},
    {"k": 2, "suppress_share": 0.1, "suppress_km": 5, "suppress_hours": 2.5, "align_minutes": 20},
    {"k": 2, "publish": "merge", "suppress_km": 0.1, "leftover_limit": 0},
    {"k": 2, "partition": 17},
    {"k": 3, "partition": 25, "suppress_share": 0.05, "leftover_limit": 0.3},
    {"k": 5, "partition": 20, "publish": "merge", "leftover_limit": 0.4},
]


@cache
def people():
    return shoal.read(synth.cdr(120, 3, preset="civ", seed=3))


@cache
def release_of(number):
    return Glove(**CASES[number]).protect(people())


def samples_of(traces, person):
    lo, hi = traces.offsets[person], traces.offsets[person + 1]
    return list(zip(*(v[lo:hi].tolist() for v in (traces.t, traces.x, traces.y)), strict=True))


def sequences(release, traces):
    """Published boxes per original identifier, in grid cells: (t0, t1, x0, x1, y0, y1)."""
    cell, step = traces.grid.cell_m, traces.grid.dt_s * 1_000_000
    table = release.data
    times = [table[name].cast(pa.int64()).to_numpy() // step for name in ("t_start", "t_end")]
    places = [table[name].to_numpy() // cell for name in ("x_min", "x_max", "y_min", "y_max")]
    by_uid = {}
    for uid, *box in zip(table["uid"].to_pylist(), *(v.tolist() for v in (*times, *places)), strict=True):
        by_uid.setdefault(uid, []).append(tuple(box))
    mapping = release.secret.mapping
    pairs = zip(mapping["original_uid"].to_pylist(), mapping["uid"].to_pylist(), strict=True)
    return {original: by_uid[uid] for original, uid in pairs}


def listed(release, traces):
    """What was withheld: people with the reason, and (person, t, x, y) with the reason."""
    cell, step = traces.grid.cell_m, traces.grid.dt_s * 1_000_000
    table = release.secret.suppressed
    whole, single = {}, {}
    columns = (table["original_uid"], table["t"].cast(pa.int64()), table["x"], table["y"], table["reason"])
    for uid, t, x, y, reason in zip(*(c.to_pylist() for c in columns), strict=True):
        if t is None:
            assert uid not in whole
            whole[uid] = reason
        else:
            key = uid, t // step, x // cell, y // cell
            assert key not in single
            single[key] = reason
    return whole, single


def inside(sample, box):
    (t, x, y), (t0, t1, x0, x1, y0, y1) = sample, box
    return t0 <= t < t1 and x0 <= x < x1 and y0 <= y < y1


@pytest.mark.parametrize("case", range(len(CASES)))
def test_everybody_is_covered_or_listed_and_every_box_is_true(case):
    traces, release, parameters = people(), release_of(case), CASES[case]
    published, (whole, single) = sequences(release, traces), listed(release, traces)
    ids = traces.people.to_pylist()
    assert set(published) | set(whole) == set(ids)
    assert not set(published) & set(whole)
    for person, uid in enumerate(ids):
        if uid in whole:
            assert not any(key[0] == uid for key in single)
            continue
        samples, boxes = samples_of(traces, person), published[uid]
        for before, after in itertools.pairwise(boxes):
            assert before[1] <= after[0], "disjoint in time, and sorted"
        for sample in samples:
            covering = sum(inside(sample, box) for box in boxes)
            assert covering == 1 or (uid, *sample) in single
        kept = [sample for sample in samples if (uid, *sample) not in single]
        for box in boxes:
            assert any(inside(sample, box) for sample in kept), "every box holds a sample of its person"
            unit = parameters.get("align_m", 100) // 100
            assert all(v % unit == 0 for v in box[2:])
            assert all(v % parameters.get("align_minutes", 1) == 0 for v in box[:2])
    by_sequence = {}
    for uid, boxes in published.items():
        by_sequence.setdefault(tuple(boxes), []).append(uid)
    assert all(len(members) >= parameters["k"] for members in by_sequence.values())
    allowed = {"threshold", "share", "emptied", "leftover"}
    assert {*whole.values(), *single.values()} <= allowed


@pytest.mark.parametrize("case", [1, 2, 5])
def test_the_paper_s_boxes_are_the_oracle_s(case):
    parameters, traces = CASES[case], people().select(np.arange(24))
    published = sequences(Glove(**parameters).protect(traces), traces)
    expected = naive.glove([samples_of(traces, p) for p in range(24)], parameters["k"])
    space, time = parameters.get("suppress_km"), parameters.get("suppress_hours")
    sequences_of = {}
    for group in expected.groups:
        boxes = naive.publish_merge(
            group.fingerprint,
            None if space is None else math.floor(space * 10),
            None if time is None else math.floor(time * 60),
            parameters.get("align_m", 100) // 100,
            parameters.get("align_minutes", 1),
        )
        for member in group.members:
            if boxes:
                sequences_of[traces.people[member].as_py()] = [
                    (b.t, b.t + b.dt, b.x, b.x + b.dx, b.y, b.y + b.dy) for b in boxes
                ]
    assert published == sequences_of


def few_samples():
    """The first four of each of twelve people, as brute force tries everything."""
    traces = people().select(np.arange(12))
    return Traces(
        traces.people,
        np.arange(0, 49, 4),
        *(np.concatenate([v[o : o + 4] for o in traces.offsets[:-1]]) for v in (traces.t, traces.x, traces.y)),
        traces.crs,
        traces.grid,
    )


@pytest.mark.parametrize("minutes_per_km", [1, 24, 37])
def test_k_merge_of_a_group_is_the_oracle_s(minutes_per_km):
    short = few_samples()
    published = sequences(Glove(k=2, minutes_per_km=minutes_per_km).protect(short), short)
    with workers(1) as one:
        grouping = group_people(short, 2, 1, silent, workers=one)
    for members in grouping.members:
        cost = partial(naive.stretch_cost, time_cap=20 * minutes_per_km)
        best = naive.kmerge_brute([samples_of(short, p) for p in members], cost)
        boxes = [(b.t, b.t + b.dt, b.x, b.x + b.dx, b.y, b.y + b.dy) for b in best.boxes]
        for member in members:
            assert published[short.people[int(member)].as_py()] == boxes


def test_the_more_minutes_a_kilometre_is_worth_the_narrower_and_longer_boxes_are():
    """Of the same groups: cheapest plans at two prices of time cannot be better in one and no worse in the other."""
    spans = []
    for minutes_per_km in (1, 24, 1_000):
        release = Glove(k=3, minutes_per_km=minutes_per_km).protect(people())
        assert release.manifest["parameters"]["minutes_per_km"] == minutes_per_km
        boxes = sequences(release, people())
        wide = long = 0
        for number, name in enumerate(people().people.to_pylist()):
            for t, _, _ in samples_of(people(), number):
                t0, t1, x0, x1, y0, y1 = next(box for box in boxes[name] if box[0] <= t < box[1])
                wide, long = wide + x1 - x0 + y1 - y0, long + t1 - t0
        spans.append((wide, long))
    wides, longs = zip(*spans, strict=True)
    assert wides[0] > wides[1] > wides[2]
    assert longs[0] < longs[1] < longs[2]


@pytest.mark.parametrize("minutes_per_km", [1, 24, 1_000])
def test_what_is_left_out_is_dearest_by_the_same_exchange(minutes_per_km):
    """Who is left out is what the oracle leaves out at the least price, of whole numbers, that keeps to the share."""
    traces = few_samples()
    release = Glove(k=2, minutes_per_km=minutes_per_km, suppress_share=0.3).protect(traces)
    whole, single = listed(release, traces)
    names = traces.people.to_pylist()
    found = {*single, *((name, *sample) for name in whole for sample in samples_of(traces, names.index(name)))}
    with workers(1) as one:
        groups = group_people(traces, 2, 1, silent, workers=one).members
    rule = stretch_rule(200, 20 * minutes_per_km)

    def cost(samples):
        return rule.space_weight * 200 * naive.stretch_cost(samples, time_cap=20 * minutes_per_km)

    def left_at(price):
        gone = set()
        for members in groups:
            own = [samples_of(traces, p) for p in members]
            boxes = naive.kmerge_brute(own, cost, price).boxes
            gone |= {
                (names[p], *sample)
                for p, samples in zip(members, own, strict=True)
                for sample in samples
                if not any(b.t <= sample[0] < b.t + b.dt for b in boxes)
            }
        return gone

    low, high = 0, 10**7
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if len(left_at(middle)) <= 0.3 * traces.samples else (middle, high)
    assert found == left_at(high)
    assert found


@pytest.mark.parametrize(("cell_m", "dt_s"), [(100, 60), (20_000, 28_800), (1, 1), (2_500, 900)])
@pytest.mark.parametrize("minutes_per_km", [1, 24, 1_000])
def test_a_kilometre_costs_as_much_as_so_many_minutes(cell_m, dt_s, minutes_per_km):
    grid = Grid(cell_m, dt_s)
    rule = stretch_rule(grid.space_cap, Glove(k=2, minutes_per_km=minutes_per_km).time_cap(grid))
    a_kilometre, a_minute = Fraction(1_000, cell_m) * rule.space_weight, Fraction(60, dt_s) * rule.time_weight
    assert a_kilometre == minutes_per_km * a_minute


def test_a_group_left_with_nothing_goes_with_all_its_members():
    whole, _ = listed(release_of(5), people())
    assert "emptied" in whole.values()


def test_the_share_holds_and_stands_in_the_manifest():
    release = release_of(3)
    whole, single = listed(release, people())
    assert set(single.values()) == {"share"}
    assert set(whole.values()) <= {"emptied"}
    gone = np.isin(people().people.to_pylist(), list(whole))
    share = (len(single) + people().lengths[gone].sum()) / people().samples
    assert 0 < share <= 0.05
    assert release.manifest["parameters"]["suppress_share_reached"] == pytest.approx(share, abs=1e-3)


def test_order_of_people_and_rows_does_not_matter():
    table = synth.cdr(40, 2, preset="civ", seed=5)
    new_name = {name: f"{1000 - i}" for i, name in enumerate(sorted(set(table["uid"].to_pylist())))}
    renamed = table.set_column(
        table.column_names.index("uid"), "uid", pa.array([new_name[name] for name in table["uid"].to_pylist()])
    )
    shuffled = renamed.take(pa.array(np.random.default_rng(0).permutation(table.num_rows)))
    left, right = (sequences(Glove(k=3).protect(t), t) for t in (shoal.read(table), shoal.read(shuffled)))
    assert {new_name[name]: boxes for name, boxes in left.items()} == right


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 1},
        {"k": 0},
        {"k": 2.5},
        {"k": math.nan},
        {"k": True},
        {"k": 2, "publish": "hull"},
        {"k": 2, "suppress_share": 1},
        {"k": 2, "suppress_share": math.nan},
        {"k": 2, "suppress_share": 0.1, "publish": "merge"},
        {"k": 2, "suppress_km": 0},
        {"k": 2, "suppress_hours": -1},
        {"k": 2, "suppress_hours": math.inf},
        {"k": 2, "leftover_limit": 1.5},
        {"k": 2, "align_m": 0},
        {"k": 2, "align_minutes": 1.5},
        {"k": 5, "partition": 19},
        *({"k": 2, "minutes_per_km": wrong} for wrong in (0, 1_001, 24.0, None)),
        {"k": 2, "minutes_per_km": 60, "publish": "merge"},
    ],
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError) as caught:
        Glove(**wrong)
    assert caught.value.hint


@pytest.mark.parametrize("wrong", [{"align_m": 150}, {"align_m": 50}])
def test_alignments_are_multiples_of_the_grid(wrong):
    with pytest.raises(ParameterError):
        Glove(k=2, **wrong).protect(people())


def test_fewer_people_than_k_are_refused():
    with pytest.raises(DataError):
        Glove(k=121).protect(people())


def test_screened_people_are_listed():
    release = Glove(k=2, min_per_day=20).protect(people())
    whole, _ = listed(release, people())
    assert "screened" in whole.values()


def test_the_promise_is_honest():
    promise = Glove(k=4).promise
    assert promise.unit == "person"
    assert "3 other people" in promise.holds
    assert any("homogeneity" in line for line in promise.not_covered)


def test_a_leftover_beyond_the_limit_is_suppressed_whole():
    near = [[(0, 0, 0)], [(1, 0, 0)], [(10_000, 5_000, 0)]]
    flat = np.array([s for p in near for s in p], np.int32)
    traces = Traces(
        pa.array(["a", "b", "c"]),
        np.arange(4),
        *np.ascontiguousarray(flat.T),
        Projection(7, -5),
        Grid(),
    )
    assert listed(Glove(k=2, leftover_limit=0.5).protect(traces), traces)[0] == {"c": "leftover"}
    assert listed(Glove(k=2).protect(traces), traces)[0] == {}


def test_an_alignment_to_the_grid_of_the_data_is_not_boasted_of():
    """It hides nothing: edges are still somebody's coordinates, and the promise says so."""
    traces = shoal.read(synth.cdr(20, 2, preset="civ", seed=1))
    for asked, warned in (({"align_m": 100, "align_minutes": 1}, True), ({"align_m": 200, "align_minutes": 2}, False)):
        manifest = Glove(k=2, **asked).protect(traces).manifest
        assert any("edges" in line for line in manifest["promise"]["not_covered"]) == warned
        assert (manifest["parameters"]["align_m"] is None) == warned
