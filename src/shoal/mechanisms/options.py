"""Options of mechanisms, each declared once: help, unit, limits, choices.

A mechanism is a dataclass whose fields are made by :func:`whole`, :func:`real`, :func:`rate`, :func:`duration`,
:func:`cells` and :func:`choice`.
The check of a value, the options of the command line, their help and the tables of the docs all follow from that.
"""

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import MISSING, dataclass
from fractions import Fraction
from typing import Any

from shoal.contract.kinds import cell_names, cell_number
from shoal.contract.parameters import shortened
from shoal.errors import ParameterError, did_you_mean, given

LARGEST_CELL_M = 10_000_000
"""From the pole to the equator: beyond it there is one cell, and int32 metres overflow."""

LONGEST_MINUTES = 10 * 365 * 24 * 60
"""Ten years."""

_KEY = "option"


@dataclass(frozen=True, kw_only=True)
class Option(ABC):
    """What there is to know about one parameter besides its name and default.

    Attributes
    ----------
    help
        A sentence for people.
    unit
        What a value stands for, in capitals, as the help shows it.
    optional
        Whether None, "not at all", is a value.
    hint
        What to do about a wrong value.
    """

    help: str
    unit: str
    optional: bool = False
    hint: str = ""

    @abstractmethod
    def allows(self, value: object) -> bool:
        """Tell whether a value, other than None, is within the limits."""

    @property
    @abstractmethod
    def expected(self) -> str:
        """Say what the limits are."""

    @abstractmethod
    def parsed(self, text: str) -> Any:
        """Return what somebody typed as a value; the text itself where it is none, for the check to refuse."""

    def formed(self, value: Any) -> Any:
        """Return a value that was allowed in the form in which it is published."""
        return value

    def check(self, name: str, value: object) -> None:
        """Refuse a value beyond the limits."""
        if (value is None and self.optional) or (value is not None and self.allows(value)):
            return
        raise ParameterError(given(name, value), expected=self.expected, hint=self.hint_for(value))

    def hint_for(self, value: object) -> str:  # noqa: ARG002
        return self.hint or self.help.rstrip(".").lower()


@dataclass(frozen=True, kw_only=True)
class _Whole(Option):
    """``word`` may stand in its place."""

    low: int
    high: int
    word: str = ""

    def allows(self, value: object) -> bool:
        if self.word and value == self.word:
            return True
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    @property
    def expected(self) -> str:
        return f"{f'{self.word} or ' if self.word else ''}a whole number from {self.low:,} to {self.high:,}"

    def parsed(self, text: str) -> Any:
        try:
            return int(text)
        except ValueError:
            return text


@dataclass(frozen=True, kw_only=True)
class _Real(Option):
    """Bounds belong to the range unless said otherwise; ``short`` keeps the digits that are published, and no more."""

    low: float
    high: float
    above_low: bool = False
    below_high: bool = False
    short: bool = False

    def allows(self, value: object) -> bool:
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            return False
        fits_low = value > self.low if self.above_low else value >= self.low
        return fits_low and (value < self.high if self.below_high else value <= self.high)

    def formed(self, value: Any) -> Any:
        if value is None:
            return None
        return shortened(float(value)) if self.short else float(value) + 0.0

    @property
    def expected(self) -> str:
        low = f"more than {self.low:g}" if self.above_low else f"{self.low:g} or more"
        if math.isinf(self.high):
            return f"a number, {low}"
        return f"a number, {low}, {f'less than {self.high:g}' if self.below_high else f'at most {self.high:g}'}"

    def parsed(self, text: str) -> Any:
        try:
            value = float(text)
        except ValueError:
            return text
        return value if math.isfinite(value) else text


_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_LOGARITHM = rf"ln\s*\(\s*(?P<of>{_NUMBER})\s*\)"
_RATE = re.compile(rf"(?:{_LOGARITHM}|(?P<top>{_NUMBER}))\s*/\s*(?P<by>{_NUMBER})|{_NUMBER}")


@dataclass(frozen=True, kw_only=True)
class _Rate(_Real):
    """A number, ``X/Y`` or ``ln(X)/Y``, as text too."""

    def allows(self, value: object) -> bool:
        return super().allows(_as_rate(value))

    def formed(self, value: Any) -> Any:
        return super().formed(_as_rate(value))

    @property
    def expected(self) -> str:
        return f"a number, X/Y or ln(X)/Y, from {self.low:g} to {self.high:g}"

    def parsed(self, text: str) -> Any:
        return text


def _as_rate(value: object) -> object:
    """The number that a text spells; anything else as it is.

    >>> _as_rate("0.01"), _as_rate("1/200"), _as_rate(" ln(4) / 200 "), _as_rate(0.5)
    (0.01, 0.005, 0.006931471805599453, 0.5)
    >>> _as_rate("ln(x)/200"), _as_rate("ln(4)/0"), _as_rate("ln(0)/1"), _as_rate("4"), _as_rate("-1")
    (None, None, None, 4.0, None)
    """
    if not isinstance(value, str):
        return value
    found = _RATE.fullmatch(value.strip())
    if found is None:
        return None
    if found["by"] is None:
        return float(value)
    top, by = float(found["of"] or found["top"]), float(found["by"])
    if by == 0 or (found["of"] and top == 0):
        return None
    return (math.log(top) if found["of"] else top) / by


_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")
_SECONDS_IN = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True, kw_only=True)
class _Duration(Option):
    """Whole seconds, as a number of them or as text with a unit."""

    low: int
    high: int

    def allows(self, value: object) -> bool:
        seconds = _in_seconds(value)
        return seconds is not None and self.low <= seconds <= self.high

    def formed(self, value: Any) -> Any:
        return _in_seconds(value)

    @property
    def expected(self) -> str:
        return f"a number and one of s, m, h, d, from {self.low:,} second to {self.high // 86_400:,} days"

    def parsed(self, text: str) -> Any:
        return text


def _in_seconds(value: object) -> int | None:
    """Whole seconds of a duration; None where it is none.

    >>> _in_seconds("90m"), _in_seconds("1.5 h"), _in_seconds(60), _in_seconds("60"), _in_seconds("0.1s")
    (5400, 5400, 60, None, None)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    seconds = Fraction(found[1]) * _SECONDS_IN[found[2]]
    return seconds.numerator if seconds.denominator == 1 else None


@dataclass(frozen=True, kw_only=True)
class _Choice(Option):
    choices: tuple[str, ...]

    def allows(self, value: object) -> bool:
        return value in self.choices

    @property
    def expected(self) -> str:
        return " or ".join(self.choices)

    def parsed(self, text: str) -> Any:
        return text

    def hint_for(self, value: object) -> str:
        return self.hint or did_you_mean(str(value), self.choices)


@dataclass(frozen=True, kw_only=True)
class _Cells(Option):
    """Names of cells, as a list or as text with commas; kept in the order in which profiles have them, none twice."""

    def allows(self, value: object) -> bool:
        names = _names_in(value)
        return bool(names) and all(cell_number(name) is not None for name in names)

    def formed(self, value: Any) -> Any:
        if value is None:
            return None
        places = {cell_number(name): name for name in _names_in(value)}
        return tuple(places[place] for place in sorted(places))  # type: ignore[type-var]  # all are cells

    @property
    def expected(self) -> str:
        return "names of cells of a profile"

    def parsed(self, text: str) -> Any:
        return text

    def hint_for(self, value: object) -> str:
        odd = next((name for name in _names_in(value) if cell_number(name) is None), "")
        return did_you_mean(str(odd), cell_names(4)) if odd else f"for example {cell_names(1)[0]}"


def _names_in(value: object) -> list[Any]:
    """The names that a text or a list holds.

    >>> _names_in("a, b"), _names_in(("a",)), _names_in(7)
    (['a', 'b'], ['a'], [])
    """
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    return list(value) if isinstance(value, list | tuple) else []


def whole(
    *, help: str, low: int, high: int, default: Any = MISSING, unit: str = "N", word: str = "", hint: str = ""
) -> Any:
    """Declare a whole number; with a default of None it may be left out.

    Parameters
    ----------
    help, unit, hint
        As in :class:`Option`.
    low, high
        Limits, both allowed.
    default
        Without one the parameter is required.
    word
        A word that may stand in its place.
    """
    option = _Whole(help=help, unit=unit, optional=default is None, hint=hint, low=low, high=high, word=word)
    return _field(option, default)


def real(
    *,
    help: str,
    low: float,
    high: float = math.inf,
    above_low: bool = False,
    below_high: bool = False,
    short: bool = False,
    default: Any = MISSING,
    unit: str = "X",
    hint: str = "",
) -> Any:
    """Declare a number; with a default of None it may be left out.

    Parameters
    ----------
    help, unit, hint
        As in :class:`Option`.
    low, high
        Limits, allowed themselves unless ``above_low`` or ``below_high`` says otherwise.
    short
        Whether the value is shortened to the digits that a manifest has room for: what is published is what was used.
    default
        Without one the parameter is required.
    """
    option = _Real(
        help=help,
        unit=unit,
        optional=default is None,
        hint=hint,
        low=low,
        high=high,
        above_low=above_low,
        below_high=below_high,
        short=short,
    )
    return _field(option, default)


def rate(*, help: str, low: float, high: float, default: Any = MISSING, unit: str = "X", hint: str = "") -> Any:
    """Declare a number that may be typed as ``X/Y`` or ``ln(X)/Y``; it is kept with the digits that are published.

    Parameters
    ----------
    help, unit, hint
        As in :class:`Option`.
    low, high
        Limits, both allowed.
    default
        Without one the parameter is required.
    """
    option = _Rate(help=help, unit=unit, optional=default is None, hint=hint, low=low, high=high, short=True)
    return _field(option, default)


def duration(
    *, help: str, low: int = 1, high: int = 60 * LONGEST_MINUTES, default: Any = MISSING, hint: str = "for example 60m"
) -> Any:
    """Declare a length of time: whole seconds, or text such as ``90m``; it is kept in seconds.

    Parameters
    ----------
    help, hint
        As in :class:`Option`.
    low, high
        Limits in seconds, both allowed.
    default
        Without one the parameter is required.
    """
    option = _Duration(help=help, unit="DURATION", optional=default is None, hint=hint, low=low, high=high)
    return _field(option, default)


def cells(*, help: str, unit: str = "CELL,…") -> Any:
    """Declare a list of cells of a profile, which may be left out; it may be typed with commas."""
    return _field(_Cells(help=help, unit=unit, optional=True), None)


def choice(*choices: str, help: str, hint: str = "") -> Any:
    """Declare a choice; the first is the default."""
    return _field(_Choice(help=help, unit="|".join(choices), hint=hint, choices=choices), choices[0])


def _field(option: Option, default: Any) -> Any:
    return dataclasses.field(default=default, metadata={_KEY: option})


def options_of(mechanism: Any) -> Iterator[tuple[str, Option, Any]]:
    """Name, declaration and default (or MISSING) of each parameter of a mechanism or of its class."""
    for field in dataclasses.fields(mechanism):
        assert _KEY in field.metadata, f"parameter {field.name} is not declared as an option"
        yield field.name, field.metadata[_KEY], field.default


def check_options(mechanism: Any) -> None:
    """Refuse the first parameter that is beyond its limits; give each its one form."""
    for name, option, _ in options_of(mechanism):
        value = getattr(mechanism, name)
        option.check(name, value)
        object.__setattr__(mechanism, name, option.formed(value))
