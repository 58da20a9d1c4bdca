"""Where chance comes from: named, independent streams, so that one seed means one data set.

Every stage and every block of people draws from its own stream. Results therefore depend neither on the
order in which blocks are worked on nor on the number of threads.
"""

import zlib
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ParameterError

BLOCK = 4096
"""People per block: large enough for numpy, small enough to keep memory flat. Part of what a seed means."""


def stream(seed: int, name: str, index: int = 0) -> np.random.Generator:
    """Return the random stream called `name` (and numbered `index`) of a seed.

    >>> bool(stream(1, "homes").integers(1000) == stream(1, "homes").integers(1000))
    True
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()), index)))


def stratified(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Return n uniform numbers, one in each n-th of [0, 1), in random order.

    Heavy-tailed quantities drawn through these keep their mean even for a few hundred people, which plain
    independent draws do not.
    """
    return (rng.permutation(n) + rng.random(n)) / n


def fixed_uniform(seed: int, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a uniform number for each pair of numbers below 2^32, the same whenever it is asked for.

    The finalizer of SplitMix64: a hash in place of a table of draws.
    """
    key = np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    z = (first.astype(np.uint64) << np.uint64(32)) + second.astype(np.uint64)
    z = z * np.uint64(0x9E3779B97F4A7C15) + key
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def opaque_ids(rng: np.random.Generator, n: int) -> list[str]:
    """Return n distinct strings of 16 hexadecimal digits whose order says nothing."""
    numbers = np.unique(rng.integers(0, 2**63, n, dtype=np.int64))
    while len(numbers) < n:
        numbers = np.unique(np.append(numbers, rng.integers(0, 2**63, n - len(numbers), dtype=np.int64)))
    return [f"{number:016x}" for number in rng.permutation(numbers).tolist()]


def uid_column(ids: list[str], rows_per_person: NDArray[np.int64]) -> pa.DictionaryArray:
    """Return a uid column in which person i has ``rows_per_person[i]`` consecutive rows."""
    codes = np.repeat(np.arange(len(ids), dtype=np.int32), rows_per_person)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(ids, pa.string()))


def blocks(people: int) -> Iterator[tuple[int, int, int]]:
    """Yield (number of the block, first person, one past the last person)."""
    for index, first in enumerate(range(0, people, BLOCK)):
        yield index, first, min(first + BLOCK, people)


def require_counts(**counts: int) -> None:
    """Refuse numbers of people, days or weeks below one, and seeds below zero."""
    for name, value in counts.items():
        least = 0 if name == "seed" else 1
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ParameterError(
                f"{name}={value!r}",
                expected=f"a whole number of at least {least}",
                hint=f"try {name}={max(least, 100 if name == 'users' else 7)}",
            )
