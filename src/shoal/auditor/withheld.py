"""What is withheld for being too large: of every member, and large; and what is published, not so."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from shoal.attacks.crowd import Ints, Samples
from shoal.auditor.case import Case
from shoal.auditor.cutting import Cutter, Sample
from shoal.auditor.limits import limits
from shoal.auditor.members import Members, held_by_boxes, parts_of_groups
from shoal.auditor.runs import first_of_each


class Cut(NamedTuple):
    """Stretches withheld as too large: without all members; not too large; that no cut makes too large throughout."""

    lacking: int
    small: int
    impossible: int


class _Stretches(NamedTuple):
    """Samples withheld as too large, stretch by stretch.

    ``rows`` are those of ``samples``, in order of time, ``first`` says where each stretch starts, ``sizes`` how many
    people its group has.
    """

    samples: Samples
    rows: Ints
    first: Ints
    sizes: Ints

    def of(self, number: int) -> Ints:
        """Return the rows of one of them."""
        end = int(self.first[number + 1]) if number + 1 < self.first.size else None
        return self.rows[int(self.first[number]) : end]


class _Judged(NamedTuple):
    """What can be told of stretches at once, and those that have to be cut: their samples, and their members."""

    lacking: int
    small: int
    left: list[tuple[list[Sample], int]]


def published_as_paper(case: Case) -> bool:
    """Tell whether the paper's own boxes are said to be published: those may overlap, and hulls took their place."""
    return case.parameters.get("publish") == "merge"


def cut(case: Case) -> Cut:
    """Look at all samples that are withheld as too large, of people who are published."""
    if not case.listing.of("threshold").any():
        return Cut(0, 0, 0)
    stretches = _of_groups if published_as_paper(case) else _in_time
    found = (_judged(case, stretches(case, part)) for part in parts_of_groups(case))
    return _together(case, found)


def emptied(case: Case, people: Ints) -> bool:
    """Tell whether people who were emptied may all have been in boxes beyond the thresholds, and no others.

    Who was with whom is not recorded. Fewer than 2 k people are one group, which must be one that can be cut so; of
    more, all of them together must reach beyond the thresholds.
    """
    samples = case.samples.take(people)
    rows = np.argsort(samples.t, kind="stable")
    one = min(rows.size, 1)
    stretch = _Stretches(samples, rows, np.zeros(one, np.int64), np.full(one, people.size, np.int64))
    return _together(case, [_judged(case, stretch)]) == Cut(0, 0, 0)


def uncut(case: Case) -> int:
    """Count boxes that could have been cut in two, each with a sample of every member: k-merge cuts those."""
    return sum(_uncut_of(case, part) for part in parts_of_groups(case))


def _uncut_of(case: Case, part: Members) -> int:
    assert case.k is not None
    found, samples = held_by_boxes(case, part), part.samples
    counted = ~part.listing.listed[found.rows] & (case.groups.size[found.group] < 2 * case.k)
    box, rows = found.box[counted], found.rows[counted]
    if not rows.size:
        return 0
    # Samples are in the order of people and times: those of a person in a box follow each other.
    slot = samples.t[rows] // case.on_map.grid["dt_s"]
    first = first_of_each(box, samples.owner[rows])
    last = np.concatenate((first[1:], [rows.size])) - 1
    everybody_seen, somebody_gone = np.full(found.boxes, slot.min()), np.full(found.boxes, slot.max())
    np.maximum.at(everybody_seen, box[first], slot[first])
    np.minimum.at(somebody_gone, box[first], slot[last])
    held = np.zeros(found.boxes, np.bool_)
    held[box] = True
    return int((held & (everybody_seen < somebody_gone)).sum())


def hulls(case: Case) -> int:
    """Count hulls beyond the thresholds that are not made of several boxes within them.

    Each of those holds a sample of every member that no other does, and they follow each other without a gap: so there
    is a least number of samples that every member must have in the hull.
    """
    return sum(_hulls_of(case, part) for part in parts_of_groups(case))


def _hulls_of(case: Case, part: Members) -> int:
    allowed, samples = limits(case.parameters), part.samples
    found = held_by_boxes(case, part)
    counted = ~part.listing.listed[found.rows] & (case.groups.size[found.group] < 2 * (case.k or 2))
    box, rows = found.box[counted], found.rows[counted]
    order = np.lexsort((samples.owner[rows], box))
    box, rows = box[order], rows[order]
    first = first_of_each(box)
    time, x, y = _spans(case, samples, rows, first, aligned=False)
    needed = np.where(allowed.wide(x, y), 2, 1)
    if allowed.time_s is not None:
        gap = 2 * case.on_map.grid["dt_s"] if case.on_map.grid["dt_s"] != samples.dt_s else 0
        needed = np.maximum(needed, -(-(time + gap) // max(allowed.time_s + gap, 1)))
    if (allowed.side_m is not None and allowed.side_m < samples.cell_m) or (
        allowed.time_s is not None and allowed.time_s < samples.dt_s
    ):
        return int(first.size)  # not even a single cell is within such thresholds
    person = first_of_each(box, samples.owner[rows])
    of_person = np.diff(np.concatenate((person, [rows.size])))
    fewest = np.minimum.reduceat(of_person, first_of_each(box[person])) if first.size else of_person
    return int((fewest < needed).sum())


def _of_groups(case: Case, part: Members) -> _Stretches:
    """All of a group at once: of the paper's boxes it is not known which samples were in which."""
    group = part.group_of_sample
    rows = np.flatnonzero(part.listing.of("threshold") & (group >= 0))
    rows = rows[np.lexsort((part.samples.t[rows], group[rows]))]
    first = first_of_each(group[rows])
    return _Stretches(part.samples, rows, first, case.groups.size[group[rows][first]])


def _in_time(case: Case, part: Members) -> _Stretches:
    """What follows each other in a group's time, without anything else in between.

    Groups that look the same are one here. Where there may be several, what one of them left out for another reason may
    stand between the samples of a box of the other.
    """
    assert case.k is not None
    group, samples = part.group_of_sample, part.samples
    large = part.listing.of("threshold") & (group >= 0)
    concerned = np.zeros(case.groups.size.size, np.bool_)
    concerned[group[large]] = True
    several = (case.groups.size >= 2 * case.k)[group]
    rows = np.flatnonzero((group >= 0) & concerned[group] & ~(several & part.listing.listed & ~large))
    slot = samples.t[rows] // case.on_map.grid["dt_s"]
    rows = rows[np.lexsort((large[rows], slot, group[rows]))]
    here, of = large[rows], group[rows]
    starts = here.copy()
    starts[1:] &= ~here[:-1] | (of[1:] != of[:-1])
    first = np.flatnonzero(starts[here])
    rows = rows[here]
    return _Stretches(samples, rows, first, case.groups.size[group[rows][first]])


def _judged(case: Case, stretches: _Stretches) -> _Judged:
    """Count stretches that are not of all members, or not large; and keep those of which it is not told that easily."""
    assert case.k is not None
    samples, rows, first, sizes = stretches
    if not first.size:
        return _Judged(0, 0, [])
    allowed, whole = limits(case.parameters), published_as_paper(case)
    # From 2 k people on there may be several groups.
    one_group = sizes < 2 * case.k
    number = np.repeat(np.arange(first.size), np.diff(np.concatenate((first, [rows.size]))))
    owner = samples.owner[rows]
    order = np.lexsort((owner, number))
    different = first_of_each(number[order], owner[order])
    present = np.bincount(number[order][different], minlength=first.size)
    lacking = present < np.where(one_group, sizes, case.k)
    time, x, y = _spans(case, samples, rows, first, aligned=not whole)
    small = ~(allowed.wide(x, y) | allowed.long(time))
    open_ = np.flatnonzero(one_group & ~lacking & ~small) if not whole else np.empty(0, np.int64)
    left = [(_stretch(case, samples, stretches.of(number)), int(sizes[number])) for number in open_.tolist()]
    return _Judged(int(lacking.sum()), int(small.sum()), left)


def _stretch(case: Case, samples: Samples, rows: Ints) -> list[Sample]:
    """Return samples as they are cut, on the published grid."""
    grid, owner = case.on_map.grid, np.searchsorted(samples.offsets, rows, side="right") - 1
    columns = (
        samples.t[rows] // grid["dt_s"] * grid["dt_s"],
        samples.x[rows] // grid["cell_m"] * grid["cell_m"],
        samples.y[rows] // grid["cell_m"] * grid["cell_m"],
        owner,
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _together(case: Case, parts: Iterable[_Judged]) -> Cut:
    """Add up, and count stretches that no cut makes too large throughout; of very many, some at random."""
    assert case.k is not None
    found = list(parts)
    left = [stretch for part in found for stretch in part.left]
    grid = case.on_map.grid
    cutter = Cutter(limits(case.parameters), grid["dt_s"], grid["cell_m"])
    impossible = sum(not cutter.may_be(*left[number]) for number in case.rng.permutation(len(left)).tolist())
    return Cut(sum(part.lacking for part in found), sum(part.small for part in found), impossible)


def _spans(case: Case, samples: Samples, rows: Ints, first: Ints, *, aligned: bool) -> tuple[Ints, Ints, Ints]:
    """Return how long and how wide the hulls of samples are, in time, x and y; aligned to the published grid or not."""
    grid = case.on_map.grid if aligned else case.on_map.base
    spans = []
    for values, unit in ((samples.t, grid["dt_s"]), (samples.x, grid["cell_m"]), (samples.y, grid["cell_m"])):
        if not first.size:
            spans.append(np.empty(0, np.int64))
            continue
        low, high = (edge.reduceat(values[rows], first) // unit for edge in (np.minimum, np.maximum))
        spans.append((high - low + 1) * unit)
    return spans[0], spans[1], spans[2]
