"""Who looks exactly like whom, part by part: whoever is alike has as many rows and the same first one."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shoal.attacks import parts as some_rows
from shoal.attacks.crowd import Ints
from shoal.attacks.narrow import wide
from shoal.attacks.same import same_sequences
from shoal.auditor.parts import Maps, mapped
from shoal.data.layout import rows_of

_ODD = 1_000_003


class _Some(NamedTuple):
    """Rows of some individuals, as :func:`same_sequences` takes them."""

    offsets: Ints
    columns: tuple[Ints, ...]


def alike(offsets: Ints, columns: tuple[Ints, ...], engine: Maps, *, most: int | None = None) -> Ints:
    """Return each individual's class: the number of the first individual that has the same rows in the same order.

    Nobody is compared across parts, and need not be: those who are alike are in one. If all are alike, so is all in it.

    Parameters
    ----------
    offsets, columns
        Rows of individuals, one after the other.
    engine
        Who compares.
    most
        Rows in a part, about; :data:`shoal.attacks.parts.ROWS` by default.
    """
    parts = max(1, -(-int(offsets[-1]) // (most or some_rows.ROWS)))
    part_of = _marks(offsets, columns) % np.uint64(parts)
    members = [np.flatnonzero(part_of == part) for part in range(parts)]

    def made() -> Iterator[_Some]:
        for some in members:
            own, rows = rows_of(offsets, some)
            yield _Some(own, tuple(wide(column[rows]) for column in columns))

    classes = np.empty(offsets.size - 1, np.int64)
    for some, found in zip(members, mapped(engine, _classes, made(), [len(some) for some in members]), strict=True):
        classes[some] = some[found]
    return classes


def _classes(some: _Some) -> Ints:
    return same_sequences(*some)


def _marks(offsets: Ints, columns: tuple[Ints, ...]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A number for each individual, the same for all who have as many rows and the same first one."""
    first = np.minimum(offsets[:-1], max(0, int(offsets[-1]) - 1))
    total = np.diff(offsets).astype(np.uint64)
    for column in columns:
        total = total * np.uint64(_ODD) + wide(column[first]).view(np.uint64)
    return (total * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
