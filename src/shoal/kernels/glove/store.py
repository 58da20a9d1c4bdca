"""What the greedy knows about groups: boxes, outlines, who is alive; room for more as it goes on."""

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.scale import Scale
from shoal.kernels.glove.boxes import Arena, content_order, scaled
from shoal.kernels.glove.clock import Clocks, grain_of, wind_all
from shoal.kernels.glove.field import Ground
from shoal.kernels.glove.outline import MOST, Outlines, outlines_of_people, site_bounds
from shoal.kernels.glove.singles import Singles
from shoal.kernels.glove.toll import guest_sizes
from shoal.kernels.kgap.survey import World

Item = TypeVar("Item", bound=np.generic)


def grown(array: NDArray[Item], size: int) -> NDArray[Item]:
    """The same with at least so many places along the last axis; what is new is not initialised."""
    if array.shape[-1] >= size:
        return array
    larger = np.empty((*array.shape[:-1], max(size, array.shape[-1] * 3 // 2)), array.dtype)
    larger[..., : array.shape[-1]] = array
    return larger


def with_rows(array: NDArray[Item], rows: int) -> NDArray[Item]:
    """The same with at least so many rows; what is new is not initialised."""
    if array.shape[0] >= rows:
        return array
    larger = np.empty((max(rows, array.shape[0] * 3 // 2), *array.shape[1:]), array.dtype)
    larger[: array.shape[0]] = array
    return larger


@dataclass
class Store:
    """Groups by number: raw people first, in the order of ``world``, then merged groups as they are planned.

    A planned group that is not made after all stays where it is and is never alive. Together the merged groups
    have at most as many boxes as there are raw samples, as a merged fingerprint is no longer than the shorter of
    its parents; plans that come to nothing may need more.
    """

    world: World
    arena: Arena
    outlines: Outlines
    clocks: Clocks
    ground: Ground
    alive: NDArray[np.bool_]
    into: NDArray[np.int32]
    """Of each box: which box of the merged group it went into."""
    home: NDArray[np.int32]
    """Of each raw person: the site where most of their samples are..."""
    at_home: NDArray[np.int32]
    """...and how many."""
    groups: int
    boxes: int
    rectangles: int
    parents: dict[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def people(self) -> int:
        return self.world.people.offsets.size - 1

    def has_room(self, pairs: list[tuple[int, int]]) -> bool:
        """Whether groups of these pairs can be planned without moving all others to where there is more room."""
        return all(has >= needed for has, needed in zip(self._room(), self._needed(self._lengths(pairs)), strict=True))

    def plan(self, pairs: list[tuple[int, int]]) -> list[int]:
        """Numbers for groups to be made of these pairs, with room for their boxes and rectangles."""
        lengths = self._lengths(pairs)
        self._reserve(*self._needed(lengths))
        numbers = []
        for (a, b), length in zip(pairs, lengths, strict=True):
            number = self.groups
            self.arena.start[number], self.outlines.start[number] = self.boxes, self.rectangles
            self.arena.length[number], self.outlines.kinds[number], self.alive[number] = 0, 0, False
            self.arena.size[number] = self.arena.size[a] + self.arena.size[b]
            self.parents[number] = a, b
            self.groups, self.boxes = self.groups + 1, self.boxes + length
            self.rectangles += min(length, MOST)
            numbers.append(number)
        return numbers

    def _lengths(self, pairs: list[tuple[int, int]]) -> list[int]:
        """How many boxes the groups will have at most."""
        return [int(min(self.arena.length[a], self.arena.length[b])) for a, b in pairs]

    def _needed(self, lengths: list[int]) -> tuple[int, int, int]:
        """How many groups, boxes and rectangles there will be with groups of so many boxes."""
        rectangles = sum(min(length, MOST) for length in lengths)
        return self.groups + len(lengths), self.boxes + sum(lengths), self.rectangles + rectangles

    def _room(self) -> tuple[int, int, int]:
        """How many groups, boxes and rectangles there is room for."""
        arena, outlines, clocks = self.arena, self.outlines, self.clocks
        of_groups = (
            *arena[1:],
            outlines.start,
            outlines.kinds,
            outlines.sharp,
            clocks.shortest,
            clocks.longest,
            self.alive,
        )
        of_boxes = arena.boxes, outlines.label, clocks.bins, self.into
        groups = min(self.people + clocks.tolls.shape[0], *(array.size for array in of_groups))
        return groups, min(array.shape[-1] for array in of_boxes), outlines.rectangles.shape[-1]

    def _reserve(self, groups: int, boxes: int, rectangles: int) -> None:
        self.arena = Arena(
            grown(self.arena.boxes, boxes),
            grown(self.arena.start, groups),
            grown(self.arena.length, groups),
            grown(self.arena.size, groups),
        )
        self.outlines = Outlines(
            grown(self.outlines.rectangles, rectangles),
            grown(self.outlines.start, groups),
            grown(self.outlines.kinds, groups),
            grown(self.outlines.sharp, groups),
            grown(self.outlines.label, boxes),
        )
        self.clocks = self.clocks._replace(
            tolls=with_rows(self.clocks.tolls, groups - self.people),
            shortest=grown(self.clocks.shortest, groups),
            longest=grown(self.clocks.longest, groups),
            bins=grown(self.clocks.bins, boxes),
        )
        self.into = grown(self.into, boxes)
        self.alive = grown(self.alive, groups)

    def singles(self) -> Singles:
        """Raw people alive."""
        member = np.flatnonzero(self.alive[: self.people])
        home = self.home[member]
        homes = np.flatnonzero(np.concatenate(([member.size > 0], home[1:] != home[:-1])))
        return Singles(
            member.astype(np.int32),
            self.arena.length[member],
            self.at_home[member],
            np.concatenate((homes, [member.size])),
            home[homes],
        )

    def members(self, groups: list[int]) -> list[int]:
        """Raw people in these groups."""
        todo, people = list(groups), []
        while todo:
            group = todo.pop()
            if group < self.people:
                people.append(group)
            else:
                todo += self.parents[group]
        return people

    def compare(self, a: int, b: int) -> int:
        """Negative, zero or positive as the content of a comes before, equals or follows that of b."""
        if a < self.people and b < self.people:
            return int(self.world.alike[a]) - int(self.world.alike[b])
        return 0 if a == b else int(content_order(self.arena, a, b))


def store_of(world: World, scale: Scale, k: int) -> Store:
    """Lay out raw people as groups of one."""
    people, n, samples = world.people, world.people.offsets.size - 1, world.people.t.size
    # In stage 2 of the last merge a box of both (3k - 3 people) meets a sample of a group of 2k - 2.
    arena = scaled(people, scale, 5 * k, room=samples)
    arena = Arena(arena.boxes, grown(arena.start, 2 * n), grown(arena.length, 2 * n), grown(arena.size, 2 * n))
    outlines = outlines_of_people(arena, people.offsets, world.sites, world.digest, scale, room=n)
    per_group = {name: grown(getattr(outlines, name), 2 * n) for name in ("start", "kinds", "sharp")}
    outlines = outlines._replace(**per_group)
    ground = Ground(
        site_bounds(world.sites, scale, arena.boxes.dtype),
        world.digest.start,
        world.digest.entries,
        world.digest.cells,
        world.measures.bin_width * scale.time_weight,
        world.measures.bins,
        scale.space_weight,
        scale.time_weight,
        scale.unit // 2,
    )
    half, bins = scale.unit // 2, world.measures.bins
    guests = guest_sizes(k)
    clocks = Clocks(
        np.empty((n, bins), np.uint8),
        np.empty((n, guests.size, bins), np.uint8),
        guests,
        np.empty(2 * n, np.int64),
        np.empty(2 * n, np.int64),
        np.empty((2, arena.boxes.shape[1]), np.int16),
        ground.bin_width,
        *grain_of(half),
    )
    wind_all(arena, n, clocks)
    alive = np.zeros(2 * n, np.bool_)
    alive[:n] = True
    into = np.empty(arena.boxes.shape[1], np.int32)
    home, at_home = np.ascontiguousarray(world.digest.entries[world.digest.start[:-1], :2].T)
    rectangles = world.digest.entries.shape[0] - 1
    return Store(world, arena, outlines, clocks, ground, alive, into, home, at_home, n, samples, rectangles)
