"""What somebody needs: a distance, a time and a share, as they would write them."""

import re

from shoal.errors import ParameterError
from shoal.usefulness.within import Need

_METRES = {"m": 1.0, "km": 1_000.0}
_SECONDS = {"s": 1, "min": 60, "m": 60, "h": 3_600, "d": 86_400}
_NEED = re.compile(r"(\d+(?:\.\d+)?)\s*(m|km)\s*(?:,|\band\b)\s*(\d+(?:\.\d+)?)\s*(s|min|m|h|d)")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


def parse_need(text: str) -> Need:
    """Read a distance and a time.

    >>> parse_need("500 m, 30 min"), parse_need("2km,2h")
    (Need(metres=500.0, seconds=1800.0), Need(metres=2000.0, seconds=7200.0))
    """
    found = _NEED.fullmatch(text.strip().lower())
    if found is None or not float(found[1]) or not float(found[3]):
        raise ParameterError(
            f"--need {text!r}",
            expected="a distance and a time, both more than 0",
            hint='for example "500 m, 30 min" or "2 km, 2 h"; units: m, km and s, min, h, d',
        )
    return Need(float(found[1]) * _METRES[found[2]], float(found[3]) * _SECONDS[found[4]])


def parse_share(option: str, text: str) -> float:
    """Read a share, as a percentage or as a fraction.

    >>> parse_share("--for", "50%"), parse_share("--lose", "0.05")
    (0.5, 0.05)
    """
    found = _SHARE.fullmatch(text.strip())
    share = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= share <= 1:
        raise ParameterError(f"{option} {text}", expected="a share from 0 % to 100 %", hint="for example 50%")
    return share
