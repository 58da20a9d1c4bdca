"""The samples of some people in the order of time, one person after the other added to them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker


class Merged(NamedTuple):
    """Samples of several people in the order of time, and whose they are: the number in the group."""

    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    member: NDArray[np.int32]


@maker
def new_merged(samples):  # type: ignore[no-untyped-def]
    """Room for so many samples."""
    return Merged(
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
    )


@helper
def add_person(crowd, person, member, source, samples, into):  # type: ignore[no-untyped-def]
    """Merge a person's samples with the first ``samples`` of the source, in the order of time."""
    j, end = crowd.offsets[person], crowd.offsets[person + 1]
    i = out = 0
    while i < samples or j < end:
        if j >= end or (i < samples and source.t[i] <= crowd.t[j]):
            into.t[out], into.x[out], into.y[out] = source.t[i], source.x[i], source.y[i]
            into.member[out] = source.member[i]
            i += 1
        else:
            into.t[out], into.x[out], into.y[out], into.member[out] = crowd.t[j], crowd.x[j], crowd.y[j], member
            j += 1
        out += 1
    return out


@helper
def most_samples(low, high, crowd, at, people):  # type: ignore[no-untyped-def]
    """The most samples that people have together, of low .. high - 1, where c has ``people[at[c]:at[c + 1]]``."""
    most = np.int64(0)
    for c in range(low, high):
        samples = np.int64(0)
        for r in range(at[c], at[c + 1]):
            samples += crowd.offsets[people[r] + 1] - crowd.offsets[people[r]]
        most = max(most, samples)
    return most


@helper
def most_people(low, high, at):  # type: ignore[no-untyped-def]
    """The most people that one of low .. high - 1 has."""
    most = np.int64(0)
    for c in range(low, high):
        most = max(most, at[c + 1] - at[c])
    return most
