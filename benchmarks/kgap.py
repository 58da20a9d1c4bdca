"""How fast the k-gap is, against our own brute force in the same run.

    python benchmarks/kgap.py                  1,000, 5,000 and 20,000 people of the civ preset, and variants
    python benchmarks/kgap.py --full           also 82,728, the size of the paper's data set

The baseline compares every sample of the longer person with every sample of the shorter, with SIMD and no bound,
on one core. Where all pairs would take too long it is timed on a sample of them, and the table says so (~). Ratios
are of CPU seconds: wall times depend on what else the machine does. Memory is the highest of each row's own process
while it searches, the data included. Shares are of all pairs that there are to look at: from the shorter to the longer,
and both ways where they are equally long; the exact sums of first guesses are given beside them.
"""

import argparse
import multiprocessing
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyproj

from figures.memory import highest_gb
from figures.noted import note
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of
from shoal.kernels.kgap.cascade import PAIR_TALLY
from shoal.kernels.kgap.neighbours import neighbours
from shoal.kernels.kgap.pairs import stretch_pairs
from shoal.synth import cdr
from shoal.workers import workers

CAPS = {"space_cap": 200, "time_cap": 480}
"""20 km and 8 h in cells of 100 m and 1 min."""
CIV_USERS = 82_728
BASELINE_PAIRS = 200_000


def grid(table, cell_m=100, dt_s=60):
    """People as flat arrays: projected, snapped, without duplicates."""
    lat, lng = table["lat"].to_numpy(), table["lng"].to_numpy()
    centre = {"lat_0": round(float(np.median(lat))), "lon_0": round(float(np.median(lng)))}
    east, north = pyproj.Proj(proj="laea", datum="WGS84", **centre)(lng, lat)
    t = table["datetime"].cast(pa.timestamp("s", "UTC")).cast("int64").to_numpy() // dt_s
    _, person = np.unique(table["uid"].to_numpy(zero_copy_only=False).astype(str), return_inverse=True)
    x, y = np.floor(east / cell_m).astype(np.int64), np.floor(north / cell_m).astype(np.int64)
    return flat(person, t, x, y)


def flat(person, t, x, y):
    """Columns as offsets and arrays."""
    order = np.lexsort((y, x, t, person))
    columns = np.stack([v[order] for v in (person, t, x, y)])
    new = np.concatenate(([True], (columns[:, 1:] != columns[:, :-1]).any(axis=0)))
    person, t, x, y = columns[:, new]
    offsets = np.concatenate(([0], np.cumsum(np.bincount(person))))
    return offsets, t.astype(np.int32), x.astype(np.int32), y.astype(np.int32)


def spread_places(people, seed):
    """The same people, each at 30 to 100 places: samples move to antennas near their own."""
    offsets, t, x, y = people
    rng = np.random.default_rng(seed)
    places, at = np.unique(np.stack((x, y)), axis=1, return_inverse=True)
    order = np.argsort(np.abs(places[:, :, None] - places[:, None]).sum(axis=0), axis=1)
    person = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    own = rng.integers(30, 101, offsets.size - 1)[person]
    moved = order[at, np.minimum((rng.pareto(0.6, t.size) * own / 20).astype(int), own)]
    return flat(person, t, *places[:, moved])


def baseline(people, seed):
    """CPU seconds that brute force takes for all pairs, pairs per second, and whether that was measured on a sample."""
    scale = scale_of(**CAPS)
    arrays, n = pack(*people, scale), people[0].size - 1
    sampled = n * (n - 1) // 2 > BASELINE_PAIRS
    if sampled:
        first, second = np.random.default_rng(seed).integers(0, n, (2, BASELINE_PAIRS))
    else:
        first, second = np.triu_indices(n, 1)
    stretch_pairs(arrays, scale, first[:1], second[:1])
    start = time.process_time()
    stretch_pairs(arrays, scale, first, second)
    rate = first.size / (time.process_time() - start)
    return n * (n - 1) / 2 / rate, rate, sampled


def looks(people):
    """Pairs that there are to look at."""
    sizes = np.sort(np.diff(people[0]))
    return int((sizes.size - 1 - np.searchsorted(sizes, sizes)).sum())


def measure(name, users, k, options):
    """One row of the table."""
    people = DATA[name](users, options)
    n, places = people[0].size - 1, places_each(people)
    brute, rate, sampled = baseline(people, options.seed)
    highest_gb()
    cpu, wall = time.process_time(), time.perf_counter()
    with workers(options.threads) as crew:
        near = neighbours(*people, k=k, workers=crew, **CAPS)
    cpu, wall, memory = time.process_time() - cpu, time.perf_counter() - wall, highest_gb()
    gap, pairs = (near.total / near.samples).mean(axis=1) / near.unit, looks(people)
    print(
        f"{name:>14} {n:>7,} {people[0][-1] / n:>8.1f} {places:>7.1f} {k:>4} {cpu:>8.2f} {wall:>8.2f} {memory:>7.2f}"
        f" {rate / 1000:>8.0f} {'~' if sampled else ' '}{brute / cpu:>7.1f} {np.median(gap):>8.4f}  "
        + " ".join(f"{level} {100 * near.tally[level] / pairs:.3f} %" for level in PAIR_TALLY),
        flush=True,
    )
    to = "faster than SIMD brute force on raw samples"
    note(f"k-gap of {n:,} people ({name}), k = {k}", ratio=brute / cpu, to=to, cpu_s=cpu, gb=memory)


def civ(users, options):
    return grid(cdr(users, 14, preset="civ", seed=options.seed))


def many_places(users, options):
    return spread_places(civ(users, options), options.seed)


def gowalla(_, options):
    return grid(pq.read_table(options.gowalla))


DATA = {"civ": civ, "30-100 places": many_places, "gowalla": gowalla}


def places_each(people):
    """Mean number of distinct places per person."""
    offsets, _, x, y = people
    person = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    return np.unique(np.stack((person, x, y)), axis=1).shape[1] / (offsets.size - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 5_000, 20_000], help="people of the civ preset")
    parser.add_argument("--full", action="store_true", help=f"also {CIV_USERS:,} people")
    parser.add_argument("--k", type=int, nargs="*", default=[2], help="one run for each")
    parser.add_argument("--threads", type=int, help="default: all processors")
    parser.add_argument("--seed", type=int, default=1)
    shared = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "gowalla_nyc.parquet"
    parser.add_argument("--gowalla", type=Path, default=shared, help="check-ins: uid, datetime, lat, lng")
    options = parser.parse_args()

    start = time.process_time()
    for apart in (1, 100_000):  # near enough for 16 bits, and not
        warm = flat(np.array([0, 1, 1, 2]), *np.zeros((2, 4), int), apart * np.arange(4))
        with workers() as crew:
            neighbours(*warm, k=2, workers=crew, **CAPS)
    print(f"kernels ready after {time.process_time() - start:.1f} CPU s")
    print(
        f"{'data':>14} {'people':>7} {'samples':>8} {'places':>7} {'k':>4} {'CPU s':>8} {'wall s':>8} {'GB':>7}"
        f" {'brute k/s':>8} {'ratio':>7} {'median':>8}  share of pairs that came to each bound"
    )
    rows = [("civ", users) for users in [*options.sizes, *([CIV_USERS] if options.full else [])]]
    rows += [("30-100 places", 5_000), ("gowalla", 0)]
    for k in options.k:
        for name, users in rows:
            if name == "gowalla" and not options.gowalla.exists():
                print(f"gowalla skipped: no {options.gowalla.name}")
                continue
            with multiprocessing.get_context("spawn").Pool(1) as alone:
                alone.apply(measure, (name, users, k, options))


if __name__ == "__main__":
    main()
