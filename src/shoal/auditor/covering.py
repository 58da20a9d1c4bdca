"""Which raw sample lies in which box of its own person, and which boxes hold none.

Nothing is assumed of the boxes: they may overlap, and a person may have several uids. That is what is to be found out.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.narrow import narrow
from shoal.attacks.parts import cuts
from shoal.auditor.parts import Maps, mapped

Mask = NDArray[np.bool_]
Inside = Callable[[Ints, Ints], Mask]
"""Tells for pairs of a sample and a box whether the one lies in the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """The join of samples and boxes.

    Attributes
    ----------
    box_of
        For each sample the row, in the published crowd, of a box of its person that holds it; -1 for none.
    holds
        For each published row whether a sample of its person lies in it; rows of unknown people hold nothing.
    """

    box_of: Ints
    holds: Mask


class _Some(NamedTuple):
    """Some people: their samples, their boxes and whose these are, counted from the first of these people."""

    crowd: Crowd
    person_of: Ints
    samples: Samples


def cover(crowd: Crowd, person_of: Ints, samples: Samples, engine: Maps, *, most: int | None = None) -> Cover:
    """Join: a sample lies in a box when its whole cell does. Everybody alone, so parts of people are joined apart.

    Parameters
    ----------
    crowd
        What is published.
    person_of
        The person of each individual of it, -1 for nobody.
    samples
        What is known of people.
    engine
        Who joins.
    most
        Samples and boxes in a part, about; :data:`shoal.attacks.parts.ROWS` by default.
    """
    known = np.flatnonzero(person_of >= 0)
    individuals = known[np.argsort(person_of[known], kind="stable")]
    starts = np.searchsorted(person_of[individuals], np.arange(len(samples) + 1))
    boxes = np.concatenate(([0], np.cumsum(crowd.lengths[individuals])))[starts]
    ranges = cuts(samples.lengths + np.diff(boxes), most)

    def parts() -> Iterator[_Some]:
        for low, high in ranges:
            some = individuals[starts[low] : starts[high]]
            yield _Some(crowd.take(some), person_of[some] - low, samples.between(low, high))

    sizes = [int(samples.offsets[high] - samples.offsets[low]) for low, high in ranges]
    few = crowd.t0.size < 1 << 31
    box_of: Ints = np.full(samples.t.size, -1, np.int32 if few else np.int64)
    holds = np.zeros(crowd.t0.size, np.bool_)
    for (low, high), found in zip(ranges, mapped(engine, _covered, parts(), sizes), strict=True):
        _, rows = crowd.rows_of(individuals[starts[low] : starts[high]])
        holds[rows] = found.holds
        mine = box_of[samples.offsets[low] : samples.offsets[high]]
        covered = found.box_of >= 0
        mine[covered] = rows[found.box_of[covered]]
    return Cover(box_of, holds)


def _covered(some: _Some) -> Cover:
    """Join the samples and the boxes of some people."""
    crowd, samples = some.crowd, some.samples
    rows, person = _by_person(crowd, some.person_of)
    t0, t1, x0, x1, y0, y1 = (column[rows] for column in crowd.columns)
    low = int(min(t0.min(initial=0), samples.t.min(initial=0)))
    high = int(max(t1.max(initial=0), samples.t.max(initial=0) + samples.dt_s))
    width = high - low + 2
    moment = samples.owner * width + (samples.t - low)
    start, end = person * width + (t0 - low), person * width + (t1 - low)

    def inside(sample: Ints, box: Ints) -> Mask:
        x, y = samples.x[sample], samples.y[sample]
        fits = (x0[box] <= x) & (x + samples.cell_m <= x1[box]) & (y0[box] <= y) & (y + samples.cell_m <= y1[box])
        return np.asarray(fits & (start[box] <= moment[sample]) & (moment[sample] + samples.dt_s <= end[box]))

    box_of = _last_first(start, end, moment, samples.dt_s, inside)
    holds = np.zeros(rows.size, np.bool_)
    holds[box_of[box_of >= 0]] = True
    _look_again(holds, start, end, moment, samples.dt_s, inside)

    published = np.zeros(crowd.t0.size, np.bool_)
    published[rows] = holds
    covered = box_of >= 0
    box_of[covered] = rows[box_of[covered]]
    return Cover(narrow(box_of), published)


def _by_person(crowd: Crowd, person_of: Ints) -> tuple[Ints, Ints]:
    """Return the rows of known people and their persons, sorted by person and start."""
    known = np.flatnonzero(person_of >= 0)
    order = known[np.argsort(person_of[known], kind="stable")]
    offsets, rows = crowd.rows_of(order)
    person = np.repeat(person_of[order], np.diff(offsets))
    tied = person[1:] == person[:-1]
    if (tied & (crowd.t0[rows][1:] < crowd.t0[rows][:-1])).any():
        again = np.lexsort((crowd.t0[rows], person))
        rows, person = rows[again], person[again]
    return rows, person


def _last_first(start: Ints, end: Ints, moment: Ints, dt_s: int, inside: Inside) -> Ints:
    """Find for each sample a box that holds it, from the last that starts before it backwards.

    ``reach`` is the latest end of all boxes so far: where it lies before the sample, no earlier box can hold it.
    Boxes that are disjoint in time need one step.
    """
    found = np.full(moment.size, -1, np.int64)
    if not start.size:
        return found
    reach = np.maximum.accumulate(end)
    at = np.searchsorted(start, moment, side="right") - 1
    open_ = np.flatnonzero((at >= 0) & (reach[at] >= moment + dt_s))
    at = at[open_]
    while open_.size:
        hit = inside(open_, at)
        found[open_[hit]] = at[hit]
        open_, at = open_[~hit], at[~hit] - 1
        going = (at >= 0) & (reach[at] >= moment[open_] + dt_s)
        open_, at = open_[going], at[going]
    return found


def _look_again(holds: Mask, start: Ints, end: Ints, moment: Ints, dt_s: int, inside: Inside) -> None:
    """Try all samples of the time of each box that no sample chose: boxes may overlap."""
    open_ = np.flatnonzero(~holds)
    at = np.searchsorted(moment, start[open_])
    stop = np.searchsorted(moment, end[open_] - dt_s, side="right")
    while open_.size:
        going = at < stop
        open_, at, stop = open_[going], at[going], stop[going]
        hit = inside(at, open_)
        holds[open_[hit]] = True
        open_, at, stop = open_[~hit], at[~hit] + 1, stop[~hit]
