"""The people on whom mechanisms are tried: all of them, or some, drawn at random and cut into smaller crowds."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from shoal.data import Grid, Profiles, ReadOptions, Traces, read_as
from shoal.data.layout import Ints64
from shoal.errors import DataError
from shoal.measurement.nature import Nature, nature_of
from shoal.measurement.tally import Tally
from shoal.progress import Progress

SAMPLE_SEED = 0
"""The same people each time: who is drawn protects nobody, since nothing is published."""


@dataclass
class Source:
    """Data that are read as what each mechanism takes, once each.

    Attributes
    ----------
    data
        Anything that can be read.
    grid, options
        How to read it.
    """

    data: Any
    grid: Grid | None = None
    options: ReadOptions | None = None
    progress: Progress | None = None
    _read: dict[type, Any] = field(default_factory=dict)

    def all(self, takes: type) -> Any:
        """Return everybody, as this class of data."""
        if takes not in self._read:
            grid = self.grid if takes is Traces else None
            self._read[takes] = read_as(takes, self.data, grid, self.options, self.progress)[0]
        return self._read[takes]

    def nature(self) -> Nature:
        """Tell what sort of data these are; what cannot be read as places and times may be profiles."""
        try:
            return nature_of(Tally.of(self.all(Traces)))
        except DataError as fault:
            try:
                self.all(Profiles)
            except DataError:
                raise fault from None
            return Nature("profiles", float("nan"), float("nan"))

    def base(self) -> Any:
        """Return everybody, as what the nature was told from."""
        return self._read[Profiles] if Profiles in self._read else self.all(Traces)

    @property
    def people(self) -> int:
        return len(self.base().ids)

    def some(self, takes: type, chosen: Ints64) -> Any:
        """Return these people, by their rank among all."""
        everybody = self.all(takes)
        if chosen.size == len(everybody.ids):
            return everybody
        keep = np.zeros(len(everybody.ids), np.bool_)
        keep[chosen] = True
        return everybody.select(keep)

    @cached_property
    def digest(self) -> str:
        """Tell these data from others; of keyless digests of people only the owner's own directory may hold one."""
        data, digest = self.base(), hashlib.blake2b(digest_size=16)
        columns = [data.values] if isinstance(data, Profiles) else [data.offsets, data.t, data.x, data.y]
        for column in columns:
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()


def drawn(people: int, size: int) -> Ints64:
    """Draw so many people at random; all of them where there are no more."""
    order = np.random.default_rng(SAMPLE_SEED).permutation(people)
    return order[: min(size, people)]


def smaller_crowds(sample: Ints64, fewest: int) -> list[Ints64]:
    """Cut a sample into two halves, and two quarters, as long as a crowd has ``fewest`` people.

    >>> [len(crowd) for crowd in smaller_crowds(np.arange(100), 10)], smaller_crowds(np.arange(9), 10)
    ([50, 50, 25, 25], [])
    """
    crowds = []
    for parts in (2, 4):
        size = sample.size // parts
        if size >= fewest:
            crowds += [sample[:size], sample[size : 2 * size]]
    return crowds
