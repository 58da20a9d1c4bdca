"""Who was where and when, a million rows or so at a time: what is read need not be held twice.

:func:`shoal.data.sightings.read_sightings` gives the same in one table.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from shoal.data import schemas
from shoal.data.layout import Ints32
from shoal.data.loading import load_batches, nothing_kept
from shoal.data.numbering import Numbering
from shoal.data.options import ReadOptions
from shoal.data.sightings import positions_in, rules_for
from shoal.progress import Progress


class SightingStream:
    """Positions that keep all rules, batch by batch, and what was found on the way, once all batches were taken.

    >>> events = {"uid": ["b", "a"], "datetime": ["2020-01-01T00:00:01.5Z"] * 2, "lat": [6.1] * 2, "lng": [-5.2] * 2}
    >>> stream = SightingStream(events)
    >>> [frame.rows() for frame in stream], stream.rows
    ([[('b', 1577836801500000, 6.1, -5.2), ('a', 1577836801500000, 6.1, -5.2)]], 2)

    Attributes
    ----------
    kind, rows, records, time_zone, ignored_columns, dropped
        As in :class:`shoal.data.sightings.Sightings`.
    """

    def __init__(self, source: Any, options: ReadOptions | None = None, progress: Progress | None = None) -> None:
        self._source, self._options, self._progress = source, options or ReadOptions(), progress
        self.kind: schemas.SightingKind = "points"
        self.rows = self.records = 0
        self.time_zone = ""
        self.ignored_columns: tuple[str, ...] = ()
        self.dropped: Counter[str] = Counter()

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """Read: ``uid, epoch_us, lat, lng``, a row per position, in the order of the input."""
        options = self._options
        preset = schemas.find_preset(options.schema) if options.schema else None
        for loaded in load_batches(
            self._source,
            options,
            lambda names: schemas.resolve(names, options.columns, preset, options.person),
            self._progress,
        ):
            self.kind = schemas.kind_of_sightings(loaded.frame.columns)
            positions, kept, self.time_zone = positions_in(loaded, options)
            self.rows += loaded.rows
            self.records += kept.frame.height
            self.ignored_columns = loaded.ignored_columns
            self.dropped.update(kept.dropped)
            del loaded, kept
            yield positions
        if not self.records:
            raise nothing_kept(self.dropped, rules_for(self.kind, allow_zero=options.allow_zero))


class Identifiers:
    """The distinct identifiers of batches, and the number of each row's."""

    def __init__(self) -> None:
        self._numbering = Numbering()

    def __len__(self) -> int:
        """Count those met so far; the next new one has this number."""
        return len(self._numbering)

    def numbers(self, uid: pl.Series) -> Ints32:
        """Number the identifiers of a batch.

        >>> people = Identifiers()
        >>> people.numbers(pl.Series(["b", "a", "b"])).tolist(), people.numbers(pl.Series(["c", "a"])).tolist()
        ([0, 1, 0], [2, 1])
        """
        if uid.dtype == pl.String:
            return self._numbering.numbers(uid).astype(np.int32)
        # Few distinct values, many rows: look at the values once.
        distinct, codes = uid.unique(), uid.to_physical().to_numpy()
        number = np.empty(int(codes.max(initial=0)) + 1, np.int32)
        number[distinct.to_physical().to_numpy()] = self._numbering.numbers(distinct)
        return np.asarray(number[codes])

    def sorted(self) -> tuple[pl.Series, Ints32]:
        """Return all of them sorted, and for each number the place among those."""
        names = self._numbering.names()
        order = names.arg_sort().to_numpy()
        place = np.empty(order.size, np.int32)
        place[order] = np.arange(order.size)
        return names.gather(order), place
