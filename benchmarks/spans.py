"""How accurate a GLOVE release is, against the share of samples that is suppressed.

    python benchmarks/spans.py                    2,000 people, k = 2 and 5: a minute
    python benchmarks/spans.py --full --out DIR   civ with 20,000 and 82,728 people, Gowalla, Cabspotting thinned to the
                                                  rates of call records; k = 2, 5, 10; CSV and pictures
    python benchmarks/spans.py --full --out DIR --ways published,kmerge --shares 0,0.083 --only civ-82728:5
                                                  some ways and shares, of one data set and k, each written as soon as
                                                  it is done; all other rows are those of the CSV there

Everybody is grouped by GLOVE's greedy for each data set and k; the same groups are then published by k-merge, which
leaves out a share of the samples where they cost most (``suppress_share``), and in the paper's way, which leaves out
boxes beyond thresholds (in the proportion of its 15 km and 6 h, such that they reach the share): its boxes as they are,
and their hulls (``publish="merge"``). Beside them stand groups chosen for what is published
(``grouping="published"``), by k-merge too: they are chosen anew for each share, so there are fewer of them. Spans are
means over the raw samples that are left, and over the published boxes beside it: a few giant boxes hide in the latter.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

import shoal
from kte_or_glove import SHARED, gowalla, thinned_cabs
from shoal import synth
from shoal.mechanisms.glove import Glove
from shoal.mechanisms.glove.grouping import group_people, settled
from shoal.mechanisms.glove.parameters import EFFORT
from shoal.mechanisms.glove.regrouping import regrouped
from shoal.pages.lines import Chart, Series
from shoal.progress import silent
from shoal.reproduce.glove.accuracy import figures_of
from shoal.reproduce.glove.boxes import Groups, kmerged
from shoal.reproduce.glove.printed import TABLE_2
from shoal.reproduce.glove.ways import NOTHING, Suppression
from shoal.workers import workers

KS, FULL_KS = (2, 5), (2, 5, 10)
SHARES = (0, 0.01, 0.02, 0.04, 0.06, 0.083, 0.12, 0.16, 0.2)
CHOSEN_FOR = (0, 0.04, 0.083, 0.2)
"""Shares that groups are chosen for."""
WAYS = ("published", "kmerge", "hull", "paper")
NAMES = {"published": "published groups", "kmerge": "k-merge", "hull": "hulls (merge)", "paper": "paper"}
COLOURS = {"published": 3, "kmerge": 2, "hull": 1, "paper": 0}
COLUMNS = (
    "data",
    "k",
    "way",
    "suppressed",
    "samples_deleted_percent",
    "people_discarded",
    "span_per_sample_km",
    "span_per_sample_min",
    "span_per_box_km",
    "span_per_box_min",
    "position_error_m",
    "time_error_min",
)


def data_sets(full):
    """Names and how to get the people."""
    if not full:
        return {"civ-2000": lambda: civ(2_000)}
    sets = {
        "gowalla": lambda: shoal.read(gowalla()),
        "cabspotting-thinned": lambda: shoal.read(thinned_cabs()),
        "civ-20000": lambda: civ(20_000),
        "civ-82728": lambda: civ(82_728),
    }
    if not SHARED.exists():
        print("left out: Gowalla and Cabspotting, which are not here")
        del sets["gowalla"], sets["cabspotting-thinned"]
    return sets


def civ(users):
    return shoal.read(synth.cdr(users, 14, preset="civ", seed=0))


def measure(name, traces, k, ways, shares):
    """One row for each way and step."""
    began, boxes = time.process_time(), set(ways) != {"published"}
    with workers() as crew:
        grouping = group_people(traces, k, 1.0, silent, boxes=boxes, workers=crew)
    greedy, groups = settled(grouping, boxes=False), Groups(traces, grouping) if boxes else None
    print(
        f"\n{name}, k = {k}: {len(traces):,} people, {traces.samples:,} samples; "
        f"grouped by the greedy in {time.process_time() - began:.0f} CPU s"
    )
    print(f"{'':17}{'limit':>22}{'deleted':>9}{'people':>8}   per raw sample      per box            centre error")
    for way in ways:
        for share in shares or (CHOSEN_FOR if way == "published" else SHARES):
            step = Suppression(share=share) if way in ("published", "kmerge") else thresholds(groups, share)
            made = chosen_for(traces, greedy, k, step) if way == "published" else groups.published(way, step)
            figures = figures_of(traces, made)
            row = row_of(figures)
            print(
                f"{NAMES[way]:17}{step!s:>22}{row[0]:>7} %{row[1]:>8,}   {row[2]:>6} km {row[3]:>6} min "
                f"{row[4]:>6} km {row[5]:>6} min {row[6]:>6} m {row[7]:>6} min",
                flush=True,
            )
            yield [name, k, way, str(step), *row]


def chosen_for(traces, greedy, k, step):
    """What is published of groups that are chosen for it."""
    with workers() as crew:
        groups = regrouped(
            traces, greedy, k, step.share, EFFORT, traces.grid, Glove().time_cap(traces.grid), silent, workers=crew
        )
    return kmerged(traces, groups, step)


def thresholds(groups, share):
    """The tightest thresholds in the paper's proportion of 15 km to 6 h that leave out at most this share."""
    if not share:
        return NOTHING
    grid, boxes = groups.traces.grid, groups.boxes
    km, hours = np.maximum(boxes.dx, boxes.dy) * grid.cell_m / 1000, boxes.dt * grid.dt_s / 3600
    beyond = np.maximum(km / 15, hours / 6)[groups.box_of[groups.box_of >= 0]]
    factor = np.quantile(beyond, 1 - share, method="higher")
    # Rounded up to what is written in few digits.
    return Suppression(float(np.ceil(150 * factor) / 10), float(np.ceil(120 * factor) / 20))


def row_of(figures):
    per_sample, per_box, errors = figures["per_sample"], figures["per_box"], figures["errors"]
    return [
        f"{100 * figures['samples_deleted_share']:.2f}",
        figures["people_discarded"],
        *(
            f"{part[name]['mean'] / unit:.{digits}f}"
            for part in (per_sample, per_box)
            for name, unit, digits in (("span_max_m", 1000, 2), ("span_s", 60, 1))
        ),
        f"{errors['position_error_m']['mean']:.0f}",
        f"{errors['time_error_s']['mean'] / 60:.1f}",
    ]


def charts(name, k, rows):
    """Space and time, per raw sample; per box dashed."""
    # Check-ins are days apart, calls minutes.
    unit, per_unit = ("hours", 60) if name == "gowalla" else ("minutes", 1)
    for axis, words, column, divisor in (("space", "km", 6, 1), ("time", unit, 7, per_unit)):
        series = [
            Series(
                NAMES[way].split(" (")[0] + ending,
                [float(row[4]) for row in rows if row[2] == way],
                [float(row[column + shift]) / divisor for row in rows if row[2] == way],
                dots=True,
                colour=COLOURS[way],
                dashed=bool(shift),
            )
            for shift, ending in ((0, ""), (2, ", per box"))
            for way in WAYS
            if any(row[2] == way for row in rows)
        ]
        if ("civ", k) in TABLE_2 and name.startswith("civ"):
            printed = TABLE_2["civ", k]
            value = printed.position_error_m / 1000 if axis == "space" else printed.time_error_min
            series.append(Series("printed, Table 2", [printed.deleted_percent], [value], marks=True, colour=6))
        title = f"{name}, k = {k}: spans in {axis} against what is suppressed"
        label = f"mean span in {axis}, {words}"
        yield (
            f"{name}-k{k}-{axis}",
            Chart(title, "samples suppressed, %", label, tuple(series), (0, 22), log_y=True),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="20,000 and 82,728 people, real data: some hours")
    parser.add_argument("--out", type=Path, help="directory for spans.csv and the pictures")
    parser.add_argument("--only", default="", help="some of the data sets, by name, with k: civ-20000:2,gowalla:5")
    parser.add_argument("--ways", default=",".join(WAYS), help="some of them; other rows from --out")
    parser.add_argument("--shares", default="", help="other ones; rows of others from --out")
    arguments = parser.parse_args()
    ways, shares = arguments.ways.split(","), [float(share) for share in arguments.shares.split(",") if share]
    some = bool(shares) or len(ways) < len(WAYS)
    chosen = {tuple(entry.split(":")) for entry in arguments.only.split(",") if entry}
    for name, load in data_sets(arguments.full).items():
        sizes = [k for k in (FULL_KS if arguments.full else KS) if not chosen or (name, str(k)) in chosen]
        traces = load() if sizes else None
        for k in sizes:
            found = []
            for row in measure(name, traces, k, ways, shares):
                found.append(row)
                if arguments.out and some:
                    save(arguments.out, name, k, beside(arguments.out, found))
            if arguments.out and not some:
                save(arguments.out, name, k, found)


def beside(out, found):
    """New rows, and those there of other ways and steps, in the order of ways and of what is deleted."""
    (name, k, *_), new, kept = found[0], {(row[2], row[3]) for row in found}, []
    path = out / f"{name}-k{k}.csv"
    if path.exists():
        with path.open(newline="") as file:
            kept = [row for row in csv.reader(file) if row[2] in WAYS and (row[2], row[3]) not in new]
    return sorted(found + kept, key=lambda row: (WAYS.index(row[2]), float(row[4])))


def save(out, name, k, rows):
    """As soon as all rows of one grouping are there, or one beside those of before."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / f"{name}-k{k}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    for file_name, chart in charts(name, k, rows):
        (out / f"{file_name}.svg").write_text(chart.to_svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
