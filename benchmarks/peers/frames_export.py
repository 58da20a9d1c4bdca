"""What trackintel and MovingPandas make of a file of ``shoal export``; runs in their environment.

python frames_export.py trackintel|movingpandas FILE.parquet
"""

import json
import sys

import geopandas as gpd


def trackintel(frame: gpd.GeoDataFrame) -> dict:
    from trackintel import Positionfixes

    fixes = Positionfixes(frame)
    _, stays = fixes.generate_staypoints(method="sliding", dist_threshold=1000, time_threshold=20, gap_threshold=600)
    return {"type": type(fixes).__name__, "rows": len(fixes), "columns": list(fixes.columns), "stays": len(stays)}


def movingpandas(frame: gpd.GeoDataFrame) -> dict:
    from movingpandas import TrajectoryCollection

    traces = TrajectoryCollection(frame, traj_id_col="traj_id", t="t")
    lengths = {str(one.id): float(one.get_length()) for one in traces.trajectories}
    return {
        "type": type(traces).__name__,
        "rows": sum(len(one.df) for one in traces.trajectories),
        "columns": list(traces.trajectories[0].df.columns),
        "lengths_m": lengths,
    }


if __name__ == "__main__":
    made = {"trackintel": trackintel, "movingpandas": movingpandas}[sys.argv[1]]
    print(json.dumps(made(gpd.read_parquet(sys.argv[2]))))
