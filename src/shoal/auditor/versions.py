"""Versions that a release can have been made with: those that there were, as far as can be known here.

Three numbers have room for a message. So none is below the first version that ever made releases, none far beyond what
is installed here, and what is no plain release has to be the very one that is installed. Whoever audits need not have
the newest libraries, so a few generations more are allowed; of Python any version that is out by now; of Shoal itself
none that is newer than the auditor, who could not know what it claims.
"""

import platform
import re
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from shoal.contract.files import OLDEST

_NUMBER = r"(?:0|[1-9]\d?)"
_PLAIN = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}")
_LAST_FIX = 30
"""No version of Python saw more corrections, and hardly any of a library."""

_GENERATIONS = 4
"""So much larger than here may a library's first number be: Arrow counts up three times a year."""

UNKNOWN = "unknown"


@cache
def installed(name: str) -> str:
    """The version of something that is installed here."""
    try:
        return platform.python_version() if name == "python" else version(name)
    except PackageNotFoundError:
        return UNKNOWN


def is_possible(name: str, said: object, today: date) -> bool:
    """Tell whether a release can have been made with a version of something.

    >>> is_possible("python", "3.11.7", date(2026, 6, 1)), is_possible("python", "3.16.0", date(2026, 6, 1))
    (True, False)
    >>> is_possible("numpy", installed("numpy"), date(2026, 6, 1)), is_possible("numpy", "65.66.67", date(2026, 6, 1))
    (True, False)
    """
    here = installed(name)
    if said == here:
        return True
    if not isinstance(said, str) or not _PLAIN.fullmatch(said) or name not in OLDEST:
        return False
    numbers = _numbers(said)
    # Of what is not out yet, as far as is known here, less is believed.
    small = max(numbers[1:]) <= _LAST_FIX if name != "python" and numbers > _numbers(here) else True
    possible = OLDEST[name] <= numbers <= _newest(name, here, today)
    return possible and small and (name != "python" or numbers[-1] <= _LAST_FIX)


def _newest(name: str, here: str, today: date) -> tuple[int, ...]:
    if name != "python":
        known = _numbers(here)
        return known if name == "shoal" or not known else (known[0] + _GENERATIONS, 0, 0)
    # A new one comes every year: 3.14 came in 2025.
    return max(_numbers(here), (3, today.year - 2011, _LAST_FIX))


def _numbers(said: str) -> tuple[int, ...]:
    """Return the numbers in front of whatever else a version has."""
    found = re.match(r"\d+(\.\d+)*", said)
    return tuple(map(int, found.group().split("."))) if found else ()
