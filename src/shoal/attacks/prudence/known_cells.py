"""Call profiles whose attacker knows given cells: the first weeks, some cells by name, or any so many of the weeks.

PRIMULE §4 with background knowledge h: a person in a municipality is hidden among those of the municipality whose
values are equal on h. Cells are packed into 64-bit words, by the number of values that each has, so that equal people
are equal words; four weeks of raw profiles take one. Exact for any values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.contract.kinds import cell_names
from shoal.errors import ParameterError, counted, did_you_mean, given
from shoal.progress import Progress, silent

PER_WEEK = len(cell_names(1))
_MOST_CHOICES = 20_000
_ROOM = 1 << 63


@dataclass(frozen=True, slots=True)
class KnownCells:
    """What an attacker knows of profiles; all cells where nothing is said.

    Parameters
    ----------
    weeks
        So many weeks.
    any_weeks
        Any so many of the weeks, whichever give most away, instead of the first ones.
    cells
        Cells by name, instead of weeks.
    """

    weeks: int | None = None
    any_weeks: bool = False
    cells: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.weeks is not None and self.cells is not None:
            raise ParameterError("`weeks` and `known`", expected="one or the other", hint="name cells, or count weeks")
        if self.any_weeks and self.weeks is None:
            raise ParameterError(
                "`any_weeks=True` without `weeks`", expected="how many weeks are known", hint="add `weeks=2`"
            )
        if self.cells is not None and not self.cells:
            raise ParameterError("`known` without a cell", expected="a cell or more", hint=f"{cell_names(1)[0]}, say")

    @property
    def said(self) -> bool:
        """Whether anything is said."""
        return self.weeks is not None or self.cells is not None

    def to_dict(self) -> dict[str, object]:
        cells = None if self.cells is None else list(self.cells)
        return {"weeks": self.weeks, "any_weeks": self.any_weeks, "cells": cells}

    def choices(self, weeks: int) -> tuple[list[Ints], list[tuple[int, ...]]]:
        """Return blocks of cells of profiles over so many weeks, and which blocks are known together, in turn."""
        if self.cells is not None:
            names = cell_names(weeks)
            strange = next((name for name in self.cells if name not in names), None)
            if strange is not None:
                raise ParameterError(
                    given("known", strange),
                    expected=f"cells of profiles over {counted(weeks, 'week', 'weeks')}",
                    hint=did_you_mean(strange, names),
                )
            return [np.array(sorted({names.index(name) for name in self.cells}))], [(0,)]
        blocks = [np.arange(week * PER_WEEK, (week + 1) * PER_WEEK) for week in range(weeks)]
        known = weeks if self.weeks is None else self.weeks
        if known > weeks:
            raise ParameterError(
                given("weeks", known), expected=f"at most the {weeks} that there are", hint="all weeks: leave it out"
            )
        if not self.any_weeks:
            return blocks, [tuple(range(known))]
        if comb(weeks, known) > _MOST_CHOICES:
            raise ParameterError(
                f"`any_weeks=True` with {given('weeks', known)} of {weeks}",
                expected=f"at most {_MOST_CHOICES:,} choices of weeks",
                hint="fewer weeks, or nearly all",
            )
        return blocks, list(combinations(range(weeks), known))


def fewest_alike(
    municipality: Ints, values: NDArray[np.float64], known: KnownCells, progress: Progress | None = None
) -> Ints:
    """Count for each row those of its municipality that are equal where it gives most away.

    >>> rows = np.array([[0, 0, 0, 0, 0, 0.5], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1]])
    >>> fewest_alike(np.zeros(3, np.int64), rows, KnownCells()).tolist()
    [1, 2, 2]
    >>> fewest_alike(np.zeros(3, np.int64), rows, KnownCells(cells=("w1_weekday_night",))).tolist()
    [3, 3, 3]
    """
    tell = progress or silent
    blocks, choices = known.choices(values.shape[1] // PER_WEEK)
    used = sorted({block for choice in choices for block in choice})
    words = {}
    for done, block in enumerate(used):
        tell("packing", done, len(used))
        words[block] = _packed([_levels(values[:, cell]) for cell in blocks[block]])
    place = _Word(municipality - municipality.min(), int(np.ptp(municipality)) + 1)
    fewest = np.full(len(values), len(values), np.int64)
    for done, choice in enumerate(choices):
        tell("comparing", done, len(choices))
        np.minimum(fewest, _alike(_packed([place, *(words[block] for block in choice)]).key), out=fewest)
    tell("comparing", len(choices), len(choices))
    return fewest


def share_above(matches: Ints, ks: Sequence[int] = (2, 5, 10, 20, 50, 100)) -> dict[str, float]:
    """Return the share of people whose risk is above 1/k, for some k: fewer than k match.

    >>> share_above(np.array([1, 4, 5, 20]), (2, 5))
    {'2': 0.25, '5': 0.5}
    """
    return {str(k): round(float((matches < k).mean()), 6) for k in ks}


class _Word(NamedTuple):
    """A number per row, below ``bound``; equal numbers for equal rows."""

    key: Ints
    bound: int


def _levels(column: NDArray[np.float64]) -> _Word:
    levels = pl.Series(column).unique().sort().to_numpy()
    # What is -0.0 equals 0.0, here and for polars.
    return _Word(np.searchsorted(levels, column), len(levels))


def _packed(parts: Sequence[_Word]) -> _Word:
    """Join words; where they do not fit into one, the values of the longer one are numbered anew first."""
    result = _Word(np.zeros(len(parts[0].key), np.int64), 1)
    for part in parts:
        if result.bound * part.bound >= _ROOM:
            result = _renumbered(result)
        if result.bound * part.bound >= _ROOM:
            part = _renumbered(part)
        result = _Word(result.key * part.bound + part.key, result.bound * part.bound)
    return result


def _renumbered(word: _Word) -> _Word:
    values, number = np.unique(word.key, return_inverse=True)
    return _Word(number.astype(np.int64), len(values))


def _alike(key: Ints) -> Ints:
    """Count for each row those with the same number."""
    order = np.argsort(key)
    ordered = key[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(np.append(first, len(key)))
    result = np.empty(len(key), np.int64)
    result[order] = np.repeat(counts, counts)
    return result
