"""Plain words and spellings for the figures of ``shoal utility``: the same in print, on pages and in dossiers."""

from collections.abc import Mapping

from shoal.shown import number

WORDS = {
    "samples_deleted_share": "samples deleted",
    "samples_created_share": "samples created, as a share",
    "compression": "published samples for each raw one",
    "mean_absolute_difference": "mean difference of a value",
    "information_loss": "information loss, per profile",
    "information_loss_bound": "information loss, all of a municipality alike",
    "similar_share": "profiles similar to the true ones",
    "per_sample": "How accurate, per raw sample",
    "per_box": "How accurate, per published box",
    "span_max_m": "larger side of the box",
    "span_sum_m": "both sides together",
    "span_s": "duration of the box",
    "position_error_m": "place, from the middle of the box",
    "time_error_s": "time, from the middle of the box",
    "similarity": "similarity to the true profile",
    "mean_absolute_difference_per_cell": "Difference, per cell",
    "spatial_error_m": "distance from the person's way",
    "spatial_error_standard_error_m": "distance from the person's way, standard error (m)",
    "poi_per_trace": "Stops, per trace",
    "poi_per_person": "Stops joined, per person",
    "counted": "those who stop somewhere",
    "raw_pois": "in the raw data",
    "published_pois": "in the release",
    "matched_pois": "of the raw ones found again",
    "f_score": "F-score",
    "f_score_standard_error": "F-score, standard error",
    "range_queries": "Range queries",
    "raw_uids": "uids, in the raw data",
    "published_uids": "uids, in the release",
    "distortion_standard_error": "distortion, standard error",
    **{
        name.format(what): words.format(what)
        for what in ("definite", "possible", "expected")
        for name, words in (
            ("{}_people", "people, {}"),
            ("distortion_{}", "distortion of the {} count"),
            ("distortion_{}_standard_error", "distortion of the {} count, standard error"),
        )
    },
    "raw_people": "people, in the raw data",
}
"""For figures whose names are no words yet."""

_SHARES = ("precision", "recall", "f_score", "f_score_standard_error")
"""Figures that are told in per cent, as distortions are."""


def words_for(name: str) -> str:
    """Say what a figure is.

    >>> words_for("distortion_expected"), words_for("people_published")
    ('distortion of the expected count', 'people published')
    """
    return WORDS.get(name) or name.replace("_", " ")


SPREAD: Mapping[str, str] = {"q25": "25 %", "median": "median", "q75": "75 %", "mean": "mean"}
"""What is told of figures that are spread, in order, and what it is called."""

_UNITS: Mapping[str, tuple[tuple[float, str], ...]] = {
    "_m": ((1, "m"), (1_000, "km")),
    "_s": ((60, "min"), (86_400, "days")),
}
_LARGER_FROM = {"km": 1_000, "days": 2_000 * 60}
"""Seconds are told in minutes up to some thousands of those."""


def unit_for(name: str, largest: float) -> tuple[float, str]:
    """Choose the unit for figures of which the largest is so much: what to divide them by, and what it is called.

    >>> unit_for("span_max_m", 0.04), unit_for("span_max_m", 2200), unit_for("span_s", 3900), unit_for("similarity", 1)
    ((1, 'm'), (1000, 'km'), (60, 'min'), (1, ''))
    """
    units = next((known for ending, known in _UNITS.items() if name.endswith(ending)), ((1, ""),))
    return units[-1] if largest >= _LARGER_FROM.get(units[-1][1], 0) else units[0]


def in_units(figures: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Name figures that are spread in words with their unit, and tell them in it.

    >>> in_units({"span_s": {"median": 120.0, "mean": 90.0}})
    {'duration of the box, min': {'median': 2.0, 'mean': 1.5}}
    >>> in_units({"similarity": {"mean": 0.5, "q25": 0.2, "median": 0.4, "q75": 0.8}})
    {'similarity to the true profile': {'25 %': 0.2, 'median': 0.4, '75 %': 0.8, 'mean': 0.5}}
    """
    found = {}
    for name, values in figures.items():
        divisor, unit = unit_for(name, max(values.values()))
        words = f"{words_for(name)}, {unit}" if unit else words_for(name)
        found[words] = {said: values[key] / divisor for key, said in SPREAD.items() if key in values}
    return found


def spelled(name: str, value: float) -> str:
    """Spell a figure: shares in per cent, anything else with the digits that matter.

    >>> spelled("samples_deleted_share", 0.05), spelled("queries", 1000), spelled("raw_people", 21.44)
    ('5.0%', '1,000', '21.4')
    """
    if name.endswith("_share"):
        return f"{value:.1%}"
    if name in _SHARES or name.startswith("distortion"):
        return f"{value:.2%}"
    return f"{value:,}" if isinstance(value, int) else number(value)
