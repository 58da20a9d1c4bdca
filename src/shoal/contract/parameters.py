"""Parameters that a manifest may publish: a closed list for what is built in, a narrow form for everything else.

Nothing in a release is free to carry anything. So numbers have few digits and words come from closed lists. Of a
mechanism that is not listed here nobody can say what its parameters mean: it publishes some under names of a closed
list, in numbers of three digits, and the others not at all.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.contract.kinds import MOST_WEEKS, are_cells

DIGITS = 6
"""Significant digits of a published number: enough for any parameter, too few for anything else."""

_DIGITS_UNLISTED = 3
_LEAST_UNLISTED, _LARGEST_UNLISTED = 1e-6, 10_000_000
_MOST_UNLISTED, _MOST_GENERIC = 12, 4
"""How many parameters a mechanism that is not listed publishes, and how many under names that no listed one has."""

_UNLISTED_NAME = re.compile(r"(?=.{2,12}$)[a-z]+(-[a-z]+)?")

GENERIC = frozenset(
    (
        *("accuracy_m", "alpha", "beta", "cells", "days", "decimals", "degrees", "delta", "distance_m"),
        *("gamma", "hours", "km", "level", "limit", "metres", "neighbours", "noise", "noise_m", "parts", "points"),
        *("probability", "radius_m", "rate", "ratio", "rounds", "samples", "scale", "seconds", "sensitivity", "share"),
        *("sigma", "sigma_m", "size", "spread_m", "step_m", "steps", "threshold", "tolerance", "width_m"),
    )
)
"""Names under which any mechanism may publish a number."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """The form of a published parameter.

    Attributes
    ----------
    whole
        Whether it is a whole number; otherwise it may have a fraction.
    low, high
        Limits, both allowed.
    optional
        Whether it may be null.
    words
        A closed list of words, for what is no number.
    or_number
        Whether it may be a number where there are words, too.
    cells
        Whether it is a list of cells of a profile, in their order.
    """

    whole: bool = False
    low: float = 0
    high: float = math.inf
    optional: bool = False
    words: tuple[str, ...] = ()
    or_number: bool = False
    cells: bool = False

    def allows(self, value: object) -> bool:
        if value is None:
            return self.optional
        if self.cells:
            return are_cells(value)
        if self.words and not (self.or_number and not isinstance(value, str)):
            return value in self.words
        fits = is_short_number(value) and self.low <= value <= self.high  # type: ignore[operator]
        # One spelling for each number: 1 or 1.0, and no minus zero.
        return fits and type(value) is (int if self.whole else float) and math.copysign(1, value) > 0


_METRES = Parameter(whole=True, low=1, high=10_000_000)
_MINUTES = Parameter(whole=True, low=1, high=5_256_000)
_SECONDS = Parameter(whole=True, low=1, high=315_360_000)
MINUTES_PER_KM, MOST_MINUTES_PER_KM = 24, 1_000
"""How long a box may last for the cost of a kilometre of width: 8 h cost as much as 20 km (GLOVE §4.1). And at most."""
_PARTITION = Parameter(whole=True, low=1, high=2**31 - 1, optional=True)
_SHARE = Parameter(high=1)
_COMMON = {"min_per_day": Parameter()}

PARAMETERS: Mapping[str, Mapping[str, Parameter]] = {
    "glove": {
        **_COMMON,
        "k": Parameter(whole=True, low=2, high=10_000),
        "publish": Parameter(words=("kmerge", "merge")),
        "suppress_share": _SHARE,
        "suppress_km": Parameter(optional=True),
        "suppress_hours": Parameter(optional=True),
        "leftover_limit": _SHARE,
        "align_m": Parameter(whole=True, low=1, high=10_000_000, optional=True),
        "align_minutes": Parameter(whole=True, low=1, high=5_256_000, optional=True),
        "partition": _PARTITION,
        "minutes_per_km": Parameter(whole=True, low=1, high=MOST_MINUTES_PER_KM),
        "grouping": Parameter(words=("greedy", "published")),
        "effort": Parameter(whole=True, low=1, high=1_000, optional=True),
    },
    "kte": {
        **_COMMON,
        "k": Parameter(whole=True, low=2, high=10_000),
        "tau": _SECONDS,
        "epsilon": _SECONDS,
        "variant": Parameter(words=("repaired", "paper")),
        "partition": _PARTITION,
    },
    "geoind": {
        **_COMMON,
        "epsilon": Parameter(low=1e-5, high=1),
        "memo_cell_m": Parameter(whole=True, low=1, high=10_000_000, optional=True),
    },
    "laplace": {**_COMMON, "epsilon": Parameter(low=0.01, high=100)},
    "primule": {
        **_COMMON,
        "k": Parameter(whole=True, low=2, high=10_000),
        "weeks": Parameter(whole=True, low=1, high=MOST_WEEKS, words=("all",), or_number=True),
        "known": Parameter(optional=True, cells=True),
        "small": Parameter(words=("suppress", "keep")),
    },
    "promesse": {
        **_COMMON,
        "alpha_m": Parameter(low=1, high=100_000),
        "endpoint_trim": Parameter(words=("zone", "fixed")),
        "interpolation": Parameter(words=("path", "chord")),
    },
    "uniform": {**_COMMON, "cell_m": _METRES, "minutes": _MINUTES},
    "w4m": {
        **_COMMON,
        "k": Parameter(whole=True, low=2, high=10_000),
        "delta_m": Parameter(high=10_000_000),
        "max_radius_m": Parameter(high=40_000_000),
        "trash": _SHARE,
    },
}
"""What each built-in mechanism publishes, no more and no less."""

FACTS: Mapping[str, Mapping[str, Parameter]] = {
    "glove": {"suppress_share_reached": _SHARE},
    "kte": {"far_leak_share": _SHARE},
    "laplace": {"cells_without_days": Parameter(cells=True)},
    "primule": {"cells_without_days": Parameter(cells=True)},
}
"""What may stand beside the parameters: figures that were only known afterwards."""


_LISTED = [forms for table in (PARAMETERS, FACTS) for forms in table.values()]
_LISTED_NAMES = frozenset(name for forms in _LISTED for name in forms)
_LISTED_WORDS = frozenset(word for forms in _LISTED for form in forms.values() for word in form.words)

LEAST_PARTITION, LARGEST_PARTITION = 4, 1_000_000
"""Neighbourhoods of fewer than 4 k people, or of more than there ever are, make no sense."""

_CAPS = {"cell_m": 20_000, "dt_s": 28_800}
"""Data are read on a grid of which 20 km and 8 h, the caps of the stretch effort, are whole cells."""

CLAIM_OF: Mapping[str, str] = {
    "geoind": "geo-indistinguishability",
    "glove": "k-anonymity",
    "kte": "window-hiding",
    "laplace": "cell-noise",
    "primule": "k-anonymous-cells",
    "promesse": "speed-smoothing",
    "uniform": "nothing",
    "w4m": "cylinder",
}
"""What each built-in mechanism claims: one that goes by its name and claims less is not it."""


def is_short_number(value: object) -> bool:
    """Tell whether it is a finite number of few digits.

    >>> is_short_number(0.05), is_short_number(0.1234567), is_short_number(True), is_short_number(2**31 - 1)
    (True, False, False, True)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or (math.isfinite(value) and value == shortened(value))


def shortened(value: float, digits: int = DIGITS) -> float:
    """Round to the digits that a manifest has room for.

    >>> shortened(1 / 3), shortened(0.05)
    (0.333333, 0.05)
    """
    return float(f"{value:.{digits}g}")


def is_mechanism(name: object) -> bool:
    """Tell whether a mechanism may be called so: one that is listed, or a short word.

    >>> is_mechanism("glove"), is_mechanism("made-up"), is_mechanism("ann lives in pisa"), is_mechanism("x555123")
    (True, True, False, False)
    """
    return isinstance(name, str) and (name in PARAMETERS or bool(_UNLISTED_NAME.fullmatch(name)))


def publishable(mechanism: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what a manifest has room for: all of a listed mechanism, of others what has a name and few digits.

    >>> publishable("jitter", {"degrees": 0.0123456, "owner": "ann", "cell_m": 12_345})
    {'degrees': 0.0123}
    """
    if mechanism in PARAMETERS:
        return dict(parameters)
    short = {
        name: shortened(value, _DIGITS_UNLISTED) if isinstance(value, float) else value
        for name, value in parameters.items()
        if name in _LISTED_NAMES or name in GENERIC
    }
    kept, generic = dict[str, Any](), 0
    for name, value in short.items():
        generic += name not in _LISTED_NAMES
        fits = generic <= _MOST_GENERIC or name in _LISTED_NAMES
        if fits and len(kept) < _MOST_UNLISTED and _is_short(value):
            kept[name] = value
    return kept


def odd_parameters(mechanism: str, parameters: Mapping[str, Any]) -> list[str]:
    """Say what is wrong with published parameters, in words that repeat none of them; nothing where they are fine."""
    known = PARAMETERS.get(mechanism)
    if known is None:
        return _odd_unlisted(parameters)
    allowed = {**known, **FACTS.get(mechanism, {})}
    wrong = [f"no parameter {name}" for name in known if name not in parameters]
    extra = sum(name not in allowed for name in parameters)
    wrong += [f"{extra} parameters that do not belong there"] if extra else []
    beyond = [name for name, value in parameters.items() if name in allowed and not allowed[name].allows(value)]
    return wrong + [f"{name} beyond what it can be" for name in beyond]


def _odd_unlisted(parameters: Mapping[str, Any]) -> list[str]:
    generic = [name for name in parameters if name not in _LISTED_NAMES]
    wrong = ["more parameters than there is room for"] if len(parameters) > _MOST_UNLISTED else []
    odd = sum(name not in GENERIC for name in generic)
    wrong += [f"{odd} names of parameters that are on no list"] if odd else []
    wrong += ["more parameters of its own than there is room for"] if len(generic) - odd > _MOST_GENERIC else []
    long = sum(not _is_short(value) for value in parameters.values())
    return wrong + ([f"{long} parameters with more to say than a parameter has"] if long else [])


def _is_short(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, str):
        return value in _LISTED_WORDS
    few = is_short_number(value) and value == shortened(value, _DIGITS_UNLISTED)  # type: ignore[arg-type]
    if not few or math.copysign(1, value) < 0:  # type: ignore[arg-type]
        return False
    return value == 0 or _LEAST_UNLISTED <= value <= _LARGEST_UNLISTED  # type: ignore[operator]


def at_odds(parameters: Mapping[str, Any], people: int) -> list[str]:
    """Say which parameters do not go together, or not with so many people, each of them being within its limits.

    >>> at_odds({"publish": "merge", "suppress_share": 0.5, "partition": 7, "k": 2}, 100)
    ['suppress_share with publish merge', 'partition below 4 k']
    """
    wrong = []
    if parameters.get("publish") == "merge" and parameters.get("suppress_share"):
        wrong.append("suppress_share with publish merge")
    if parameters.get("publish") == "merge" and parameters.get("minutes_per_km", MINUTES_PER_KM) != MINUTES_PER_KM:
        wrong.append("minutes_per_km with publish merge")
    if parameters.get("publish") == "merge" and parameters.get("grouping") == "published":
        wrong.append("grouping published with publish merge")
    if parameters.get("effort") is not None and parameters.get("grouping") != "published":
        wrong.append("effort without grouping published")
    if parameters.get("variant") == "paper" and parameters.get("partition") is not None:
        wrong.append("partition with variant paper")
    if type(parameters.get("weeks")) is int and parameters.get("known") is not None:
        wrong.append("weeks with known")
    k, partition = parameters.get("k"), parameters.get("partition")
    if type(partition) is int:
        if type(k) is int and partition < LEAST_PARTITION * k:
            wrong.append(f"partition below {LEAST_PARTITION} k")
        if partition > max(people, LARGEST_PARTITION):
            wrong.append("partition beyond any use")
    return wrong


def odd_base(base: Mapping[str, Any]) -> bool:
    """Tell whether samples cannot have been snapped to a grid.

    >>> odd_base({"cell_m": 100, "dt_s": 60}), odd_base({"cell_m": 7, "dt_s": 60})
    (False, True)
    """
    return any(type(base.get(name)) is not int or base[name] < 1 or cap % base[name] for name, cap in _CAPS.items())
