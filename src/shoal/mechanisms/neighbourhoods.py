"""Neighbourhoods of people who are likely to hide each other, for data beyond memory or patience (``--partition``).

Not in the papers. A k-d tree over everybody's mean place: halves of about equal size, cut across the wider side,
until no part has more people than asked for. The mean place, unlike the home, tells those who travel from those who
stay: grouped within such parts, people keep as much accuracy as in the whole (docs/explanation/partition.md).
"""

import numpy as np
from numpy.typing import NDArray

from shoal.data import Traces
from shoal.data.layout import Ints64
from shoal.errors import ParameterError, given
from shoal.mechanisms.kd_parts import kd_parts

LEAST_PARTITION = 4
"""Times k: so that a neighbourhood, which may be about half as large as asked for, has k people in any case."""

MOST_PEOPLE = 1_000_000


def refuse_too_small(partition: int | None, k: int) -> None:
    """Refuse neighbourhoods in which there might be fewer than k people."""
    least = LEAST_PARTITION * k
    if partition is not None and partition < least:
        raise ParameterError(
            given("partition", partition),
            expected=f"a whole number from {LEAST_PARTITION} k = {least} on",
            hint="neighbourhoods of 10,000 to 50,000 people lose next to nothing",
        )


def neighbourhoods(traces: Traces, most: int) -> list[Ints64]:
    """Split people into parts of at most ``most``; each is an ascending index. No part is much smaller than half of it.

    Ties go by what people have, not by where they stand in the input.
    """
    starts, lengths = traces.offsets[:-1], traces.lengths
    x, y = (np.add.reduceat(v, starts, dtype=np.int64) / lengths for v in (traces.x, traces.y))
    return [np.sort(part) for part in kd_parts(np.argsort(content(traces), kind="stable"), (x, y), most)]


def content(traces: Traces) -> NDArray[np.uint64]:
    """A number for what each person has: it settles ties, whatever the order of the input."""
    mixed = np.zeros(traces.samples, np.uint64)
    for values in (traces.t, traces.x, traces.y):
        mixed = (mixed ^ values.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.add.reduceat(mixed, traces.offsets[:-1])
