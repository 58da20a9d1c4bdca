"""Options: declared once, the same limits for Python and for what somebody typed."""

import math
from dataclasses import MISSING, dataclass

import pytest

from shoal.errors import ParameterError
from shoal.mechanisms.options import check_options, choice, options_of, real, whole


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


def test_what_is_expected_is_said():
    told = {name: option.expected for name, option, _ in options_of(Some)}
    assert told == {
        "k": "a whole number from 2 to 9",
        "share": "a number, 0 or more, less than 1",
        "km": "a number, more than 0",
        "way": "short or long",
    }
