"""The field's measures beside scikit-mobility's and dp_mobility_report's, on the same rows in one run.

    python benchmarks/measures.py [--people 60] [--full]

Each of the two runs in an environment of its own (``.venv-skmob``, ``.venv-dpmr``), which is made on first use from the
constraints in ``peers/``. Where one cannot be had, that is said, and our figures stand alone.

Releases of synthetic people (points, and boxes that lie in one tile each), and of Gowalla's where they are in
``../shared/data``. Ours are the figures of ``shoal utility``. Theirs are put into our unit: divergences squared and in
bits, entropies not normalised. The difference is the largest of all people, jumps, tiles or ways, where there are many.
What may differ, by how much and why, stands in the table and in ``docs/explanation/measures.md``; more than that is
an error. Beside lengths on the map stands also the true length, on the ellipsoid.
"""

import argparse
import itertools
import math
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from peers.environment import DPMR, HERE, SKMOB, Peer, asked, python_of

GOWALLA = Path(__file__).resolve().parents[2] / "shared" / "data" / "gowalla_nyc.parquet"
EXACT = 1e-9
SPHERE = 0.006
"""How far lengths on a sphere of 6,371 km are from true ones, at worst: along a meridian at the equator."""
METRE = math.sqrt(2)
"""Places are whole metres of the map: a length is off by a diagonal at most."""
BIN_M = 62.5


class Line(NamedTuple):
    """A measure of both sides, and how far they may be apart; None where they measure something else."""

    measure: str
    ours: float
    theirs: float
    difference: float
    bound: float | None
    why: str


def case_of(data: Any, mechanism: Any, folder: Path) -> tuple[dict, dict[str, dict], dict[str, dict]]:
    """Protect; return our figures, the rows of either side as anybody can see them, and what we make of those rows."""
    from shoal.usefulness import distances, flows, hours
    from shoal.usefulness.measures import figures_of
    from shoal.usefulness.run import beside

    mechanism.protect(data, seed=1).write(folder / "release", record=False)
    kind, compared = beside(folder / "release", original=data)
    offset_s = round(compared.meridian / 15) * 3600
    rows, values = {}, {}
    for name, seen in (("raw", compared.raw_view), ("published", compared.published_view)):
        view = seen.at(slice(None))._replace(offsets=seen.offsets)
        x, y = view.middles()
        column, row = compared.tiles.lattice(x, y)
        points = getattr(compared, {"raw": "original", "published": "published"}[name], None)
        lat, lng = (points.lat, points.lng) if points is not None else compared.traces.crs.inverse(x, y)
        # A row that has an extent lies in one hour and one tile: the middle tells which.
        clock_s = (view.t0 + np.maximum(view.t1, view.t0)) // 2 + offset_s
        rows[name] = {"uid": view.owner, "clock_s": clock_s, "lat": lat, "lng": lng, "column": column, "row": row}
        ways = flows.moves_between(compared.tiles, view)
        values[name] = {
            "jumps_m": distances.jumps(view),
            "gyration_m": distances.gyration(view),
            "spread_m2": _own_width(view),
            "entropy": distances.entropy_of_places(view.owner, (column, row), view.offsets.size - 1),
            "visits": np.sort(compared.tiles.expected(view).on_tiles),
            "flows": np.sort(ways.moves),
            "hours": hours.profile(view, offset_s).expected,
        }
    return figures_of(kind, compared), rows, values


def _own_width(view):
    """What the width of boxes adds to the square of each uid's radius of gyration."""
    if not view.has_extent:
        return np.zeros(int((np.diff(view.offsets) > 0).sum()))
    square = ((view.x1 - view.x0).astype(float) ** 2 + (view.y1 - view.y0).astype(float) ** 2) / 12
    count = np.bincount(view.owner)
    return (np.bincount(view.owner, square) / np.maximum(count, 1))[count > 0]


def answers_of(python: Path, peer: Peer, rows: dict[str, dict], folder: Path) -> dict[str, np.ndarray]:
    given, found = folder / "rows.npz", folder / f"{peer.short}.npz"
    np.savez(given, **{f"{side}.{name}": values for side, columns in rows.items() for name, values in columns.items()})
    asked(python, peer, HERE / f"{peer.short}_measures.py", str(given), str(found))
    return dict(np.load(found))


def off(ours: np.ndarray, theirs: np.ndarray, rounded: float = 0.0) -> float:
    """The largest difference relative to theirs, beyond what rounding explains."""
    beyond = np.maximum(np.abs(ours - theirs) - rounded, 0)
    return float((beyond / np.maximum(theirs, 1)).max(initial=0.0))


def beside_true(rows: dict, values: dict, side: str) -> list[Line]:
    """Jumps on the map beside true ones, on the ellipsoid."""
    from pyproj import Geod

    uid, lat, lng = (rows[side][name] for name in ("uid", "lat", "lng"))
    before = np.flatnonzero(uid[1:] == uid[:-1])
    true = Geod(ellps="WGS84").inv(lng[before], lat[before], lng[before + 1], lat[before + 1])[2]
    mine = values[side]["jumps_m"]
    why = "off the middle of the map; to the metre"
    return [Line(f"jump length, {side}", mine.mean(), true.mean(), off(mine, true, METRE), SPHERE / 2, why)]


def beside_skmob(theirs: dict, values: dict, side: str) -> list[Line]:
    mine, its = values[side], {name.partition(".")[2]: found for name, found in theirs.items() if name.startswith(side)}
    sphere = "sphere; to the metre"
    radius = np.sqrt(np.maximum(mine["gyration_m"] ** 2 - mine["spread_m2"], 0))
    lines = [
        _line(f"jump length, {side}", mine["jumps_m"], its["jumps_m"], SPHERE, sphere, rounded=METRE),
        _line(f"radius of gyration, {side}", radius, its["gyration_m"], SPHERE, sphere, rounded=METRE),
        _line(f"place entropy, {side}", mine["entropy"], its["entropy"], EXACT, "places are tiles"),
        _line(f"hours, {side}", mine["hours"], its["hours"].astype(float), EXACT, "on our clock"),
    ]
    if side == "raw":
        visits, flows = np.sort(its["visits"][:, 2]), np.sort(its["flows"][:, 4])
        lines += [
            _line("visits per tile, raw", mine["visits"], visits.astype(float), EXACT, ""),
            _line("flows, raw", mine["flows"], flows.astype(float), EXACT, "self_loops=False"),
        ]
    return lines


def _line(name, mine, its, bound, why, rounded=0.0) -> Line:
    if mine.size != its.size:
        raise SystemExit(f"{name}: {mine.size} values, {its.size} of theirs")
    return Line(name, float(mine.mean()), float(its.mean()), off(mine, its, rounded), bound, why)


def bits(distance: float) -> float:
    """From the square root of a divergence in nats to the divergence in bits."""
    return float(distance) ** 2 / math.log(2)


def beside_dpmr(theirs: dict, rows: dict, figures: dict, values: dict) -> list[Line]:
    def plain(name: str, mine: float, its: float, bound: float | None, why: str) -> Line:
        return Line(name, mine, float(its), abs(mine - float(its)), bound, why)

    def tiles_of(side: str) -> set:
        return set(zip(rows[side]["column"].tolist(), rows[side]["row"].tolist(), strict=True))

    def ways_of(side: str) -> set:
        uid, column, row = (rows[side][name].tolist() for name in ("uid", "column", "row"))
        places = list(zip(uid, column, row, strict=True))
        return {(a[1:], b[1:]) for a, b in itertools.pairwise(places) if a[0] == b[0] and a[1:] != b[1:]}

    lines = []
    for name, known, published in (
        ("visits", tiles_of("raw"), tiles_of("published")),
        ("flows", ways_of("raw"), ways_of("published")),
    ):
        mine = figures["visits_per_tile" if name == "visits" else name]
        new = len(published - known)
        # Things that only the release has are as wrong as can be: 2 each.
        over_all = (mine["smape"] * len(known) + 2 * new) / (len(known) + new)
        lines += [
            plain(
                f"{name}: Jensen–Shannon", mine["jensen_shannon"], bits(theirs[f"{name}.jsd"]), 1e-6, "bits, squared"
            ),
            plain(f"{name}: SMAPE", over_all, theirs[f"{name}.smape"], 1e-6, f"+ 2 for each of {new} new"),
            plain(f"{name}: SMAPE as printed", mine["smape"], theirs[f"{name}.smape"], None, "of raw ones alone"),
            plain(f"{name}: top 10", mine["top_10"], theirs[f"{name}.top_10"], None, "ties"),
            plain(f"{name}: top 100", mine["top_100"], theirs[f"{name}.top_100"], None, "ties"),
            plain(f"{name}: Kendall", mine["kendall_tau"], theirs[f"{name}.kendall"], None, "theirs: of names"),
        ]
    hours = figures["time_of_day"]["jensen_shannon"]
    moved = figures["jump_length"]["earth_mover_m"]
    lines += [
        plain("hours: Jensen–Shannon", hours, bits(theirs["hours.jsd"]), 1e-6, "days alike; on our clock"),
        Line(
            *("jump length: earth mover, m", moved, float(theirs["jumps.emd_m"])),
            *(abs(moved - float(theirs["jumps.emd_m"])), SPHERE * moved + BIN_M + METRE, "theirs: bins of 62 m"),
        ),
    ]
    for side in ("raw", "published"):
        mine = values[side]
        radius = np.sqrt(np.maximum(mine["gyration_m"] ** 2 - mine["spread_m2"], 0))
        quartiles = np.percentile(mine["jumps_m"], (25, 50, 75))
        lines += [
            _line(f"radius of gyration, {side}", radius, theirs[f"{side}.gyration_m"], SPHERE, "sphere", rounded=METRE),
            _line(f"place entropy, {side}", mine["entropy"], theirs[f"{side}.entropy"], EXACT, "not normalised"),
            _line(f"jump quartiles, {side}", quartiles, theirs[f"{side}.jump_quartiles_m"], SPHERE, "sphere", METRE),
        ]
    return lines


def show(peer: str, lines: list[Line]) -> bool:
    """Print a table; tell whether everything is within its bound."""
    print(f"\n  {peer}\n  {'':32} {'ours':>12} {'theirs':>12} {'off by':>9}  {'at most':>9}")
    fine = True
    for line in lines:
        within = line.bound is None or line.difference <= line.bound
        fine &= within
        bound = "another" if line.bound is None else f"{line.bound:.1g}"
        told = f"  {line.measure:32} {line.ours:12.6g} {line.theirs:12.6g} {line.difference:9.2g}  {bound:>9}"
        print(told + ("" if within else " !") + (f"  {line.why}" if line.why else ""))
    return fine


def cases(people: int, *, full: bool) -> list[tuple[str, Any, Any]]:
    import polars as pl

    import shoal
    from shoal import synth

    drives = pl.DataFrame(synth.gps(people, 2, seed=1).points).gather_every(20)
    found = [
        ("synthetic GPS, points moved", drives, shoal.GeoInd(epsilon=0.01)),
        (
            "synthetic calls, boxes",
            synth.cdr(people, 7, preset="abidjan", seed=1),
            shoal.Uniform(cell_m=500, minutes=60),
        ),
    ]
    if not GOWALLA.exists():
        print(f"no {GOWALLA.name} in ../shared/data: only synthetic people")
        return found
    events = pl.read_parquet(GOWALLA)
    some = events["uid"].unique().sort().sample(people * (5 if full else 1), seed=1)
    events = events.filter(pl.col("uid").is_in(some.implode()))
    return [
        *found,
        ("Gowalla, points moved", events, shoal.GeoInd(epsilon=0.01)),
        ("Gowalla, boxes", events, shoal.Uniform(cell_m=1000, minutes=60)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--full", action="store_true", help="five times the people of Gowalla")
    args = parser.parse_args()
    pythons = [(peer, python_of(peer)) for peer in (SKMOB, DPMR)]
    fine = True
    for name, data, mechanism in cases(args.people, full=args.full):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            figures, rows, values = case_of(data, mechanism, folder)
            raw, published = (rows[side]["uid"].size for side in ("raw", "published"))
            tiles = figures["visits_per_tile"]
            print(f"\n{name}: {raw:,} rows, {published:,} published, {tiles['tiles']:,} tiles of {tiles['tile_m']} m")
            both = ("raw", "published")
            lines = [line for side in both for line in beside_true(rows, values, side)]
            fine &= show("true lengths (WGS84)", lines)
            for peer, python in pythons:
                if python is None:
                    continue
                theirs = answers_of(python, peer, rows, folder)
                if peer is SKMOB:
                    lines = [line for side in both for line in beside_skmob(theirs, values, side)]
                else:
                    lines = beside_dpmr(theirs, rows, figures, values)
                fine &= show(f"{peer.name} {peer.version}", lines)
    if not fine:
        raise SystemExit("more than that is off: see the lines with !")


if __name__ == "__main__":
    main()
