"""What scikit-mobility makes of the rows of ``measures.py``; runs in its environment.

python skmob_measures.py ROWS.npz ANSWERS.npz
"""

import sys

import numpy as np
import pandas as pd

ROWS, TILE_DEGREES = ("raw", "published"), 0.001
"""Tiles are laid out as squares of so many degrees: scikit-mobility counts on a plane, and so the tiles are ours."""


def in_order(rows: dict, lat, lng):
    """Rows as a trajectory; times only tell the order, which rows of the same second would leave open."""
    from skmob import TrajDataFrame

    moments = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(rows["uid"].size), "s")
    frame = pd.DataFrame({"uid": rows["uid"], "datetime": moments, "lat": lat, "lng": lng})
    return TrajDataFrame(frame, latitude="lat", longitude="lng", datetime="datetime", user_id="uid")


def tessellation_of(column, row):
    import geopandas as gpd
    from shapely.geometry import box

    tiles = np.unique(np.stack((column, row), axis=1), axis=0)
    squares = [
        box(i * TILE_DEGREES, j * TILE_DEGREES, (i + 1) * TILE_DEGREES, (j + 1) * TILE_DEGREES) for i, j in tiles
    ]
    names = [f"{i},{j}" for i, j in tiles]
    return gpd.GeoDataFrame({"tile_ID": names, "geometry": squares}, crs="EPSG:4326")


def measured(rows: dict) -> dict:
    from skmob.measures import collective, individual

    quiet = {"show_progress": False}
    on_earth = in_order(rows, rows["lat"], rows["lng"])
    middles = [(rows[name] + 0.5) * TILE_DEGREES for name in ("row", "column")]
    on_tiles = in_order(rows, *middles)
    jumps = individual.jump_lengths(on_earth, **quiet).sort_values("uid")["jump_lengths"]
    visits = collective.visits_per_location(on_tiles)
    flows = on_tiles.to_flowdataframe(tessellation_of(rows["column"], rows["row"]), self_loops=False)
    ends = [np.array([name.split(",") for name in flows[end]], int).reshape(-1, 2) for end in ("origin", "destination")]
    clock = on_earth.copy()
    clock["datetime"] = pd.to_datetime(rows["clock_s"], unit="s")
    hours = collective.visits_per_time_unit(clock, time_unit="1h")
    return {
        "jumps_m": 1000 * np.concatenate([np.asarray(one, float) for one in jumps]),
        "gyration_m": 1000 * individual.radius_of_gyration(on_earth, **quiet).sort_values("uid")["radius_of_gyration"],
        "entropy": individual.uncorrelated_entropy(on_tiles, **quiet).sort_values("uid")["uncorrelated_entropy"],
        "visits": np.stack(
            [np.floor(visits[name] / TILE_DEGREES).astype(int) for name in ("lng", "lat")] + [visits["n_visits"]],
            axis=1,
        ),
        "flows": np.column_stack((*ends, flows["flow"])),
        "hours": hours["n_visits"].groupby(hours.index.hour).sum().reindex(range(24), fill_value=0),
    }


if __name__ == "__main__":
    given = np.load(sys.argv[1])
    answers = {}
    for side in ROWS:
        rows = {name.partition(".")[2]: given[name] for name in given.files if name.startswith(side)}
        answers |= {f"{side}.{name}": np.asarray(values) for name, values in measured(rows).items()}
    np.savez(sys.argv[2], **answers)
