"""Discrete Laplace noise for whole numbers: exact ones from OpenDP, or repeatable ones for tests.

What is computed with floats, `numpy.random.laplace` for instance, leaves gaps between the values that noise can take,
and those tell what it was added to (Mironov 2012). So noise is drawn on whole numbers, by samplers that compute with
fractions. Their bits come from OpenSSL's generator, which the operating system seeds; nobody else can.
"""

import math
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShoalError
from shoal.mechanisms.laplace import worker

Counts = NDArray[np.int32]
Told = Callable[[int, int], None]

PIECE = 20_000
"""Numbers that a process is given at a time: a fraction of a second's work."""

FEW = 20_000
"""For so many numbers another process is not worth starting."""


def scale_for(epsilon: float, sensitivity: int) -> float:
    """The least scale at which a change by ``sensitivity`` costs no more than ``epsilon``, rounding included.

    >>> scale_for(1.0, 1000), scale_for(3.0, 1000)
    (1000.0, 333.33333333333337)
    """
    scale = sensitivity / epsilon
    while Fraction(scale) * Fraction(epsilon) < sensitivity:
        scale = math.nextafter(scale, math.inf)
    return scale


def with_noise(counts: Counts, scale: float, told: Told) -> Counts:
    """Add exact noise; many numbers in a process of their own.

    Parameters
    ----------
    counts
        Whole numbers.
    scale
        Of the noise.
    told
        Told how many are done, of how many; may raise to interrupt, and then nothing is left running.
    """
    noisy = np.empty_like(counts)
    with _here(scale) if counts.size <= FEW else _elsewhere(scale) as add:
        for start in range(0, counts.size, PIECE):
            stop = min(start + PIECE, counts.size)
            noisy[start:stop] = add(counts[start:stop])
            told(stop, counts.size)
    return noisy


def with_repeatable_noise(counts: Counts, scale: float, seed: int, index: int) -> Counts:
    """Add noise of the same law that a seed repeats: for tests, and for what is stamped as not for release.

    >>> zeros = np.zeros(3, np.int32)
    >>> bool((with_repeatable_noise(zeros, 9.0, 1, 0) == with_repeatable_noise(zeros, 9.0, 1, 0)).all())
    True
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(b"laplace"), index))
    rng, chance = np.random.default_rng(sequence), -math.expm1(-1 / scale)
    # The difference of two geometric numbers is discrete Laplace.
    return (counts + rng.geometric(chance, counts.size) - rng.geometric(chance, counts.size)).astype(np.int32)


@contextmanager
def _here(scale: float) -> Iterator[Callable[[Counts], Counts]]:
    add = worker.noise_of(scale)
    yield lambda piece: np.array(add(piece.tolist()), np.int32)


@contextmanager
def _elsewhere(scale: float) -> Iterator[Callable[[Counts], Counts]]:
    """Start a process, and end it in any case."""
    process = subprocess.Popen(
        [sys.executable, "-P", worker.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,  # Ctrl-C is for who started it, who ends it
    )
    assert process.stdin is not None
    assert process.stdout is not None
    source, target = process.stdout, process.stdin

    def add(piece: Counts) -> Counts:
        try:
            target.write(worker.COUNT.pack(piece.size) + piece.astype("<i4").tobytes())
            target.flush()
            found = source.read(4 * piece.size)
        except BrokenPipeError:
            found = b""
        if len(found) < 4 * piece.size:
            raise ShoalError(
                "a process that draws noise ended before its time",
                expected="exact noise from OpenDP",
                hint="see whether memory ran out, and whether `python -c 'import opendp'` works",
            )
        return np.frombuffer(found, "<i4")

    try:
        target.write(worker.HEADER.pack(scale))
        yield add
    finally:
        process.kill()
        process.wait()
        source.close()
        with suppress(BrokenPipeError):  # what it was not given any more
            target.close()
