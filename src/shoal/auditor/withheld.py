"""What is withheld for being too large: of every member, and large; and what is published, not so."""

from typing import NamedTuple

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.auditor.case import Case
from shoal.auditor.cutting import Cutter
from shoal.auditor.limits import Limits, limits
from shoal.auditor.members import boxes_of_samples
from shoal.auditor.runs import first_of_each


class Cut(NamedTuple):
    """Stretches withheld as too large: without all members; not too large; that no cut makes too large throughout."""

    lacking: int
    small: int
    impossible: int


class _Stretches(NamedTuple):
    """Samples withheld as too large, stretch by stretch: rows of samples in order of time, where each stretch starts.

    ``group`` is that of each stretch, -1 where it is not known.
    """

    rows: Ints
    first: Ints
    group: Ints


def published_as_paper(case: Case) -> bool:
    """Tell whether the paper's own boxes are said to be published: those may overlap, and hulls took their place."""
    return case.parameters.get("publish") == "merge"


def cut(case: Case) -> Cut:
    """Look at all samples that are withheld as too large, of people who are published."""
    group = group_of_people(case)[case.samples.owner]
    large = case.listing.of("threshold") & (group >= 0)
    if not large.any():
        return Cut(0, 0, 0)
    stretches = _of_groups(case, group, large) if published_as_paper(case) else _in_time(case, group, large)
    sizes = case.groups.size[stretches.group]
    return _judged(case, stretches, sizes)


def emptied(case: Case, people: Ints) -> bool:
    """Tell whether people who were emptied may all have been in boxes beyond the thresholds, and no others.

    Who was with whom is not recorded. Fewer than 2 k people are one group, which must be one that can be cut so; of
    more, all of them together must reach beyond the thresholds.
    """
    assert case.k is not None
    _, rows = case.samples.rows_of(people)
    rows = rows[np.argsort(case.samples.t[rows], kind="stable")]
    stretches = _Stretches(rows, np.zeros(min(rows.size, 1), np.int64), np.full(min(rows.size, 1), -1, np.int64))
    found = _judged(case, stretches, np.array([people.size][: stretches.first.size]))
    return found == Cut(0, 0, 0)


def uncut(case: Case) -> int:
    """Count boxes that could have been cut in two, each with a sample of every member: k-merge cuts those."""
    assert case.k is not None
    group, position, rows = boxes_of_samples(case)
    counted = ~case.listing.listed[rows] & (case.groups.size[group] < 2 * case.k)
    box, rows = (case.models.offsets[group] + position)[counted], rows[counted]
    if not rows.size:
        return 0
    # Samples are in the order of people and times: those of a person in a box follow each other.
    slot = case.samples.t[rows] // case.on_map.grid["dt_s"]
    first = first_of_each(box, case.samples.owner[rows])
    last = np.concatenate((first[1:], [rows.size])) - 1
    everybody_seen, somebody_gone = np.full(case.models.t0.size, slot.min()), np.full(case.models.t0.size, slot.max())
    np.maximum.at(everybody_seen, box[first], slot[first])
    np.minimum.at(somebody_gone, box[first], slot[last])
    held = np.zeros(case.models.t0.size, np.bool_)
    held[box] = True
    return int((held & (everybody_seen < somebody_gone)).sum())


def hulls(case: Case) -> int:
    """Count hulls beyond the thresholds that are not made of several boxes within them.

    Each of those holds a sample of every member that no other does, and they follow each other without a gap: so there
    is a least number of samples that every member must have in the hull.
    """
    allowed, samples = limits(case.parameters), case.samples
    group, position, rows = boxes_of_samples(case)
    box = case.models.offsets[group] + position
    counted = ~case.listing.listed[rows] & (case.groups.size[group] < 2 * (case.k or 2))
    box, rows = box[counted], rows[counted]
    order = np.lexsort((samples.owner[rows], box))
    box, rows = box[order], rows[order]
    first = first_of_each(box)
    time, x, y = _spans(case, rows, first, aligned=False)
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


def group_of_people(case: Case) -> Ints:
    """The published group of each person of the original, or -1."""
    individual = case.individual_of
    return np.where(individual >= 0, case.groups.of[individual], -1)


def _of_groups(case: Case, group: Ints, large: np.ndarray) -> _Stretches:
    """All of a group at once: of the paper's boxes it is not known which samples were in which."""
    rows = np.flatnonzero(large)
    rows = rows[np.lexsort((case.samples.t[rows], group[rows]))]
    first = first_of_each(group[rows])
    return _Stretches(rows, first, group[rows][first])


def _in_time(case: Case, group: Ints, large: np.ndarray) -> _Stretches:
    """What follows each other in a group's time, without anything else in between.

    Groups that look the same are one here. Where there may be several, what one of them left out for another reason may
    stand between the samples of a box of the other.
    """
    assert case.k is not None
    concerned = np.zeros(case.groups.size.size, np.bool_)
    concerned[group[large]] = True
    several = (case.groups.size >= 2 * case.k)[group]
    listed = case.listing.listed
    rows = np.flatnonzero((group >= 0) & concerned[group] & ~(several & listed & ~large))
    slot = case.samples.t[rows] // case.on_map.grid["dt_s"]
    rows = rows[np.lexsort((large[rows], slot, group[rows]))]
    here, of = large[rows], group[rows]
    starts = here.copy()
    starts[1:] &= ~here[:-1] | (of[1:] != of[:-1])
    first = np.flatnonzero(starts[here])
    rows = rows[here]
    return _Stretches(rows, first, group[rows][first])


def _judged(case: Case, stretches: _Stretches, sizes: Ints) -> Cut:
    """Count stretches that no sound cut explains; ``sizes`` are the people of each one's group."""
    assert case.k is not None
    rows, first, _ = stretches
    if not first.size:
        return Cut(0, 0, 0)
    allowed, whole = limits(case.parameters), published_as_paper(case)
    # From 2 k people on there may be several groups.
    one_group = sizes < 2 * case.k
    number = np.repeat(np.arange(first.size), np.diff(np.concatenate((first, [rows.size]))))
    order = np.lexsort((case.samples.owner[rows], number))
    different = first_of_each(number[order], case.samples.owner[rows][order])
    present = np.bincount(number[order][different], minlength=first.size)
    lacking = present < np.where(one_group, sizes, case.k)
    time, x, y = _spans(case, rows, first, aligned=not whole)
    small = ~(allowed.wide(x, y) | allowed.long(time))
    open_ = np.flatnonzero(one_group & ~lacking & ~small) if not whole else np.empty(0, np.int64)
    return Cut(int(lacking.sum()), int(small.sum()), _impossible(case, stretches, sizes, open_, allowed))


def _impossible(case: Case, stretches: _Stretches, sizes: Ints, open_: Ints, allowed: Limits) -> int:
    """Count stretches that cannot be cut into pieces beyond the thresholds; of very many, some at random."""
    samples, grid = case.samples, case.on_map.grid
    cutter, count = Cutter(allowed, grid["dt_s"], grid["cell_m"]), 0
    ends = np.concatenate((stretches.first[1:], [stretches.rows.size]))
    for number in case.rng.permutation(open_).tolist():
        rows = stretches.rows[stretches.first[number] : ends[number]]
        columns = (
            samples.t[rows] // grid["dt_s"] * grid["dt_s"],
            samples.x[rows] // grid["cell_m"] * grid["cell_m"],
            samples.y[rows] // grid["cell_m"] * grid["cell_m"],
            samples.owner[rows],
        )
        stretch = list(zip(*(column.tolist() for column in columns), strict=True))
        count += not cutter.may_be(stretch, int(sizes[number]))
    return count


def _spans(case: Case, rows: Ints, first: Ints, *, aligned: bool) -> tuple[Ints, Ints, Ints]:
    """Return how long and how wide the hulls of samples are, in time, x and y; aligned to the published grid or not."""
    samples, grid = case.samples, case.on_map.grid if aligned else case.on_map.base
    spans = []
    for values, unit in ((samples.t, grid["dt_s"]), (samples.x, grid["cell_m"]), (samples.y, grid["cell_m"])):
        if not first.size:
            spans.append(np.empty(0, np.int64))
            continue
        low, high = (edge.reduceat(values[rows], first) // unit for edge in (np.minimum, np.maximum))
        spans.append((high - low + 1) * unit)
    return spans[0], spans[1], spans[2]
