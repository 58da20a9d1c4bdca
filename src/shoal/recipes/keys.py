"""What may stand behind a key of a recipe: a kind of value, checked once, with words for people."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import ParameterError, did_you_mean

_NO = object()
"""What a kind answers where a value is none of it."""


class Kind(NamedTuple):
    """A kind of value: in words, with an example, and how it is taken from TOML; paths are relative to the recipe."""

    words: str
    example: str
    taken: Callable[[Any, Path], Any]


class Key(NamedTuple):
    """One key of a section."""

    name: str
    kind: Kind
    help: str
    default: Any = None
    required: bool = False


def _text(value: Any, _: Path) -> Any:
    return value if isinstance(value, str) and value else _NO


def _path(value: Any, folder: Path) -> Any:
    return folder / value if isinstance(value, str) and value else _NO


def _paths(value: Any, folder: Path) -> Any:
    several = value if isinstance(value, list) else [value]
    return [folder / one for one in several] if several and all(isinstance(v, str) and v for v in several) else _NO


def _flag(value: Any, _: Path) -> Any:
    return value if isinstance(value, bool) else _NO


def _whole(value: Any, _: Path) -> Any:
    return value if isinstance(value, int) and not isinstance(value, bool) else _NO


def _number(value: Any, _: Path) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else _NO


def _columns(value: Any, _: Path) -> Any:
    fits = isinstance(value, dict) and all(isinstance(one, str) and one for one in value.values())
    return value if fits else _NO


def _sizes(value: Any, folder: Path) -> Any:
    several = value if isinstance(value, list) else [value]
    return several if several and all(_whole(one, folder) is not _NO for one in several) else _NO


def _pairs(value: Any, folder: Path) -> Any:
    names = ("release", "secret")
    if not isinstance(value, list):
        return _NO
    for one in value:
        if not isinstance(one, dict) or set(one) != set(names) or _paths(list(one.values()), folder) is _NO:
            return _NO
    return [tuple(folder / one[name] for name in names) for one in value]


TEXT = Kind("text", '"…"', _text)
PATH = Kind("a path", '"cells.parquet"', _path)
PATHS = Kind("a path or a list of them", '"events.parquet"', _paths)
FLAG = Kind("true or false", "true", _flag)
WHOLE = Kind("a whole number", "2", _whole)
NUMBER = Kind("a number", "0.5", _number)
COLUMNS = Kind("a table of names", '{ uid = "sim", datetime = "ts" }', _columns)
SIZES = Kind("a whole number or a list of them", "[2, 5]", _sizes)
PAIRS = Kind("a list of releases", '[{ release = "june", secret = "june.secret" }]', _pairs)


def check_names(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Refuse the first name that is not known.

    >>> check_names(["mechnism"], ["mechanism", "k"], "[protect]")
    Traceback (most recent call last):
    shoal.errors.ParameterError: 'mechnism' in [protect]; expected a key that is known there; hint: did you mean \
'mechanism'?
    """
    names = list(known)
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names) if names else "leave it out; nothing can be set there"
            raise ParameterError(f"{_quoted(name)} in {where}", expected="a key that is known there", hint=hint)


def take(section: Mapping[str, Any], keys: Iterable[Key], where: str, folder: Path) -> dict[str, Any]:
    """Take the values of a section by its keys, each as its kind; defaults where one is left out.

    Parameters
    ----------
    section
        What stands in the recipe; names that are not among the keys are left alone.
    keys
        What may stand there.
    where
        Name of the section, for errors.
    folder
        What paths are relative to.

    Examples
    --------
    >>> take({"k": [2, 5]}, [Key("k", SIZES, "Crowd sizes."), Key("levels", FLAG, "", False)], "[measure]", Path())
    {'k': [2, 5], 'levels': False}
    """
    values = {}
    for key in keys:
        if key.name not in section:
            if key.required:
                raise ParameterError(
                    f"no {key.name} in {where}", expected=key.kind.words, hint=f"add {key.name} = {key.kind.example}"
                )
            values[key.name] = key.default
            continue
        value = key.kind.taken(section[key.name], folder)
        if value is _NO:
            raise ParameterError(
                f"{key.name} in {where} that is {_type_in_words(section[key.name])}",
                expected=key.kind.words,
                hint=f"for example {key.name} = {key.kind.example}",
            )
        values[key.name] = value
    return values


def _quoted(name: str) -> str:
    """A key as it stands; a very long one may be the text of something else."""
    return repr(name) if len(name) <= 60 else f"a key of {len(name):,} characters"


def _type_in_words(value: Any) -> str:
    if value in ("", []):
        return "empty"
    words = {
        bool: "true or false",
        str: "text",
        list: "a list",
        dict: "a table",
        int: "a whole number",
        float: "a number",
    }
    return words.get(type(value), "a date or a time")
