"""Sketches of people, and the guesses that are made of them, against plain sums over slots."""

import math

import numpy as np
import pytest

from kernels.crowds import CAPS, flat, some_people
from shoal.kernels.regroup.candidates import BEFORE_SEEN, draw, sketched
from shoal.kernels.regroup.cores import as_groups, split
from shoal.kernels.regroup.crowd import crowd_of, heavier
from shoal.kernels.regroup.sketch import SLOTS
from shoal.workers import workers


def slots_of(person, first, step):
    """Mean place and number of samples in each slot; where there are none, the place of the nearest, earlier first."""
    inside = [[s for s in person if min(SLOTS - 1, int((s[0] - first) / step)) == slot] for slot in range(SLOTS)]
    seen = [slot for slot in range(SLOTS) if inside[slot]]
    at = [min(seen, key=lambda other, slot=slot: (abs(other - slot), other)) for slot in range(SLOTS)]
    return [(*np.mean([s[1:] for s in inside[near]], axis=0), len(inside[slot])) for slot, near in enumerate(at)]


def guessed(slots, weights, step):
    """What a group costs by its members' slots, and by what their samples count in space and time."""
    total, samples = 0.0, np.array([sum(seen for *_, seen in of_one) for of_one in slots])
    for slot in range(SLOTS if slots else 0):
        x, y, seen = zip(*(of_one[slot] for of_one in slots), strict=True)
        across = (max(x) - min(x) + max(y) - min(y) + 2) / CAPS["space_cap"]
        waits = max(step / (n + BEFORE_SEEN) for n in seen) / CAPS["time_cap"]
        wide = sum(weights[0] * samples) / sum(weights[1] * samples)
        total += np.dot(weights[1], seen) * (wide * math.sqrt(across) + math.sqrt(waits))
    return total


def test_a_guess_is_how_much_dearer_a_core_gets():
    people = some_people(np.random.default_rng(7), 24, 40)
    crowd = heavier(crowd_of(*flat(people), 3, **CAPS), *np.tile([[1.0, 2.0, 3.0], [1.0, 1.0, 4.0]], 8))
    weights = np.array([crowd.weight + crowd.room, crowd.weight])
    times = [s[0] for person in people for s in person]
    first, step = min(times), (max(times) - min(times) + 1) / SLOTS
    slots = [slots_of(person, first, step) for person in people]
    groups = as_groups([np.arange(low, low + 3) for low in range(0, 24, 3)])
    out = split(groups, groups.at[:-1] + 1)
    with workers(1) as crew:
        found = sketched(draw(crowd), out, 8, 7, crew)
    assert [sorted(row) for row in found.cores.tolist()] == [list(range(8))] * 8
    for row, person in enumerate(out.person):
        for core, dear in zip(found.cores[row], found.dear[row], strict=True):
            members = out.core[out.core_at[core] : out.core_at[core + 1]]
            alone, more = (
                guessed([slots[m] for m in group], weights[:, group], step) for group in (members, [*members, person])
            )
            assert dear == pytest.approx(more - alone, rel=1e-3)
