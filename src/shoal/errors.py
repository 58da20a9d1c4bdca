"""What Shoal says when it cannot go on.

Every error tells what was found, what was expected and one hint. None of them may carry an identifier, a
coordinate or any other value of the data: row numbers and column names only.

A parameter stands in backticks, as Python spells it (see :func:`given`). The command line turns that into the
option that its user typed: ``--k 1``, ``--min-per-day``.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class ShoalError(Exception):
    """Base of all errors that a user can cause and can mend.

    Parameters
    ----------
    found, expected, hint
        One short sentence each, without a final full stop.
    """

    exit_code = 1

    def __init__(self, found: str, *, expected: str, hint: str) -> None:
        self.found = found
        self.expected = expected
        self.hint = hint
        super().__init__(f"{found}; expected {expected}; hint: {hint}")


class DataError(ShoalError):
    """The input cannot be read, or a row of it breaks a rule."""


class ParameterError(ShoalError):
    """A parameter has a value that cannot work."""


class OutputError(ShoalError):
    """The output cannot be written where it was asked for."""


class LedgerError(ShoalError):
    """The ledger knows an earlier release of the same people at the same time."""


def given(name: str, value: object) -> str:
    """Spell a parameter and its value, as an error names them.

    >>> given("k", 1), given("publish", "merged")
    ('`k=1`', "`publish='merged'`")
    """
    return f"`{name}={value!r}`"


def counted(number: int, one: str, many: str) -> str:
    """Spell a number of things, with the words for one or for any other number.

    >>> counted(1, "row breaks", "rows break"), counted(2000, "row breaks", "rows break"), counted(0, "row", "rows")
    ('1 row breaks', '2,000 rows break', '0 rows')
    """
    return f"{number:,} {one if number == 1 else many}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint with the nearest known word, or the list of all.

    >>> did_you_mean("cabspoting", ["geolife", "cabspotting"])
    "did you mean 'cabspotting'?"
    >>> did_you_mean("q", ["geolife", "cabspotting"])
    'known: cabspotting, geolife'
    """
    names = sorted(known)
    near = get_close_matches(word, names, n=1)
    return f"did you mean '{near[0]}'?" if near else "known: " + ", ".join(names)
