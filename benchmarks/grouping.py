"""Groups chosen for what is published, against GLOVE's greedy: the same promise, the same publication, other groups.

    python benchmarks/grouping.py                          2,000 people, k = 2 and 5; nothing, 4 and 8.3 % left out
    python benchmarks/grouping.py --full                   20,000 people
    python benchmarks/grouping.py --people 2000 --k 5 --efforts 1,2,4,8,16 --picture effort.svg
    python benchmarks/grouping.py --full --k 5 --shares 0.083 --minutes-per-km 24,48,96,144
    python benchmarks/grouping.py --data gowalla --k 5     real check-ins, or taxis thinned to the rates of call records

Synthetic civ, two weeks, if nothing else is asked for. Per raw sample that is left: mean and median of dx + dy in km
and of the duration in minutes, and their ratios to the greedy's in the same run. Then who pays: for each third of the
people, by number of samples, the median of their personal means, as ratios, of whoever has something left; and how many
people have nothing left. Where some have not, the same ratios again below, of everybody: having nothing left counts as
worst. CPU seconds are of the grouping alone, the greedy's included; below, how they are spent, and what values of
groups cost.
"""

import argparse
import itertools
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from scipy.optimize import linear_sum_assignment

import shoal
from kte_or_glove import gowalla, thinned_cabs
from shoal import synth
from shoal.contract.parameters import MINUTES_PER_KM
from shoal.data.thirds import thirds_of
from shoal.kernels.regroup.cores import Split, as_groups, group_values, values_with
from shoal.kernels.regroup.crowd import crowd_of
from shoal.kernels.regroup.driver import regroup_pairs
from shoal.mechanisms.glove import Glove
from shoal.mechanisms.glove.kmerge import publish_kmerge
from shoal.mechanisms.glove.parameters import EFFORT
from shoal.mechanisms.glove.partition import group_part
from shoal.mechanisms.glove.regrouping import regrouped
from shoal.pages.lines import Chart, Series
from shoal.progress import silent
from shoal.usefulness.covering import covering_box
from shoal.usefulness.figures import Cells
from shoal.workers import workers

SHARES = (0.0, 0.04, 0.083)
KS = (2, 5)


class Phases:
    """A progress that tells CPU seconds by phase; what a phase is called ends before its own figures."""

    def __init__(self):
        self.seconds, self.phase, self.since = Counter(), "preparing", time.process_time()

    def __call__(self, phase, *_):
        now = time.process_time()
        self.seconds[self.phase] += now - self.since
        self.phase, self.since = phase.split(" · ")[0], now


def greedy_groups(traces, k):
    """The greedy's groups, and CPU seconds."""
    began = time.process_time()
    with workers() as crew:
        groups = group_part(traces, crew, silent, k=k, leftover_limit=1.0, boxes=False, better=None)
    return groups, {"greedy": time.process_time() - began}


def better_groups(traces, greedy, k, share, effort, minutes_per_km=MINUTES_PER_KM):
    """Groups for what is published where this share is left out, and CPU seconds by phase."""
    groups, seconds = greedy
    told, time_cap = Phases(), Glove(minutes_per_km=minutes_per_km).time_cap(traces.grid)
    with workers() as crew:
        groups = regrouped(traces, groups, k, share, effort, traces.grid, time_cap, told, workers=crew)
    told("")
    return groups, seconds | told.seconds


def crowd_from(traces, k):
    caps = {"space_cap": traces.grid.space_cap, "time_cap": traces.grid.time_cap}
    return crowd_of(np.array(traces.offsets), traces.t, traces.x, traces.y, k, **caps)


def values_per_second(traces, k, groups):
    """Of groups like these, per CPU second."""
    crowd, some = crowd_from(traces, k), as_groups(groups[:1_000])
    with workers() as crew:
        before = time.process_time()
        group_values(some, crowd, crew)
        return some.sizes.size / (time.process_time() - before)


def spans(traces, groups, share, minutes_per_km=MINUTES_PER_KM):
    """Of each raw sample dx + dy in km and the duration in minutes; nan where it is left out."""
    parameters = Glove(suppress_share=share, minutes_per_km=minutes_per_km)
    with workers() as crew:
        made = publish_kmerge(traces, groups, parameters, traces.grid, workers=crew).boxes
    sequence = np.full(len(traces), -1, np.int64)
    sequence[pc.index_in(made.people, traces.people).to_numpy()] = made.sequence_of
    boxes = Cells(*(column.astype(np.int64) for column in (made.t, made.dt, made.x, made.dx, made.y, made.dy)))
    box = covering_box(traces, sequence, made.offsets, boxes)
    km = (boxes.dx + boxes.dy) * traces.grid.cell_m / 1000
    minutes = boxes.dt * traces.grid.dt_s / 60
    return [np.where(box >= 0, values[box], np.nan) for values in (km, minutes)]


def four(found):
    """Mean and median in space, mean and median in time."""
    return np.array([how(values) for values in found for how in (np.nanmean, np.nanmedian)])


def by_thirds(traces, found):
    """Of each third the medians of the personal means in space and time; people with nothing left.

    The medians are of those with something left, then of everybody, nothing being worse than anything.
    """
    owner, third = np.repeat(np.arange(len(traces)), traces.lengths), thirds_of(traces.lengths)
    left = np.bincount(owner[~np.isnan(found[0])], minlength=len(traces))
    means = [np.bincount(owner, np.nan_to_num(values)) / np.maximum(left, 1) for values in found]
    some = left > 0
    of_some = [[np.median(mean[some & (third == one)]) for one in range(3)] for mean in means]
    of_all = [[np.median(np.where(some, mean, np.inf)[third == one]) for one in range(3)] for mean in means]
    return np.array([of_some, of_all]), int((~some).sum())


def compared(traces, k, shares, efforts, exchanges):
    """Print all ratios to the greedy's; give what was found of each exchange and effort with the first share."""
    greedy, figures = greedy_groups(traces, k), {}
    for share in shares:
        before = None
        for exchange, effort in itertools.product(exchanges, (0, *efforts)):
            groups, seconds = better_groups(traces, greedy, k, share, effort, exchange) if effort else greedy
            found = spans(traces, groups, share, exchange)
            now, (thirds, emptied) = four(found), by_thirds(traces, found)
            before = before or (now, thirds)
            name, cpu = f"published, effort {effort}" if effort else "greedy", sum(seconds.values())
            name += "" if exchange == MINUTES_PER_KM else f", {exchange} min/km"
            told = f"{now[0]:7.2f} {now[1]:6.2f} km {now[2]:7.1f} {now[3]:6.1f} min"
            ratios = " ".join(f"{ratio:.2f}" for ratio in now / before[0])
            of_some, of_all = (
                "  ".join("/".join(f"{ratio:.2f}" for ratio in row) for row in rows) for rows in thirds / before[1]
            )
            print(f"{k:>3} {share:>6.1%} {name:<34} {told}   {ratios}   {of_some} {emptied:>8} {cpu:>8.0f}", flush=True)
            if effort and of_all != of_some:
                print(f"{'having nothing left counting as worst':>103}   {of_all}", flush=True)
            figures.setdefault((exchange, effort), now)
        spent = ", ".join(f"{phase} {cpu:.0f}" for phase, cpu in seconds.items())
        per_second = values_per_second(traces, k, groups.members)
        print(f"           CPU s: {spent}; {per_second:,.0f} values of such groups per CPU s", flush=True)
    return figures


def picture(found, k, people):
    """What is won against the effort; or, where there are several exchanges, what they trade at the last effort."""
    exchanges, efforts = (sorted(set(some)) for some in zip(*found, strict=True))
    who = f"civ, {people:,} people, k = {k}"
    if len(exchanges) > 1:
        drawn = [
            (name, *np.array([found[exchange, effort][[2, 0]] for exchange in exchanges]).T)
            for name, effort in (("greedy", 0), ("published", efforts[-1]))
        ]
        x_end, y_end = (1.1 * max(float(one[axis].max()) for one in drawn) for axis in (1, 2))
        series = tuple(Series(name, x.tolist(), y.tolist(), dots=True) for name, x, y in drawn)
        title = f"{who}, {', '.join(map(str, exchanges))} minutes per km: boxes of a sample"
        labels = "mean duration, minutes", "mean width, dx + dy, km"
        return Chart(title, *labels, series, (0, x_end), (0, y_end)).to_svg()
    names = ("mean space", "median space", "mean time", "median time")
    ratios = np.array([found[exchanges[0], effort] / found[exchanges[0], 0] for effort in efforts])
    series = tuple(Series(name, efforts, ratios[:, i].tolist(), dots=True) for i, name in enumerate(names))
    title = f"{who}: boxes of a sample against the effort"
    return Chart(title, "effort (0: the greedy)", "ratio to the greedy's", series, y_range=(0, 1.1)).to_svg()


def data(name, people):
    """Who is grouped."""
    if name == "civ":
        return shoal.read(synth.cdr(people, 14, preset="civ", seed=0))
    return shoal.read({"gowalla": gowalla, "cabspotting-thinned": thinned_cabs}[name]())


def bound(people=400):
    """What pairs cost at least: the best assignment of everybody to somebody else, halved; all pairs are tried."""
    traces = shoal.read(synth.cdr(people, 14, preset="civ", seed=0))
    crowd, everybody = crowd_from(traces, 2), np.arange(people)
    alone = Split(everybody, everybody, np.arange(people + 1), everybody)
    first, second = np.triu_indices(people, 1)
    costs = np.full((people, people), np.inf)
    with workers() as crew:
        costs[first, second] = costs[second, first] = values_with(crowd, alone, second, first, crew)
    np.fill_diagonal(costs, costs[first, second].max() * people)
    least, (greedy, _) = costs[linear_sum_assignment(costs)].sum() / 2, greedy_groups(traces, 2)
    with workers() as crew:  # one search: another one, for whoever pays, would count other weights
        found = regroup_pairs(crowd, greedy.members, 0, EFFORT, progress=silent, workers=crew)
    print(
        f"{people} people, k = 2: greedy {found.value_given / least:.3f}, published {found.value / least:.3f} "
        "of what any pairs cost at least"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="20,000 people: a quarter of an hour")
    parser.add_argument("--data", default="civ", choices=("civ", "gowalla", "cabspotting-thinned"))
    parser.add_argument("--people", type=int, help="another number, of civ")
    parser.add_argument("--k", default=",".join(map(str, KS)))
    parser.add_argument("--efforts", default=str(EFFORT), help="some, to see what more is worth")
    parser.add_argument("--shares", default=",".join(map(str, SHARES)))
    parser.add_argument("--minutes-per-km", default=str(MINUTES_PER_KM), help="some, to see what each trades")
    parser.add_argument("--picture", type=Path, help="draw what these are worth for the last k and the first share")
    args = parser.parse_args()
    people = args.people or (20_000 if args.full else 2_000)
    small = shoal.read(synth.cdr(40, 2, seed=0))
    for k in (2, 3):  # compile
        better_groups(small, greedy_groups(small, k), k, SHARES[-1], 1)
    bound()
    traces = data(args.data, people)
    print(f"{args.data}: {len(traces):,} people, {traces.samples:,} samples")
    print(
        "  k  left out                    mean median      mean median       ratios: space, time"
        "   thirds' ratios: space, time   emptied    CPU s"
    )
    for k in map(int, args.k.split(",")):
        efforts, exchanges = ([int(one) for one in some.split(",")] for some in (args.efforts, args.minutes_per_km))
        found = compared(traces, k, [float(share) for share in args.shares.split(",")], efforts, exchanges)
        if args.picture:
            args.picture.write_text(picture(found, k, len(traces)), encoding="utf-8")


if __name__ == "__main__":
    main()
