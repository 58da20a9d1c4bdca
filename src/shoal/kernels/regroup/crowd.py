"""Everybody as the search sees them."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.kmerge.batch import LARGEST
from shoal.kernels.kmerge.stamps import Rule, stretch_rule
from shoal.kernels.regroup.cost import Cost, cost_for, rarely


class Crowd(NamedTuple):
    """People as in `shoal.kernels`, snapped to the cells of what will be published, and what a sample of each counts.

    ``weight`` is what its time counts, ``room`` what its space counts beyond that, which may be less than nothing.
    Spans are divided by ``space_unit`` and ``time_unit``, both in cells.
    """

    offsets: NDArray[np.int64]
    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    room: NDArray[np.float64]
    rule: Rule
    space_unit: float
    time_unit: float
    cost: Cost


def crowd_of(
    offsets: NDArray[np.int64],
    t: NDArray[np.int32],
    x: NDArray[np.int32],
    y: NDArray[np.int32],
    k: int,
    *,
    space_cap: int,
    time_cap: int | Fraction,
    dt: int = 1,
    dx: int = 1,
) -> Crowd:
    """Everybody, where nothing is left out.

    Parameters
    ----------
    offsets, t, x, y
        People as in `shoal.kernels`.
    k
        The least size of a group, 2 or more.
    space_cap, time_cap
        20 km in cells, and how long is worth as much.
    dt, dx
        The cells of what will be published, in cells of the data.
    """
    lengths = np.diff(offsets).astype(np.float64)
    return Crowd(
        np.array(offsets, np.int64),
        snapped(t, dt),
        snapped(x, dx),
        snapped(y, dx),
        one_in_the_mean(lengths ** -rarely(k), lengths),
        np.zeros(lengths.size),
        stretch_rule(space_cap, time_cap, dt, dx),
        float(space_cap),
        float(time_cap),
        cost_for(k),
    )


def one_in_the_mean(weight: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of people's samples, such that a sample counts 1 in the mean."""
    return np.asarray(weight / ((weight * lengths).sum() / lengths.sum()))


def heavier(crowd: Crowd, space: NDArray[np.float64], time: NDArray[np.float64]) -> Crowd:
    """Everybody, with samples that count so many times as much: their space, and their time."""
    of_space = (crowd.weight + crowd.room) * space
    weight = crowd.weight * time
    scaled = one_in_the_mean(weight, np.diff(crowd.offsets).astype(np.float64))
    return crowd._replace(weight=scaled, room=of_space * scaled / weight - scaled)


def whole_price(crowd: Crowd) -> int:
    """The price of a sample as k-merge counts, which is in whole numbers; -1 where there is none."""
    price = crowd.cost.price * crowd.rule.space_weight * crowd.space_unit
    return -1 if np.isinf(price) else round(price)


def snapped(values: NDArray[np.int32], unit: int) -> NDArray[np.int32]:
    """Where the cells of the publication begin that hold these; a copy in any case.

    >>> snapped(np.array([-1, 0, 7], np.int32), 5)
    array([-5,  0,  5], dtype=int32)
    """
    return np.asarray(values // np.int32(unit) * np.int32(unit), np.int32)


def check_limits(crowd: Crowd, largest: int) -> None:
    """Refuse people whose groups, of at most so many, could cost more than 64 bits hold."""
    samples = int(np.sort(np.diff(crowd.offsets))[-largest:].sum())
    time, *space = (int(v.max()) - int(v.min()) for v in (crowd.t, crowd.x, crowd.y))
    across = sum(space) + 2 * crowd.rule.dx
    each = crowd.rule.space_weight * across + crowd.rule.time_weight * (time + crowd.rule.dt)
    if samples * each >= LARGEST:
        raise ValueError("spans, weights and samples are too large for exact 64-bit costs")
