"""The measures of a release of points: stops, distances from the way, range queries.

    python benchmarks/points_metrics.py [--full]

Beside each stands a plain baseline of the same run: numpy, whole columns at a time, on a hundredth of the work, scaled
up. Stops: the distance of each point from those before it, for as many steps back as the mean stay has points. Ways: a
k-d tree over the raw points (the nearest point, which is no line). Ranges: a mask over all records for each query.
CPU seconds count, not those on the wall. Aim: the whole set on 9 million records in 3 minutes on 2 cores. With
`--full` on Cabspotting, where it is in `../shared/data`.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from figures.noted import note

CABSPOTTING = Path(__file__).resolve().parents[2] / "shared" / "data" / "cabspotting.parquet"
SHARE = 100
STEPS_BACK = 20
AIM_S = 180


def timed(work, *arguments):
    """Return what it gives, CPU seconds and those on the wall."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work(*arguments)
    return result, time.process_time() - cpu, time.perf_counter() - wall


def moved(fixes, seed=0):
    """Move every point by some 200 m: planar Laplace, as Geo-I does."""
    from shoal.attacks.tracks import metres_per_degree
    from shoal.data import Points

    rng = np.random.default_rng(seed)
    radius, angle = rng.gamma(2, 200 / np.log(4), fixes.points), rng.uniform(0, 2 * np.pi, fixes.points)
    east, north = metres_per_degree(fixes.lat)
    lat, lng = fixes.lat + radius * np.sin(angle) / north, fixes.lng + radius * np.cos(angle) / east
    return replace(Points.of_people(fixes), lat=lat, lng=lng)


def plain_stops(points):
    rows = slice(0, points.t_us.size // SHARE)
    lat, lng = points.lat[rows], points.lng[rows]
    near = 0
    for back in range(1, STEPS_BACK + 1):
        away = np.hypot((lat[back:] - lat[:-back]) * 111_000, (lng[back:] - lng[:-back]) * 88_000)
        near += int((away <= 200).sum())
    return near


def plain_ways(raw, published):
    from scipy.spatial import cKDTree

    scale = np.array([111_000, 88_000])
    rows = slice(0, raw.t_us.size // SHARE)
    tree = cKDTree(np.stack((raw.lat[rows], raw.lng[rows]), axis=1) * scale)
    return tree.query(np.stack((published.lat[rows], published.lng[rows]), axis=1) * scale)[0].mean()


def plain_ranges(points, owner, queries):
    counts = []
    for (since, until), (lat, lng, half_lat, half_lng) in zip(*(q[: len(q) // SHARE] for q in queries), strict=True):
        inside = (points.t_us >= since) & (points.t_us <= until)
        inside &= (np.abs(points.lat - lat) <= half_lat) & (np.abs(points.lng - lng) <= half_lng)
        counts.append(np.unique(owner[inside]).size)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="Cabspotting, prepared as in the paper: 9 million records")
    full = parser.parse_args().full and CABSPOTTING.exists()

    from shoal import synth
    from shoal.attacks.poi import poi_retrieval
    from shoal.attacks.tracks import traces_of
    from shoal.data import read_fixes
    from shoal.reproduce.promesse.prepared import prepared
    from shoal.usefulness.lines import Lines
    from shoal.usefulness.ranges import count, draw
    from shoal.workers import workers

    source = str(CABSPOTTING) if full else synth.gps(30, 5, seed=1).points
    fixes = read_fixes(source)
    if full:
        fixes = prepared(fixes).traces
    raw, published = traces_of(fixes), moved(fixes)
    queries = draw(fixes, np.random.default_rng(0))
    few = fixes.select(np.arange(min(2, len(fixes))))
    with workers() as crew:

        def stops(traces, others):
            return poi_retrieval(traces, others, crew)

        def ways(traces, others):
            return Lines.through(traces, crew).distances(others, crew).mean()

        def ranges(before, after):
            return count(before, queries, crew), count(after, queries, crew)

        for work in (stops, ways):  # compiled, or loaded
            work(traces_of(few), moved(few))
        ranges(few, moved(few))
        ours = [timed(stops, raw, published), timed(ways, raw, published), timed(ranges, fixes, published)]
    plain = [
        timed(plain_stops, raw)[1] * SHARE * 2,
        timed(plain_ways, raw, published)[1] * SHARE,
        timed(plain_ranges, published, np.repeat(np.arange(len(fixes)), fixes.lengths), queries)[1] * SHARE * 2,
    ]
    print(f"{fixes.points:,} records, {len(fixes):,} traces, as many published")
    print(f"{'':8}{'CPU s':>8}{'wall s':>8}{'plain, CPU s':>14}{'ratio':>8}")
    for name, (_, cpu, wall), baseline in zip(("stops", "ways", "ranges"), ours, plain, strict=True):
        print(f"{name:8}{cpu:8.1f}{wall:8.1f}{baseline:14.1f}{cpu / baseline:8.2f}")
        to = "the CPU seconds of the plain way: less is better"
        note(f"{name} of {fixes.points:,} GPS records", ratio=cpu / baseline, to=to, cpu_s=cpu)
    whole = sum(one[1] for one in ours)
    print(f"the whole set: {whole:.1f} CPU s, {whole / 2:.1f} s on 2 cores (aim for 9 million records: {AIM_S} s)")


if __name__ == "__main__":
    main()
