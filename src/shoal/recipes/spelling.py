"""Errors of the library name parameters as Python spells them; whoever wrote a recipe wants its keys."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from shoal.errors import ShoalError

_PARAMETER = re.compile(r"`([a-z_.]+)(?:=([^`]*))?`")
_OPTIONS = ("again", "update_lock")
"""What is no key but an option of ``shoal run``: an act, not a setting."""

_OTHER_NAMES = {
    "path": "release in [output]",
    "secret": "secret in [output]",
    "grid.cell_m": "grid_m",
    "grid.dt_s": "grid_s",
}


def as_keys(text: str) -> str:
    """Spell the parameters in a message as keys of a recipe; options of the command stay as they are.

    >>> as_keys("`k=1` and `bad_rows='drop'`, or `again=True`; lower `min_per_day`, choose another `path`")
    'k = 1 and bad_rows = "drop", or `again=True`; lower min_per_day, choose another release in [output]'
    """

    def key(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name in _OPTIONS:
            return found[0]
        spelled = _OTHER_NAMES.get(name, name)
        if value is None:
            return spelled
        return f"{spelled} = {value.lower() if value in ('True', 'False') else value.replace(chr(39), chr(34))}"

    return _PARAMETER.sub(key, text)


@contextmanager
def said_of_keys(where: str = "") -> Iterator[None]:
    """Spell errors from inside as keys of the recipe; ``where`` names the section that they are about."""
    try:
        yield
    except ShoalError as error:
        found = as_keys(error.found) + (f" in {where}" if where else "")
        raise type(error)(found, expected=as_keys(error.expected), hint=as_keys(error.hint)) from error
