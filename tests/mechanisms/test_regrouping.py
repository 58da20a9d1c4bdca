"""Groups chosen for what is published: nobody is lost, the order of rows changes nothing, releases pass their audit."""

from functools import cache, partial
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow.compute as pc
import pytest

import shoal
from shoal import synth
from shoal.data import Grid
from shoal.data.thirds import thirds_of
from shoal.engines.local import Local
from shoal.errors import ParameterError
from shoal.kernels.regroup import driver
from shoal.kernels.regroup.cores import as_groups, group_values
from shoal.kernels.regroup.crowd import crowd_of
from shoal.kernels.regroup.driver import Found
from shoal.kernels.regroup.personal import personal_means, published_spans
from shoal.mechanisms.glove import Glove, kmerge, regrouping
from shoal.mechanisms.glove.parameters import _spared
from shoal.mechanisms.glove.partition import group_in_parts, group_part
from shoal.mechanisms.glove.published import Published
from shoal.mechanisms.glove.regrouping import regrouped
from shoal.progress import silent
from shoal.workers import workers

EIGHT_HOURS = 480
PUBLISHED = {"grouping": "published", "effort": 2}


@cache
def events():
    return pl.DataFrame(synth.cdr(90, 3, preset="civ", seed=5))


@cache
def traces():
    return shoal.read(events())


def groups_of(people, k, effort=2, threads=2, leftover_limit=1.0, share=0.0, minutes_per_km=24):
    time_cap = 20 * minutes_per_km
    better = (
        partial(regrouped, k=k, share=share, effort=effort, grid=people.grid, time_cap=time_cap) if effort else None
    )
    with workers(threads) as crew:
        return group_part(people, crew, silent, k=k, leftover_limit=leftover_limit, boxes=False, better=better)


def named(people, groups):
    names = people.people.to_pylist()
    return sorted(sorted(names[person] for person in group) for group in groups.members)


@pytest.mark.parametrize("k", [2, 4])
def test_everybody_is_in_one_group_of_k_and_it_is_worth_it(k):
    found = groups_of(traces(), k)
    assert sorted(np.concatenate(found.members)) == list(range(len(traces())))
    assert min(group.size for group in found.members) >= k
    assert all((np.diff(group) > 0).all() for group in found.members)
    assert 0 < found.value < found.value_greedy


@pytest.mark.parametrize("k", [2, 4])
def test_groups_are_chosen_for_what_a_kilometre_is_worth(monkeypatch, k):
    """They cost least at the exchange that they were searched for. Later searches would count other weights."""
    monkeypatch.setattr(regrouping, "SEARCHES", 1)
    exchanges = (1, 24, 1_000)
    found = [groups_of(traces(), k, minutes_per_km=minutes).members for minutes in exchanges]
    offsets, space_cap = np.array(traces().offsets), traces().grid.space_cap
    for minutes in exchanges:
        caps = {"space_cap": space_cap, "time_cap": 20 * minutes}
        crowd = crowd_of(offsets, traces().t, traces().x, traces().y, k, **caps)
        with workers(2) as crew:
            costs = [group_values(as_groups(groups), crowd, crew).sum() for groups in found]
        assert np.argmin(costs) == exchanges.index(minutes)


def test_the_search_is_told_what_a_kilometre_is_worth(monkeypatch):
    told, search = [], regrouping.regrouped
    monkeypatch.setattr(
        regrouping, "regrouped", lambda *args, **options: (told.append(options), search(*args, **options))[1]
    )
    Glove(k=3, minutes_per_km=60, **PUBLISHED).protect(events())
    assert [options["time_cap"] for options in told] == [1_200]


def by_thirds(people, groups):
    """Of each third of the people the medians of their mean boxes, in space and time, if nothing is left out."""
    offsets, third = np.array(people.offsets), thirds_of(people.lengths)
    caps = {"space_cap": people.grid.space_cap, "time_cap": people.grid.time_cap}
    with workers(1) as crew:
        spans = published_spans(as_groups(groups), crowd_of(offsets, people.t, people.x, people.y, 2, **caps), crew)
    means = personal_means(spans, len(people))
    return np.array([[np.median(mean[third == one]) for one in range(3)] for mean in means])


def test_no_third_of_the_people_loses_much(monkeypatch):
    """A search that counts samples alone would let those who are seen rarely pay."""
    people = shoal.read(synth.cdr(300, 7, preset="civ", seed=3))
    before = by_thirds(people, groups_of(people, 4, effort=0).members)

    def worst():
        return (by_thirds(people, groups_of(people, 4).members) / before).max()

    monkeypatch.setattr(regrouping, "SEARCHES", 1)
    alone = worst()
    monkeypatch.undo()
    assert worst() <= 1.05 < alone


ALL = [
    # What the first third of the people loses in space and time, and what all samples do; which search is the best.
    ([(1.04, 1.04, 1, 1)], 1),
    ([(1.2, 1, 1, 1), (1.04, 1, 1, 1)], 2),
    ([(1, 1.1, 1, 1), (1.08, 1, 1, 1), (1, 1.08, 1, 1), (1, 1.08, 1, 1)], 2),
    ([(1.2, 1, 1, 1), (1.3, 0, 1, 1), (1, 1.2, 1, 1)], 1),
    ([(1.3, 1, 1, 1), (1.4, 1, 1, 1), (1.2, 1, 1, 1), (1.3, 1, 1, 1), (1.04, 1, 1, 1)], 5),
    ([(1.2, 1, 1, 1), (1.4, 1, 1, 1), (1.3, 1, 1, 1)], 1),
    ([(1.3, 1.2, 1, 1), (1.1, 1.25, 1, 1), (1.06, 1.26, 1, 1), (1.05, 1.28, 1, 1), (1.06, 1.29, 1, 1)], 2),
    ([(1.6, 1, 1, 1), (1.4, 1, 1, 1), (1.3, 1, 1, 1), (1.2, 1, 1, 1), (1.1, 1, 1, 1)], 5),
    # All may lose nothing; who loses more of what may be lost is worse.
    ([(1, 1, 1.001, 0.9), (1, 1, 1, 1)], 2),
    ([(1, 1, 0.9, 1.3), (1.04, 1.04, 1, 1)], 2),
    ([(1, 1, 1.3, 1.1), (1, 1, 1.1, 1.2), (1, 1, 1.2, 1.2), (1, 1, 1.2, 1.2)], 2),
    ([(1.1, 1.2, 1.1, 0.9), (1.12, 1, 1, 1), (1, 1, 1.1, 1), (1, 1, 1.1, 1)], 2),
]


@pytest.mark.parametrize(("losses", "chosen"), ALL)
def test_searches_go_on_as_long_as_somebody_loses_and_that_helps(monkeypatch, losses, chosen):
    """Search n finds the pairs numbered n; what is lost is scripted."""
    left, heavy, told = list(losses), [], []

    def search(crowd, given, *, progress, **_):
        progress("comparing pairs", 0, 1)
        both = np.array([crowd.weight + crowd.room, crowd.weight])
        heavy.append([both[:, third == one].mean(axis=1) for one in (0, 2)])
        now, then = (crowd._replace(cost=crowd.cost._replace(price=price)) for price in (1.0, 2.0))
        return Found([*given, np.array([len(losses) - len(left)])], 1.0, 1.0, now, then)

    def lost(before, now, step):
        assert not step.any()  # nothing is aligned
        assert before == (2, 2.0)  # the groups given, at their price
        assert now == (3, 1.0)
        space, time, all_space, all_time = left.pop(0)
        return np.array([[space, 1.0, 1.0, all_space], [time, 1.0, 1.0, all_time]])

    monkeypatch.setattr(regrouping, "regroup_pairs", search)
    monkeypatch.setattr(regrouping, "_sizes", lambda groups, crowd, *_: (len(groups), crowd.cost.price))
    monkeypatch.setattr(regrouping, "_lost", lost)
    people = traces()
    third = thirds_of(people.lengths)
    caps = {"space_cap": people.grid.space_cap, "time_cap": people.grid.time_cap}
    crowd = crowd_of(np.array(people.offsets), people.t, people.x, people.y, 2, **caps)
    found = regrouping._fair(crowd, [None, None], third, 2, 0.0, 1, lambda phase, *_: told.append(phase), None)
    assert not left
    assert found.groups[-1].tolist() == [chosen - 1]
    for (before, after), (space, time, all_space, all_time) in zip(pairwise(heavy), losses, strict=False):
        of_first, of_last = (now / then for now, then in zip(after, before, strict=True))
        assert of_first / of_last == pytest.approx([max(1.5, one) if one > 1.04 else 1 for one in (space, time)])
        against = {True: max(1.2, all_space), False: 1 / max(1.2, all_time)}[all_space > all_time]
        assert of_last[0] / of_last[1] == pytest.approx(against if max(all_space, all_time) > 1 else 1)
    assert told == ["comparing pairs", *(f"search {n}: comparing pairs" for n in range(2, len(losses) + 1))]


def on_a_line(places):
    """People who are seen once, at the same time."""
    x = np.array(places, np.int32)
    nothing = np.zeros(x.size, np.int32)
    return crowd_of(np.arange(x.size + 1), nothing, x, nothing, 2, space_cap=200, time_cap=480)


def sizes_of(crowd, groups, third):
    with workers(1) as crew:
        return regrouping._sizes([np.array(group) for group in groups], crowd, np.array(third), crew)


def test_sizes_are_those_of_thirds_and_of_all_at_the_price():
    crowd, groups = on_a_line([0, 1, 0, 10, 0, 100]), [[0, 1], [2, 3], [4, 5]]
    larger, both, time = sizes_of(crowd, groups, [0, 0, 0, 2, 2, 2])
    assert larger.tolist()[:1] == [[2, 2]]
    assert np.isnan(larger[1]).all()
    assert larger.tolist()[2:] == [[101, 101], [pytest.approx((2 + 11 + 101) / 3), 11]]
    assert (both - larger)[[0, 2, 3]].tolist() == [[1, 1]] * 3
    assert time[[0, 2, 3]].tolist() == [[1, 1]] * 3
    dear = crowd._replace(cost=crowd.cost._replace(price=20 / 200))
    larger, *_ = sizes_of(dear, groups, [0, 0, 0, 2, 2, 2])
    assert larger[[0, 2, 3]].tolist() == [[2, 2], [11, 11], [6.5, 6.5]]


def test_what_is_lost_is_by_whichever_has_grown_most():
    before, exactly = np.ones((3, 4, 2)), np.zeros((3, 4, 2))

    def lost(before, now):
        return regrouping._lost(before, now, exactly)

    assert lost(before, before).tolist() == [[1, 1, 1, 1], [1, 1, 1, 1]]
    for span, way in np.ndindex(3, 2):
        for who in range(4):
            now = before.copy()
            now[span, who, way] = 2
            expected = np.ones((2, 4))
            expected[span // 2, who] = 2
            assert lost(before, now).tolist() == expected.tolist()
            assert lost(now, before).max() == 1
            now[span, who, way] = np.nan  # nobody is left: nothing to compare
            assert lost(now, before).max() == lost(before, now).max() == 1


def test_where_boxes_are_aligned_medians_of_all_may_grow_by_a_cell():
    crowd = on_a_line([0, 1])
    assert not regrouping._step(crowd).any()
    step = regrouping._step(crowd._replace(rule=crowd.rule._replace(dx=10, dt=5)))
    before = np.full((3, 4, 2), 30.0)
    for span, (cell, beyond) in enumerate([(10, 41), (10, 41), (5, 36)]):
        for who, way in np.ndindex(4, 2):
            now = before.copy()
            now[span, who, way] = 30 + cell
            assert regrouping._lost(before, now, step).max() == (1 if (who, way) == (3, 1) else (30 + cell) / 30)
            now[span, who, way] = beyond
            assert regrouping._lost(before, now, step).max() == beyond / 30


@pytest.mark.parametrize(("k", "share"), [(2, 0.0), (3, 0.0), (2, 0.2), (3, 0.35)])
def test_neither_the_order_of_rows_nor_the_threads_change_the_groups(k, share):
    """But for twins, who may stand for each other."""
    rows = events().with_columns(pl.col("uid").cast(pl.String))
    some = rows["uid"].unique().sort().head(9).to_list()
    rows = pl.concat([rows, rows.filter(pl.col("uid").is_in(some)).with_columns(uid="t-" + pl.col("uid"))])
    names = rows["uid"].unique().sort()
    other = dict(zip(names, names.sample(fraction=1, shuffle=True, seed=1), strict=True))
    again = rows.with_columns(pl.col("uid").replace_strict(other)).sample(fraction=1, shuffle=True, seed=2)
    back = {new: old.removeprefix("t-") for old, new in other.items()}
    as_it_is, shuffled = (
        named(people, groups_of(people, k, threads=threads, share=share))
        for people, threads in ((shoal.read(rows), 2), (shoal.read(again), 1))
    )
    found = sorted(sorted(back[name] for name in group) for group in shuffled)
    assert found == sorted(sorted(name.removeprefix("t-") for name in group) for group in as_it_is)


def test_whoever_the_greedy_leaves_over_stays_so():
    greedy = groups_of(traces(), 4, effort=0, leftover_limit=0.0)
    found = groups_of(traces(), 4, leftover_limit=0.0)
    assert greedy.suppressed.size
    assert found.suppressed.tolist() == greedy.suppressed.tolist()
    assert not set(found.suppressed) & set(np.concatenate(found.members))


def test_neighbourhoods_are_searched_one_by_one():
    better = partial(regrouped, k=2, share=0.0, effort=1, grid=traces().grid, time_cap=EIGHT_HOURS)
    found = [
        group_in_parts(traces(), 30, 2, 1.0, silent, boxes=False, engine=engine, better=better)
        for engine in (Local(1), Local(2))
    ]
    assert named(traces(), found[0]) == named(traces(), found[1])
    assert found[0].value == found[1].value < found[0].value_greedy


def test_values_are_those_of_the_published_cells():
    """What an alignment makes equal costs the least that a box can cost."""
    coarse = Grid(20_000, 86_400)
    with workers(1) as crew:
        greedy = groups_of(traces(), 2, effort=0)
        fine, aligned = (
            regrouped(traces(), greedy, 2, 0.0, 1, grid, EIGHT_HOURS, silent, workers=crew)
            for grid in (traces().grid, coarse)
        )
    least = traces().samples * (
        1 + 0.9 * (0.6 * np.sqrt(3) + 0.4 * 3)
    )  # pairs: space counts up to 20 km, and no cell is smaller
    assert fine.value < least <= aligned.value <= aligned.value_greedy


@pytest.mark.slow
@pytest.mark.parametrize(
    "parameters",
    [
        {"k": 2},
        {"k": 5, "suppress_share": 0.083, "minutes_per_km": 96},
        {"k": 3, "partition": 30, "align_m": 500, "align_minutes": 30},
    ],
    ids=str,
)
def test_the_auditor_passes_every_release(tmp_path, parameters):
    Glove(**parameters, **PUBLISHED).protect(events()).write(tmp_path / "r", record=False)
    verdict = shoal.audit(tmp_path / "r", original=events(), secret=tmp_path / "r.secret")
    assert verdict.ok, [check for check in verdict.checks if check.status == "fail"]


@pytest.mark.parametrize(
    "parameters", [{"effort": 3}, {"grouping": "published", "publish": "merge"}, {"grouping": "best"}], ids=str
)
def test_what_does_not_go_together_is_refused(parameters):
    with pytest.raises(ParameterError):
        Glove(**parameters)


def test_the_publisher_is_told_what_was_won():
    release = Glove(k=2, **PUBLISHED).protect(events())
    assert any("than in the groups of --grouping greedy" in remark for remark in release.remarks)


@pytest.mark.parametrize("k", [2, 3])
def test_groups_are_chosen_for_the_share_that_is_left_out(k):
    """What is won is told by a cost that knows the price of what is left out."""
    won = [Glove(k=k, suppress_share=share, **PUBLISHED).protect(events()).remarks[0] for share in (0, 0.3)]
    assert all("than in the groups of --grouping greedy" in remark for remark in won)
    assert won[0] != won[1]


def lost_everything(release):
    return pc.sum(pc.equal(release.secret.suppressed["reason"], "emptied")).as_py() or 0


@pytest.mark.parametrize(("k", "share", "partition"), [(2, 0.1, None), (3, 0.35, None), (3, 0.2, 30)])
def test_no_more_people_lose_everything_than_with_the_greedy(monkeypatch, tmp_path, k, share, partition):
    """Also where no room is found for them: they keep boxes that are dearer than others may have."""
    monkeypatch.setattr(driver, "taken_in", lambda groups, crowd, *_: (groups, crowd))
    common, price = {"k": k, "suppress_share": share, "partition": partition}, kmerge._price
    greedy = Glove(**common).protect(events())
    release = Glove(**common, **PUBLISHED).protect(events())
    monkeypatch.setattr(kmerge, "_price", lambda *given: price(*given[:4], None, given[5]))
    too_many = Glove(**common, **PUBLISHED).protect(events())
    assert lost_everything(release) <= lost_everything(greedy) < lost_everything(too_many)
    assert lost_everything(greedy) - lost_everything(release) < k  # and no more are spared than have to be
    spared = lost_everything(too_many) - lost_everything(release)
    assert any(f"spared: {spared} people" in remark for remark in release.remarks)
    assert not any("spared:" in remark for remark in (*too_many.remarks, *greedy.remarks))
    release.write(tmp_path / "r", record=False)
    assert shoal.audit(tmp_path / "r", original=events(), secret=tmp_path / "r.secret").ok


def test_who_is_spared_and_loses_all_by_thresholds_is_not_told_as_spared(monkeypatch):
    monkeypatch.setattr(driver, "taken_in", lambda groups, crowd, *_: (groups, crowd))
    release = Glove(k=2, suppress_share=0.1, suppress_km=5, suppress_hours=24, **PUBLISHED).protect(events())
    assert not any("spared:" in remark for remark in release.remarks)


@pytest.mark.parametrize(
    ("reached", "spared", "said"),
    [
        (None, None, []),
        (0.1, 0, []),
        (0.099, 0, ["the next step"]),
        (0.0, 0, ["nothing costs more"]),
        (0.1, 3, ["spared: 3 people"]),
        (0.02, 3, ["or leave nothing of more people", "spared: 3 people"]),
        (0.0, 3, ["or leave nothing of more people", "spared: 3 people"]),
    ],
)
def test_the_publisher_is_told_why_less_is_left_out_than_is_allowed_and_who_is_spared(reached, spared, said):
    published = Published(None, None, {"suppress_share_reached": reached}, {"people_spared": spared})
    remarks = (*Glove(suppress_share=0.1)._remarks(published), *_spared(published))
    assert len(remarks) == len(said)
    assert all(words in remark for words, remark in zip(said, remarks, strict=True))
