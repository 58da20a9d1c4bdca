"""People to try the kernels on, and the stretch by its definition on arrays, for those too large for the oracle."""

from functools import wraps

import numpy as np
from hypothesis import strategies as st

import naive
from shoal.workers import workers

CAPS = {"space_cap": 200, "time_cap": 480}
FINE_CAPS = {"space_cap": 20_000, "time_cap": 28_800}
"""Cells of 1 m and 1 s."""


def in_threads(driver):
    """The driver with workers of its own, as many as ``threads`` says."""

    @wraps(driver)
    def run(*arrays, threads=None, **options):
        with workers(threads) as crew:
            return driver(*arrays, workers=crew, **options)

    return run


def flat(people):
    """Lists of (t, x, y) as offsets and arrays."""
    offsets = np.cumsum([0, *map(len, people)])
    samples = np.array([s for person in people for s in person], np.int32).reshape(-1, 3)
    return offsets, *(np.ascontiguousarray(samples[:, axis]) for axis in range(3))


def fingerprints(times, places, smallest=1, largest=7):
    samples = st.sets(st.tuples(times, places, places), min_size=smallest, max_size=largest)
    return samples.map(sorted)


EVEN = (st.integers(0, 2_000), st.integers(0, 500))
TIES = (st.sampled_from([0, 240, 480, 481, 2_000]), st.sampled_from([-300, 0, 100, 101, 200]))
"""Few values, on, below and beyond the caps: stretches are equal everywhere."""
FAR = (st.integers(-5, 5).map(lambda v: v * 100_000), st.integers(-5, 5).map(lambda v: v * 100_000))
"""Nobody is within a cap of anybody unless at the same place and time."""
FINE = (st.integers(0, 2**31 - 1), st.integers(-20_000_000, 20_000_000))
"""From one end of the Earth to the other in metres, and 68 years in seconds."""
FINE_NEAR = (st.integers(1_700_000_000, 1_700_050_000), st.integers(-19_999_000, -19_970_000))


@st.composite
def crowds(draw, axes=None, most=9):
    """A few people; some have as many samples as each other, some are the same."""
    times, places = axes or draw(st.sampled_from([EVEN, TIES, FAR]))
    size = draw(st.none() | st.integers(1, 4))
    one = fingerprints(times, places) if size is None else fingerprints(times, places, size, size)
    people = draw(st.lists(one, min_size=2, max_size=most))
    copies = draw(st.lists(st.integers(0, len(people) - 1), max_size=3))
    return people + [people[p] for p in copies]


def some_people(rng, n, samples, span=20_000, places=60, reach=4_000):
    """People with a few places of their own each, as drawn by a numpy generator."""
    x, y = rng.integers(0, reach, (2, places))
    people = []
    for _ in range(n):
        own = rng.choice(places, rng.integers(1, 8))
        size = rng.integers(1, samples + 1)
        t, at = rng.integers(0, span, size), rng.choice(own, size)
        people.append(sorted({(int(t[i]), int(x[at[i]]), int(y[at[i]])) for i in range(size)}))
    return people


def wanderers(rng, n, samples, step=40):
    """People who hardly ever come back to a place: there are more places than the kernels keep sites for."""
    return [
        sorted({tuple(map(int, s)) for s in np.cumsum(rng.integers(-step, step + 1, (samples, 3)), axis=0)})
        for _ in range(n)
    ]


def directed_total(longer, shorter, space_cap, time_cap):
    """The sum of GLOVE (10) in units of 1 / (2 space_cap time_cap), on arrays: for people with many samples."""
    longer, shorter = np.array(longer, np.int64), np.array(shorter, np.int64)
    total = 0
    for rows in np.array_split(longer, len(longer) // 500 + 1):
        apart = np.abs(rows[:, None] - shorter[None])
        space = np.minimum(apart[..., 1] + apart[..., 2], space_cap)
        time = np.minimum(apart[..., 0], time_cap)
        total += int((space * time_cap + time * space_cap).min(axis=1).sum())
    return total


def contents(people, indices):
    """Which fingerprints these are: people of identical content are interchangeable."""
    return [naive.content(people[i]) for i in indices]
