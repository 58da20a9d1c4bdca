"""What scikit-mobility makes of a file of ``shoal export --to skmob``; runs in its environment.

python skmob_export.py TRACES.parquet|TRACES.csv
"""

import json
import sys

import pandas as pd


def told(path: str) -> dict:
    from skmob import TrajDataFrame
    from skmob.measures import collective, individual
    from skmob.preprocessing import detection, filtering
    from skmob.privacy.attacks import LocationAttack

    quiet = {"show_progress": False}
    # As the how-to has it.
    frame = TrajDataFrame(pd.read_parquet(path) if path.endswith(".parquet") else pd.read_csv(path))
    jumps = individual.jump_lengths(frame, **quiet).set_index("uid")["jump_lengths"]
    gyration = individual.radius_of_gyration(frame, **quiet).set_index("uid")["radius_of_gyration"]
    entropy = individual.uncorrelated_entropy(frame, **quiet).set_index("uid")["uncorrelated_entropy"]
    risk = LocationAttack(knowledge_length=1).assess_risk(frame, **quiet).set_index("uid")["risk"]
    return {
        "type": type(frame).__name__,
        "rows": len(frame),
        "columns": list(frame.columns),
        "moments": str(frame["datetime"].dtype),
        "half": {name: float(frame[name].sum()) for name in frame.columns if name.startswith("half_")},
        "columns_kept": list(filtering.filter(frame, max_speed_kmh=1e6).columns),
        "jumps_km": {uid: [float(jump) for jump in of_one] for uid, of_one in jumps.items()},
        "gyration_km": gyration.to_dict(),
        "entropy": entropy.to_dict(),
        "visits": int(collective.visits_per_location(frame)["n_visits"].sum()),
        "homes": len(individual.home_location(frame, **quiet)),
        "stays": len(detection.stay_locations(frame, minutes_for_a_stop=20.0)),
        "risk": risk.to_dict(),
    }


if __name__ == "__main__":
    print(json.dumps(told(sys.argv[1])))
