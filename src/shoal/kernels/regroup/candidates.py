"""Who might go where: from all cores to a few, by ever better guesses that cost ever more.

The nearest in mean place and number of samples come out of a k-d tree, the best of them by sketch
(`shoal.kernels.regroup.sketch`) follow, and of these the best by boxes that are closed early
(`shoal.kernels.regroup.rough`).
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.regroup.cores import Floats, Ints, Split, spread, values_with
from shoal.kernels.regroup.crowd import Crowd
from shoal.kernels.regroup.sketch import SLOTS, Sketch, draw_people, guess, guessed_values, sketched_cores
from shoal.workers import Workers

AT_ONCE = 1 << 13
"""People who are looked at in one go: bounds the memory."""

DENSITY = 0.3
"""Twice as many samples are as far away as 4 km, where the cap is 20 km: whoever looks near is like in number too."""

BEFORE_SEEN = 0.7
"""Somebody seen n times in a slot is waited for about as long as a slot divided by n and this."""


class Drawn(NamedTuple):
    """Everybody as the guesses see them: the sketch, and (mean place, number of samples) to look for who is near."""

    people: Sketch
    features: Floats
    least: np.float32


class Candidates(NamedTuple):
    """Of everybody who is out the own core first, then others that look best; how dear they look."""

    cores: Ints
    dear: Floats

    def best(self, most: int) -> "Candidates":
        """The own core and the best of the others, so many where there are."""
        others = self.dear[:, 1:]
        if most >= others.shape[1]:
            return self
        column = np.sort(np.argpartition(others, most - 1, axis=1)[:, :most], axis=1) + 1
        column = np.column_stack((np.zeros(len(column), np.int64), column))
        return Candidates(np.take_along_axis(self.cores, column, 1), np.take_along_axis(self.dear, column, 1))


def draw(crowd: Crowd) -> Drawn:
    """Everybody, as the guesses see them."""
    lengths = np.diff(crowd.offsets)
    x, y = (np.zeros((lengths.size, SLOTS), np.float32) for _ in range(2))
    seen = np.zeros((lengths.size, SLOTS), np.int32)
    first = int(crowd.t.min())
    step = (int(crowd.t.max()) - first + 1) / SLOTS
    draw_people(crowd, first, step, x, y, seen)
    weight = (seen * crowd.weight[:, None]).astype(np.float32)
    waits = np.sqrt(step / (seen + BEFORE_SEEN) / crowd.time_unit).astype(np.float32)
    weighs, room = ((values * lengths).astype(np.float32) for values in (crowd.weight, crowd.room))
    people = Sketch(x, x, y, y, weight, waits, weighs, room)
    features = np.column_stack((x.mean(axis=1), y.mean(axis=1), DENSITY * np.log(lengths)))
    return Drawn(people, features, np.float32(2 * crowd.rule.dx / crowd.space_unit))


def middles(drawn: Drawn, at: Ints, members: Ints) -> Floats:
    """Where the tree looks for groups or cores: in the middle of their members."""
    return np.asarray(np.add.reduceat(drawn.features[members], at[:-1]) / np.diff(at)[:, None])


def sketched(drawn: Drawn, out: Split, nearest: int, most: int, workers: Workers) -> Candidates:
    """The cores that look best by sketch, of so many that are nearest."""
    from scipy.spatial import KDTree

    count = out.person.size
    tree = KDTree(middles(drawn, out.core_at, out.core))
    cores = sketched_cores(drawn.people, out.core_at, out.core)
    alone = guessed_values(cores, drawn.least)
    ranks, found = np.arange(1, min(nearest, count) + 1), []
    # People who are near each other, one after the other, look at the same cores.
    together = tree.indices
    for low in range(0, count, AT_ONCE):
        own = together[low : low + AT_ONCE]
        person = out.person[own]
        near = tree.query(drawn.features[person], ranks, p=1, workers=workers.threads)[1]
        near = np.column_stack((own, near))
        dear = np.empty(near.shape, np.float32)
        spread(workers, np.arange(own.size + 1), guess, drawn.people, person, cores, alone, near, drawn.least, dear)
        # The own core is there already. Should it be among the nearest, there are still as many others as are wanted.
        dear[:, 1:][near[:, 1:] == near[:, :1]] = np.inf
        found.append(Candidates(near, dear.astype(np.float64)).best(min(most, count - 1)))
    back = np.argsort(together)
    return Candidates(*(np.concatenate(values)[back] for values in zip(*found, strict=True)))


def roughly(crowd: Crowd, drawn: Drawn, out: Split, nearest: int, most: int, workers: Workers) -> Candidates:
    """As `sketched`, with what these cores and whoever is out would cost together, roughly."""
    cores = sketched(drawn, out, nearest, most, workers).cores
    person = np.repeat(out.person, cores.shape[1])
    values = values_with(crowd, out, person, cores.ravel(), workers, roughly=True)
    return Candidates(cores, values.reshape(cores.shape))
