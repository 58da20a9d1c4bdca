"""PRIMULE and Laplace noise from a table of profiles to a release: seconds, memory, and the ratio to the plain way.

    python benchmarks/primule.py              20,000 profiles of one city, k = 20; 20,000 profiles with noise
    python benchmarks/primule.py --full       350,000 profiles, k = 100; 500,000 profiles with noise: minutes

Synthetic people, 4 weeks of 24 cells, few and uneven calls. Each side runs in a process of its own, kernels compiled
before. Brute force is the nearest of every unsafe group in the *first* round only, by BLAS in float32 in all threads,
timed on a sample of queries and extrapolated to all of them; PRIMULE's figure is for all rounds, reading and
writing included. The plain way to draw noise is numpy's Laplace, which is not exact. The aims, on two cores: 150 s for
350,000 profiles with k = 100, 90 s for 500,000 profiles with noise.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from figures.noted import note
from shoal.contract.kinds import cell_names

WEEKS, SAMPLE = 4, 2_000


def city(n: int, seed: int = 1) -> pl.DataFrame:
    """Profiles of one municipality: residents, some of them away by day, commuters, visitors of one week."""
    rng = np.random.default_rng(seed)
    habits = np.array(
        [
            [0.25, 0.5, 0.55, 0.25, 0.5, 0.5],
            [0.25, 0.1, 0.55, 0.25, 0.5, 0.5],
            [0.02, 0.6, 0.05, 0, 0.02, 0.02],
            [0.2, 0.5, 0.5, 0.3, 0.5, 0.5],
        ]
    )
    kind, week = rng.choice(4, n, p=[0.55, 0.15, 0.1, 0.2]), rng.integers(0, WEEKS, n)
    calls, days = rng.gamma(0.6, 0.5, (n, 1)), np.array([5, 5, 5, 2, 2, 2])
    parts = []
    for number in range(WEEKS):
        chance = np.minimum(habits[kind] * calls, 0.97)
        chance[(kind == 3) & (week != number)] = 0
        parts.append(rng.binomial(days, chance) / days)
    values = np.hstack(parts)
    silent = np.flatnonzero(~values.any(axis=1))
    values[silent, 6 * rng.integers(0, WEEKS, silent.size) + rng.integers(3, 6, silent.size)] = 0.5
    cells = dict(zip(cell_names(WEEKS), values.T, strict=True))
    return pl.DataFrame({"uid": [f"p{i:07}" for i in range(n)], "municipality": ["city"] * n, **cells})


def _protect(path: str, folder: str, name: str, **parameters: Any) -> dict[str, Any]:
    import shoal

    release = shoal.protect(path, getattr(shoal, name)(**parameters), f"{folder}/release", not_for_release=True).release
    return {"rows": release.data.num_rows, **{key: release.secret.run.get(key) for key in ("groups", "rounds")}}


def primule(path: str, folder: str, k: float) -> dict[str, Any]:
    return _protect(path, folder, "Primule", k=int(k))


def laplace(path: str, folder: str, epsilon: float) -> dict[str, Any]:
    return _protect(path, folder, "LaplaceProfiles", epsilon=epsilon)


def brute(path: str, folder: str, k: float) -> dict[str, Any]:  # noqa: ARG001
    """The first round's nearest groups of a sample of unsafe ones, by matrix products."""
    cells = pl.read_parquet(path, columns=list(cell_names(WEEKS)))
    groups = cells.group_by(pl.all()).len()
    points = groups.drop("len").to_numpy().astype(np.float32)
    unsafe = np.flatnonzero(groups["len"].to_numpy() < k)
    sample = np.random.default_rng(1).permutation(unsafe)[:SAMPLE]
    began, cpu = time.perf_counter(), time.process_time()
    norms = np.square(points).sum(axis=1)
    for start in range(0, sample.size, 256):
        mine = sample[start : start + 256]
        far = norms - 2 * (points[mine] @ points.T)
        far[np.arange(mine.size), mine] = np.inf
        far.argmin(axis=1)
    share = unsafe.size / sample.size
    spent = {"wall": (time.perf_counter() - began) * share, "cpu": (time.process_time() - cpu) * share}
    return {**spent, "groups": points.shape[0], "unsafe": int(unsafe.size), "sample": int(sample.size)}


def numpys(path: str, folder: str, epsilon: float) -> dict[str, Any]:
    frame = pl.read_parquet(path)
    rng = np.random.default_rng()
    noisy = frame.with_columns(
        pl.Series(name, np.clip(frame[name].to_numpy() + rng.laplace(0, 1 / epsilon, frame.height), 0, 1))
        for name in cell_names(WEEKS)
    )
    noisy.write_parquet(f"{folder}/noisy.parquet", compression="zstd")
    return {"rows": frame.height}


SIDES = {side.__name__: side for side in (primule, laplace, brute, numpys)}


def run(side: str, path: Path, parameter: float) -> dict[str, Any]:
    """Run a side in a process of its own."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        command = [sys.executable, __file__, "--side", side, str(path), folder, str(parameter)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def here(side: str, path: str, folder: str, parameter: float) -> None:
    began = time.perf_counter()
    found = SIDES[side](path, folder, parameter)
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = sum(used.ru_utime + used.ru_stime for used in (own, children))
    peak = max(own.ru_maxrss, children.ru_maxrss) / 2**20
    print(json.dumps({"wall": time.perf_counter() - began, "cpu": cpu, "peak": peak, **found}))


def line(name: str, found: dict[str, Any]) -> None:
    print(f"  {name:<28} {found['wall']:>9.1f} {found['cpu']:>9.1f} {found['peak']:>9.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="350,000 and 500,000 profiles: minutes")
    parser.add_argument("--only", choices=["primule", "laplace"])
    parser.add_argument("--side", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        side, path, folder, parameter = args.side
        here(side, path, folder, float(parameter))
        return
    grouped, k, noised = (350_000, 100, 500_000) if args.full else (20_000, 20, 20_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profiles.parquet"
        head = f"  {'':<28} {'wall s':>9} {'CPU s':>9} {'peak GB':>9}"
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        if args.only != "laplace":
            city(2_000).write_parquet(path)
            run("primule", path, 20)  # compile
            city(grouped).write_parquet(path)
            ours, plain = run("primule", path, k), run("brute", path, k)
            print(
                f"\n{grouped:,} profiles of one city, k = {k}: {plain['groups']:,} groups at first, {ours['groups']:,}"
            )
            print(f"at last, {ours['rounds']} rounds\n{head}")
            line("primule, all rounds", ours)
            line("brute force, first round *", plain)
            print(f"  * extrapolated from {plain['sample']:,} of {plain['unsafe']:,} queries")
            faster = plain["cpu"] / ours["cpu"]
            print(f"  brute force of one round / all of primule: {faster:.1f} of the CPU seconds")
            work, to = f"primule, {grouped:,} profiles, k = {k}", "faster than brute force of the first round"
            note(work, ratio=faster, to=to, cpu_s=ours["cpu"], gb=ours["peak"])
        if args.only != "primule":
            city(noised).write_parquet(path)
            ours, plain = run("laplace", path, 1.0), run("numpys", path, 1.0)
            print(f"\n{noised:,} profiles with noise, epsilon = 1\n{head}")
            line("laplace, exact", ours)
            line("numpy's, not exact", plain)
            values = noised * len(cell_names(WEEKS))
            slower, to = ours["cpu"] / plain["cpu"], "the CPU seconds of numpy's inexact noise: less is better"
            print(f"  laplace / numpy's: {slower:.0f}; {values / ours['cpu']:,.0f} values per CPU s")
            note(f"laplace, {noised:,} profiles", ratio=slower, to=to, cpu_s=ours["cpu"], gb=ours["peak"])


if __name__ == "__main__":
    main()
