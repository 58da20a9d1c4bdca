"""How names that somebody else chose, of files and columns, are told in errors."""

from collections.abc import Sequence

_LONGEST = 60
_MOST = 20


def told(name: str) -> str:
    """Spell a name of a file or column: as it is where that is harmless, quoted where it is odd, and never at length.

    >>> told("part-0003.csv"), told(" lat"), told("a\\nb"), told("x" * 99)[-12:]
    ('part-0003.csv', "' lat'", "'a\\\\nb'", 'xxxxxxxxxxx…')
    """
    if len(name) > _LONGEST:
        name = name[: _LONGEST - 1] + "…"
    return name if name.isprintable() and name == name.strip() and name else repr(name)


def told_all(names: Sequence[str]) -> str:
    """List names, the first ones of many.

    >>> told_all(["uid", "lat"]), told_all([f"c{i}" for i in range(200_000)])[-26:]
    ('uid, lat', 'c19 and 199,980 more names')
    """
    more = len(names) - _MOST
    listed = ", ".join(map(told, names[:_MOST]))
    return f"{listed} and {more:,} more {'name' if more == 1 else 'names'}" if more > 0 else listed
