"""Groups with the people in them, their samples and the boxes that these lie in: some groups at a time.

Whatever is asked of a group needs all of its members, and nobody else. So a part is a range of groups, and no more than
its samples and boxes are at hand at once, in 64 bits.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.parts import cuts
from shoal.auditor.case import Case
from shoal.auditor.listing import Listing


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """Some groups and their people.

    Attributes
    ----------
    first_group, groups
        The number of the first group, and how many there are.
    people
        Everybody who has a name in one of them, ascending.
    group
        The group of each of them; -1 for whoever has another name in a group of another part.
    individual
        The published individual of each of them, as :attr:`Case.individual_of` has it.
    samples, listing
        Theirs, one person after the other, and what the list of the withheld says of them.
    box_of
        The published row that each of these samples lies in, -1 for none.
    """

    first_group: int
    groups: int
    people: Ints
    group: Ints
    individual: Ints
    samples: Samples
    listing: Listing
    box_of: Ints

    @property
    def group_of_sample(self) -> Ints:
        return np.repeat(self.group, self.samples.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Samples that lie in boxes of some groups.

    Attributes
    ----------
    rows
        Samples of a part, ascending.
    group
        The group that the box of each belongs to.
    individual, position
        Whose sequence the box is in, and where.
    box
        The box, counted from the first one of the part's first group: one for all members.
    boxes
        How many there are in these groups.
    """

    rows: Ints
    group: Ints
    individual: Ints
    position: Ints
    box: Ints
    boxes: int


def parts_of_groups(case: Case) -> Iterator[Members]:
    """Go through all groups, some at a time."""
    person, groups, samples = case.person_of_uid, case.groups, case.samples
    known = person >= 0
    sizes = np.zeros(groups.size.size, np.int64)
    np.add.at(sizes, groups.of[known], samples.lengths[person[known]])
    individuals = np.flatnonzero(known)
    individuals = individuals[np.argsort(groups.of[individuals], kind="stable")]
    starts = np.searchsorted(groups.of[individuals], np.arange(groups.size.size + 1))
    own = group_of_people(case)
    for low, high in cuts(sizes):
        people = np.unique(person[individuals[starts[low] : starts[high]]])
        _, rows = samples.rows_of(people)
        group = np.where((own[people] >= low) & (own[people] < high), own[people], -1)
        yield Members(
            low,
            high - low,
            people,
            group,
            case.individual_of[people],
            samples.take(people),
            case.listing.take(rows),
            case.cover.box_of[rows].astype(np.int64),
        )


def held_by_boxes(case: Case, part: Members) -> Held:
    """Find the boxes of a part's groups that its samples lie in."""
    crowd, models = case.boxes.crowd, case.models.offsets
    rows = np.flatnonzero(part.box_of >= 0)
    individual = np.searchsorted(crowd.offsets, part.box_of[rows], side="right") - 1
    group = case.groups.of[individual]
    mine = (group >= part.first_group) & (group < part.first_group + part.groups)
    rows, individual, group = rows[mine], individual[mine], group[mine]
    position = part.box_of[rows] - crowd.offsets[individual]
    first, end = int(models[part.first_group]), int(models[part.first_group + part.groups])
    return Held(rows, group, individual, position, models[group] + position - first, end - first)


def boxes_of(case: Case, part: Members) -> Crowd:
    """Return the boxes of a part's groups, once for all members: those that :attr:`Held.box` counts."""
    return case.models.between(part.first_group, part.first_group + part.groups)


def group_of_people(case: Case) -> Ints:
    """The published group of each person of the original, or -1."""
    individual = case.individual_of
    return np.where(individual >= 0, case.groups.of[individual], -1)
