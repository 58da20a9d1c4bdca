"""What dp_mobility_report makes of the rows of ``measures.py``, without noise; runs in its environment.

    python dpmr_measures.py ROWS.npz ANSWERS.npz

It knows trips, of which it keeps both ends. So its report is made three times: of records, each a trip of its own
(visits, hours, people); of moves, from one record to the next (lengths); and of moves that leave their tile (flows).
"""

import sys

import numpy as np
import pandas as pd

MONDAY = pd.Timestamp("2020-01-06")
LONGEST_KM, BIN_KM = 100, 1 / 16
"""Distances are binned: finely here, so that the means of bins are near the values themselves; and by powers
of two, because it looks for the bins of one side among those of the other."""


def frame_of(rows: dict, chosen, trip) -> pd.DataFrame:
    """Some rows as records of trips, all on a Monday: it has weekdays and weekends apart, which ours have not."""
    clock = MONDAY + pd.to_timedelta(rows["clock_s"][chosen] % 86_400, "s")
    return pd.DataFrame(
        {
            "uid": rows["uid"][chosen].astype(str),
            "tid": trip,
            "datetime": clock,
            "lat": rows["lat"][chosen],
            "lng": rows["lng"][chosen],
            "tile_id": [f"{i},{j}" for i, j in zip(rows["column"][chosen], rows["row"][chosen], strict=True)],
        }
    )


def records(rows: dict) -> pd.DataFrame:
    every = np.arange(rows["uid"].size)
    return frame_of(rows, every, every)


def moves(rows: dict, leaving: bool) -> pd.DataFrame:
    before = np.flatnonzero(rows["uid"][1:] == rows["uid"][:-1])
    if leaving:
        before = before[
            (rows["column"][before] != rows["column"][before + 1]) | (rows["row"][before] != rows["row"][before + 1])
        ]
    both = np.stack((before, before + 1), axis=1).ravel()
    frame = frame_of(rows, both, np.repeat(np.arange(before.size), 2))
    # The order of both ends is what matters, not when they were.
    frame["datetime"] = MONDAY + pd.to_timedelta(np.arange(both.size), "s")
    return frame


def tessellation_of(sides: list[dict]):
    import geopandas as gpd
    from shapely.geometry import box

    tiles = np.unique(np.concatenate([np.stack((s["column"], s["row"]), axis=1) for s in sides]), axis=0)
    squares = [box(i, j, i + 1, j + 1) for i, j in tiles * 1e-4]
    return gpd.GeoDataFrame({"tile_id": [f"{i},{j}" for i, j in tiles], "geometry": squares}, crs="EPSG:4326")


def main(given: str, answers: str) -> None:
    from dp_mobility_report import BenchmarkReport
    from dp_mobility_report.model import user_analysis

    # Its own way of using several processors costs more than these data do.
    pd.DataFrame.parallel_apply = pd.DataFrame.apply
    loaded = np.load(given)
    sides = [
        {name.partition(".")[2]: loaded[name] for name in loaded.files if name.startswith(side)}
        for side in ("raw", "published")
    ]

    def report(frames, tiles, analyses, **more):
        return BenchmarkReport(
            df_base=frames[0],
            df_alternative=frames[1],
            tessellation=tiles,
            analysis_selection=analyses,
            user_privacy_base=False,
            user_privacy_alternative=False,
            disable_progress_bar=True,
            **more,
        )

    tiles = tessellation_of(sides)
    people = ["visits_per_tile", "trips_per_hour", "radius_of_gyration", "mobility_entropy"]
    # Tiles are cut *after* the n-th row, counted from 0: one more than it says.
    seen = report([records(side) for side in sides], tiles, people, top_n_ranking=[9, 99])
    went = report([moves(side, True) for side in sides], tiles, ["od_flows"], top_n_ranking=[10, 100])
    lengths = {"max_jump_length": LONGEST_KM, "bin_range_jump_length": BIN_KM}
    jumped = report([moves(side, False) for side in sides], None, ["jump_length"], **lengths)
    found = {
        "tiles": len(tiles),
        "visits.jsd": seen.jsd["visits_per_tile"],
        "visits.smape": seen.smape["visits_per_tile"],
        "visits.top_10": seen.top_n_cov["visits_per_tile_ranking"][0],
        "visits.top_100": seen.top_n_cov["visits_per_tile_ranking"][1],
        "visits.kendall": seen.kt["visits_per_tile_ranking"][1],
        "flows.jsd": went.jsd["od_flows"],
        "flows.smape": went.smape["od_flows"],
        "flows.top_10": went.top_n_cov["od_flows_ranking"][0],
        "flows.top_100": went.top_n_cov["od_flows_ranking"][1],
        "flows.kendall": went.kt["od_flows_ranking"][1],
        "hours.jsd": seen.jsd["trips_per_hour"],
        "jumps.emd_m": 1000 * jumped.emd["jump_length"],
    }
    for name, seen_of, jumped_of in (
        ("raw", seen.report_base, jumped.report_base),
        ("published", seen.report_alternative, jumped.report_alternative),
    ):
        frame = seen_of.df.assign(uid=seen_of.df["uid"].astype(int))
        distinct = frame.groupby("uid")["tile_id"].nunique().to_numpy()
        found[f"{name}.gyration_m"] = 1000 * user_analysis._radius_of_gyration(frame).sort_index().to_numpy()
        # Divided by that of a person who is everywhere alike; ours is not.
        found[f"{name}.entropy"] = user_analysis._mobility_entropy(frame) * np.log2(distinct)
        quartiles = jumped_of.report["jump_length"].quartiles
        found[f"{name}.jump_quartiles_m"] = 1000 * quartiles[["25%", "50%", "75%"]].to_numpy(float)
    np.savez(answers, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
