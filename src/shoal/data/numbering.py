"""Numbers for identifiers that come in one batch after another.

Identifiers are told apart by 64 bits of their hash, which numpy sorts and searches far quicker than text; a second hash
tells should two of them ever share the first. (polars' categories take ten times as long for millions of people.)
"""

import secrets

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.layout import Ints64
from shoal.data.values import starts_of_runs, text_apart
from shoal.errors import DataError

Hashes = NDArray[np.uint64]


class Numbering:
    """Gives each distinct identifier a number, in the order in which they are met.

    >>> people = Numbering()
    >>> people.numbers(pl.Series(["b", "a", "b"])).tolist(), people.numbers(pl.Series(["c", "a"])).tolist()
    ([0, 1, 0], [2, 1])
    >>> people.names().to_list()
    ['b', 'a', 'c']
    """

    def __init__(self) -> None:
        self._seeds = secrets.randbits(60), secrets.randbits(60)
        self._known: Hashes = np.empty(0, np.uint64)
        self._second: Hashes = np.empty(0, np.uint64)
        self._number: Ints64 = np.empty(0, np.int64)
        self._names: list[pl.Series] = []

    def __len__(self) -> int:
        """Count the identifiers met so far."""
        return len(self._known)

    def names(self) -> pl.Series:
        """Return the identifiers, each at the place that its number says."""
        return pl.concat(self._names, rechunk=True) if self._names else pl.Series("uid", [], pl.String)

    def numbers(self, identifiers: pl.Series) -> Ints64:
        """Number the identifiers of a batch."""
        text = identifiers.cast(pl.String)
        starts = starts_of_runs(text)
        if 2 * int(starts.sum()) > len(text):
            return self._numbers_of_each(text)
        rows = starts.arg_true().to_numpy()
        return np.repeat(self._numbers_of_each(text.filter(starts)), np.diff(rows, append=len(text)))

    def _numbers_of_each(self, text: pl.Series) -> Ints64:
        first, second = (text.hash(seed).to_numpy() for seed in self._seeds)
        order = _order(first)
        ordered = first[order]
        starts = np.concatenate(([True], ordered[1:] != ordered[:-1])) if ordered.size else np.empty(0, np.bool_)
        which = np.cumsum(starts) - 1
        distinct, row = ordered[starts], order[starts]
        place = self._places(distinct, second[row], row, text)
        if (self._second[place][which] != second[order]).any():
            raise DataError(
                "two identifiers that this run cannot tell apart", expected="different hashes", hint="run it again"
            )
        result = np.empty(len(text), np.int64)
        result[order] = self._number[place][which]
        return result

    def _places(self, distinct: Hashes, second: Hashes, row: Ints64, text: pl.Series) -> Ints64:
        """Find a batch's hashes among the known ones; those that are new join them, in the order of their rows."""
        place = np.searchsorted(self._known, distinct)
        at = np.minimum(place, max(len(self._known) - 1, 0))
        new = self._known[at] != distinct if len(self._known) else np.ones(len(distinct), np.bool_)
        if not new.any():
            return place
        rank = np.argsort(np.argsort(row[new]))
        number = len(self._known) + rank
        self._names.append(text_apart(text.gather(np.sort(row[new]))))
        self._known = np.insert(self._known, place[new], distinct[new])
        self._second = np.insert(self._second, place[new], second[new])
        self._number = np.insert(self._number, place[new], number)
        # Each stands behind the new ones that are smaller.
        return np.asarray(place + np.cumsum(new) - new, np.int64)


def _order(hashes: Hashes) -> Ints64:
    """Return the rows in the order of their hashes, equal ones as they came.

    Sorting numbers takes a fifth of the time of sorting their positions. So the row stands in the last digits of what
    is sorted; should two hashes differ in those alone, they may be mixed up, and positions are sorted after all.

    >>> _order(np.array([9 << 60, 5, 9 << 60, 5 << 60], np.uint64)).tolist()
    [1, 3, 0, 2]
    """
    bits = np.uint64(max(len(hashes) - 1, 0).bit_length())
    mixed = (hashes >> bits << bits) | np.arange(len(hashes), dtype=np.uint64)
    mixed.sort()
    order = (mixed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    ordered = hashes[order]
    if (ordered[1:] < ordered[:-1]).any():
        return np.argsort(hashes, kind="stable")
    return order
