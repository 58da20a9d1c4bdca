"""Parameters that a manifest may publish: a closed list for what is built in, a narrow form for everything else.

Nothing in a release is free to carry anything. So numbers have few digits, words come from closed lists, and of a
mechanism that is not listed here a few short values are allowed and no more.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DIGITS = 6
"""Significant digits of a published number: enough for any parameter, too few for anything else."""

MECHANISM = re.compile(r"[a-z][a-z0-9_-]{1,23}")
"""What a mechanism may be called."""

_WORD = re.compile(r"[a-z]{1,16}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_MOST_UNLISTED = 12
_LARGEST_UNLISTED = 10_000_000


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
    """

    whole: bool = False
    low: float = 0
    high: float = math.inf
    optional: bool = False
    words: tuple[str, ...] = ()

    def allows(self, value: object) -> bool:
        if value is None:
            return self.optional
        if self.words:
            return value in self.words
        fits = is_short_number(value) and self.low <= value <= self.high  # type: ignore[operator]
        # One spelling for each number: 1 or 1.0, and no minus zero.
        return fits and type(value) is (int if self.whole else float) and math.copysign(1, value) > 0


_METRES = Parameter(whole=True, low=1, high=10_000_000)
_MINUTES = Parameter(whole=True, low=1, high=5_256_000)
_SECONDS = Parameter(whole=True, low=1, high=315_360_000)
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
        "partition": Parameter(whole=True, low=1, high=2**31 - 1, optional=True),
    },
    "kte": {
        **_COMMON,
        "k": Parameter(whole=True, low=2, high=10_000),
        "tau": _SECONDS,
        "epsilon": _SECONDS,
        "variant": Parameter(words=("repaired", "paper")),
    },
    "uniform": {**_COMMON, "cell_m": _METRES, "minutes": _MINUTES},
}
"""What each built-in mechanism publishes, no more and no less."""

FACTS: Mapping[str, Mapping[str, Parameter]] = {
    "glove": {"suppress_share_reached": _SHARE},
    "kte": {"far_leak_share": _SHARE},
}
"""What may stand beside the parameters: figures that were only known afterwards."""


CLAIM_OF: Mapping[str, str] = {"glove": "k-anonymity", "kte": "window-hiding", "uniform": "nothing"}
"""What each built-in mechanism claims: one that goes by its name and claims less is not it."""


def is_short_number(value: object) -> bool:
    """Tell whether it is a finite number of few digits.

    >>> is_short_number(0.05), is_short_number(0.1234567), is_short_number(True), is_short_number(2**31 - 1)
    (True, False, False, True)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or (math.isfinite(value) and value == shortened(value))


def shortened(value: float) -> float:
    """Round to the digits that a manifest has room for.

    >>> shortened(1 / 3), shortened(0.05)
    (0.333333, 0.05)
    """
    return float(f"{value:.{DIGITS}g}")


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
    wrong = ["more parameters than there is room for"] if len(parameters) > _MOST_UNLISTED else []
    odd = sum(not _NAME.fullmatch(name) for name in parameters)
    wrong += [f"{odd} names of parameters that are none"] if odd else []
    long = sum(not _is_short(value) for value in parameters.values())
    return wrong + ([f"{long} parameters with more to say than a parameter has"] if long else [])


def _is_short(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, str):
        return bool(_WORD.fullmatch(value))
    return is_short_number(value) and abs(value) <= _LARGEST_UNLISTED  # type: ignore[arg-type]
