"""What the paper prints: Tables I to VI."""

from typing import Literal

DataSet = Literal["cabspotting", "geolife", "mdc"]
DATA_SETS: tuple[DataSet, ...] = ("cabspotting", "geolife", "mdc")

_ALPHAS = (50, 100, 200, 500)
_EPSILONS = ("ln(10)/100", "ln(6)/200", "ln(4)/200", "ln(2)/200")

_HOUR, _DAY = 3600, 86_400

TABLE_1: dict[DataSet, dict[str, float]] = {
    "cabspotting": {
        "records": 8_986_419,
        "traces": 5_503,
        "mean_duration_s": 32 * _HOUR + 44 * 60,
        "longest_duration_s": 20 * _DAY,
        "sampling_s": 72,
    },
    "geolife": {
        "records": 3_804_788,
        "traces": 2_475,
        "mean_duration_s": 3 * _HOUR + 4 * 60,
        "longest_duration_s": _DAY + 22 * _HOUR,
        "sampling_s": 7,
    },
    "mdc": {
        "records": 1_124_454,
        "traces": 4_693,
        "mean_duration_s": 3 * _HOUR + 15 * 60,
        "longest_duration_s": 20 * _DAY,
        "sampling_s": 32,
    },
}


def _rows(promesse: tuple[float | None, ...], geoind: tuple[float, ...], w4m: float) -> dict[str, float]:
    """Name figures by mechanism; what the paper leaves out is left out."""
    smoothed = {f"promesse-{a}": value for a, value in zip(_ALPHAS, promesse, strict=True) if value is not None}
    noisy = {f"geoind-{e}": value for e, value in zip(_EPSILONS, geoind, strict=True)}
    return {**smoothed, **noisy, "w4m": w4m}


F_SCORES: dict[DataSet, dict[str, float]] = {
    "cabspotting": _rows((None, 0, 0, 0), (30.72, 6.33, 3.53, 1.49), 0),
    "geolife": _rows((17.22, 11.06, 2.27, 0), (42.38, 9.41, 4.50, 0.85), 0),
    "mdc": _rows((13.91, 7.94, 1.01, 0), (55.95, 16.31, 9, 0.54), 0),
}
"""Table II, per cent."""

SPATIAL_ERRORS: dict[DataSet, dict[str, float]] = {
    "cabspotting": _rows((None, 0, 0, 0), (24, 50, 62, 113), 13_046),
    "geolife": _rows((0, 0, 0, 0), (45, 120, 156, 325), 69_676),
    "mdc": _rows((0, 0, 0, 0), (52, 140, 183, 378), 19_222),
}
"""Table III, metres."""

DISTORTIONS: dict[DataSet, dict[str, float]] = {
    "cabspotting": _rows((None, 6.77, 6, 6.9), (0.7, 2.46, 3.39, 7.21), 102),
    "geolife": _rows((15.14, 14.83, 15.1, 18.97), (7.58, 20.43, 27.24, 60.46), 102),
    "mdc": _rows((25.4, 25.23, 27, 31.23), (3.08, 10.36, 13.47, 29.98), 94),
}
"""Table IV, per cent."""

SECONDS: dict[DataSet, dict[str, float]] = {
    "cabspotting": {"promesse": 210, "geoind": 147, "w4m": 605 * 60},
    "geolife": {"promesse": 25, "geoind": 64, "w4m": 70 * 60},
    "mdc": {"promesse": 15, "geoind": 21, "w4m": 37 * 60},
}
"""Table V; on 8 cores of 1.8 GHz."""

COMPRESSIONS: dict[DataSet, dict[str, float]] = {
    "cabspotting": {"promesse-100": 369, "promesse-200": 177, "promesse-500": 64},
    "geolife": {"promesse-50": 51, "promesse-100": 25, "promesse-200": 12, "promesse-500": 4},
    "mdc": {"promesse-50": 206, "promesse-100": 101, "promesse-200": 48, "promesse-500": 18},
}
"""Table VI, per cent."""
