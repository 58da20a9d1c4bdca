"""The frame: a measure says which kinds of release it looks at; ``shoal utility`` runs those of the release's kind.

A new measure is one function with :func:`measure` above it, in the module of its kind. It is handed the release beside
its original (a :class:`~shoal.usefulness.compared.Compared`), and returns figures by name: numbers, what
:func:`~shoal.usefulness.figures.spread` makes of many, or several of either under one name.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, TypeVar

from shoal.contract.kinds import KINDS, Kind

Figures = Mapping[str, Any]
Function = TypeVar("Function", bound=Callable[[Any], Figures])


class Measure(NamedTuple):
    """A measure, and the names of the kinds that it looks at."""

    kinds: tuple[str, ...]
    function: Callable[[Any], Figures]


MEASURES: list[Measure] = []
"""In the order in which their figures are told."""


def measure(*kinds: Kind) -> Callable[[Function], Function]:
    """Add a measure for these kinds of release."""

    def add(function: Function) -> Function:
        MEASURES.append(Measure(tuple(kind.name for kind in kinds), function))
        return function

    return add


def figures_of(kind: Kind, compared: Any, *, only: Collection[str] = ()) -> dict[str, Any]:
    """Run all measures of a kind: what all kinds share, what the kind has alone, then what it shares with another.

    ``only`` names the functions of those that are wanted.
    """
    figures: dict[str, Any] = {}
    for kinds, function in sorted(MEASURES, key=lambda one: 1 < len(one.kinds) < len(KINDS)):
        if kind.name in kinds and (not only or function.__name__ in only):
            found = function(compared)
            assert not found.keys() & figures.keys(), "two measures of one name"
            figures |= found
    return figures
