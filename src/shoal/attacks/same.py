"""Who looks exactly like whom: classes of individuals with identical sequences.

Sequences are hashed, then every one is compared with its class's first, value by value. Whoever differs from it stands
alone, so a collision of hashes can never make a group look larger than it is.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.narrow import wide
from shoal.attacks.parts import cuts
from shoal.data.layout import rows_of

_Words = NDArray[np.uint64]
_SALTS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03))


def same_sequences(offsets: Ints, columns: tuple[NDArray[np.integer], ...]) -> Ints:
    """Return each individual's class: the number of the first individual that has the same rows in the same order.

    >>> same_sequences(np.array([0, 2, 4, 5]), (np.array([1, 2, 1, 2, 1]),))
    array([0, 0, 2])
    """
    lengths = np.diff(offsets)
    ranges = cuts(lengths)
    marks = [np.empty(lengths.size, np.uint64) for _ in _SALTS]
    for low, high in ranges:
        part = offsets[low : high + 1] - offsets[low]
        values = [wide(column[offsets[low] : offsets[high]]).view(np.uint64) for column in columns]
        within = (np.arange(part[-1]) - np.repeat(part[:-1], lengths[low:high])).astype(np.uint64)
        for mark, salt in zip(marks, _SALTS, strict=True):
            mark[low:high] = _marks(part, within, values, salt)
    # Stable: of equal marks the first individual comes first, and is the model of the others.
    order = np.lexsort((marks[1], marks[0], lengths))
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = np.any([mark[order][1:] != mark[order][:-1] for mark in (*marks, lengths)], axis=0)
    model = np.empty(order.size, np.int64)
    model[order] = order[fresh][np.cumsum(fresh) - 1]
    for low, high in ranges:
        _unlike(offsets, columns, model[low:high], low)
    return model


def _unlike(offsets: Ints, columns: tuple[NDArray[np.integer], ...], model: Ints, low: int) -> None:
    """Compare all rows of the individuals from ``low`` on with those of their models; who differs stands alone."""
    high = low + model.size
    own, rows = rows_of(offsets, model)
    differs = np.zeros(rows.size, np.bool_)
    for column in columns:
        differs |= column[offsets[low] : offsets[high]] != column[rows]
    wrong = np.concatenate(([0], np.cumsum(differs)))
    alone = wrong[own[1:]] != wrong[own[:-1]]
    model[alone] = np.flatnonzero(alone) + low


def _marks(offsets: Ints, within: _Words, columns: list[_Words], salt: np.uint64) -> _Words:
    mark = _mixed(within + salt)
    for column in columns:
        mark = _mixed(mark ^ column)
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mark, dtype=np.uint64)))
    return np.asarray(total[offsets[1:]] - total[offsets[:-1]])


def _mixed(words: _Words) -> _Words:
    """Scatter bits: the finalizer of SplitMix64."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


def class_sizes(classes: Ints) -> Ints:
    """Return the size of each individual's class."""
    return np.bincount(classes, minlength=classes.size)[classes].astype(np.int64)
