"""Blocks of people: what an engine works on at a time where everybody can be worked on alone."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.data.layout import Ints64

ROWS = 250_000
"""Rows of a block, about: enough for a kernel, and little enough for memory and for a progress bar."""


class Block(NamedTuple):
    """Some people in a row: ``first`` to ``last``, and their rows likewise; the ends do not belong to it."""

    first: int
    last: int
    start: int
    stop: int


def blocks_of(offsets: Ints64, rows: int = ROWS) -> list[Block]:
    """Cut people into blocks, nobody in two of them. It depends on the data alone, hence so may what a seed gives.

    >>> blocks_of(np.array([0, 2, 3, 9]), rows=3)
    [Block(first=0, last=2, start=0, stop=3), Block(first=2, last=3, start=3, stop=9)]
    >>> blocks_of(np.array([0]))
    []
    """
    people = offsets.size - 1
    number = offsets[:-1] // rows
    edges = np.flatnonzero(np.concatenate(([True], number[1:] != number[:-1], [True]))) if people else np.zeros(1, int)
    return [Block(int(first), int(last), int(offsets[first]), int(offsets[last])) for first, last in pairwise(edges)]
