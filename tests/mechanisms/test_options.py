"""Options: declared once, the same limits for Python and for what somebody typed."""

import math
from dataclasses import MISSING, dataclass

import pytest

from shoal.errors import ParameterError
from shoal.mechanisms.options import check_options, choice, options_of, rate, real, whole


@dataclass(frozen=True)
class Some:
    k: int = whole(help="People.", low=2, high=9)
    share: float = real(help="Share.", low=0, high=1, below_high=True, default=0.0)
    km: float | None = real(help="Width.", low=0, above_low=True, default=None)
    way: str = choice("short", "long", help="Way.")

    def __post_init__(self):
        check_options(self)


def test_defaults_and_declarations():
    declared = {name: (option.help, default) for name, option, default in options_of(Some)}
    assert declared == {
        "k": ("People.", MISSING),
        "share": ("Share.", 0.0),
        "km": ("Width.", None),
        "way": ("Way.", "short"),
    }


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"k": 1}, "`k=1`"),
        ({"k": 10}, "`k=10`"),
        ({"k": 2.0}, "`k=2.0`"),
        ({"k": True}, "`k=True`"),
        ({"k": "2"}, "`k='2'`"),
        ({"k": None}, "`k=None`"),
        ({"k": 2, "share": 1}, "`share=1`"),
        ({"k": 2, "share": -0.1}, "`share=-0.1`"),
        ({"k": 2, "share": math.nan}, "`share=nan`"),
        ({"k": 2, "share": None}, "`share=None`"),
        ({"k": 2, "km": 0}, "`km=0`"),
        ({"k": 2, "km": math.inf}, "`km=inf`"),
        ({"k": 2, "way": "longer"}, "`way='longer'`"),
    ],
)
def test_beyond_the_limits(given, found):
    with pytest.raises(ParameterError) as error:
        Some(**given)
    assert error.value.found == found


@pytest.mark.parametrize(
    "given", [{"k": 2}, {"k": 9, "share": 0.999, "km": 1e-9, "way": "long"}, {"k": 3, "share": 0, "km": 5}]
)
def test_within_the_limits(given):
    assert Some(**given)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("k", "5", 5), ("k", "2.5", "2.5"), ("share", "0.5", 0.5), ("share", "half", "half"), ("way", "long", "long")],
)
def test_what_somebody_typed(name, text, value):
    options = {declared: option for declared, option, _ in options_of(Some)}
    assert options[name].parsed(text) == value


@dataclass(frozen=True)
class Short:
    per_m: float = rate(help="Rate.", low=0.001, high=2)
    metres: float = real(help="Metres.", low=1, short=True, default=None)

    def __post_init__(self):
        check_options(self)


@pytest.mark.parametrize(
    ("given", "value"),
    [("ln(4)/200", 0.00693147), ("2/3", 0.666667), ("1e-3", 0.001), (2, 2.0), (0.0123456789, 0.0123457)],
)
def test_rates_are_typed_as_formulas_and_shortened(given, value):
    made = Short(per_m=given, metres=1234.56789)
    assert (made.per_m, made.metres) == (value, 1234.57)
    options = {declared: option for declared, option, _ in options_of(Short)}
    assert options["per_m"].parsed("ln(4)/200") == "ln(4)/200"  # the class turns it into a number, and refuses it


@pytest.mark.parametrize("given", ["ln(4)", "ln(4)/0", "0.0001", 3, "3", "ln(4)/200;", None, True, math.nan, "1/2/3"])
def test_what_is_no_rate(given):
    with pytest.raises(ParameterError) as error:
        Short(per_m=given)
    assert error.value.found == f"`per_m={given!r}`"
    assert error.value.expected == "a number, X/Y or ln(X)/Y, from 0.001 to 2"


def test_what_is_expected_is_said():
    told = {name: option.expected for name, option, _ in options_of(Some)}
    assert told == {
        "k": "a whole number from 2 to 9",
        "share": "a number, 0 or more, less than 1",
        "km": "a number, more than 0",
        "way": "short or long",
    }
