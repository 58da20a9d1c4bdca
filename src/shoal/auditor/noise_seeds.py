"""Noise that anybody can draw again: the common generators, started from seeds that people type."""

import math
import random
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.auditor.chance import SURE
from shoal.auditor.guesses import seeds
from shoal.auditor.profile_rows import Floats
from shoal.contract.claims.profiles import NOISE_STEPS

LENGTH = 48
"""So many draws from the start of a generator are compared."""

_FIRST = 6
"""Of them so many decide which seeds are tried on the rest."""

_SEEDS = 1_100
"""Of each generator; small ones. Of the first two all that people are likely to type."""


_STANDARD, _OLD = random.Random(), np.random.RandomState()
"""To be seeded anew: much faster than a new one."""


def _standard(seed: int) -> Floats:
    _STANDARD.seed(seed)
    return np.array([_STANDARD.random() for _ in range(LENGTH)])


def _old(seed: int) -> Floats:
    _OLD.seed(seed)
    return _OLD.random_sample(LENGTH)


def _with(bits: Callable[[int], np.random.BitGenerator]) -> Callable[[int], Floats]:
    return lambda seed: np.random.Generator(bits(seed)).random(LENGTH)


_USUAL: tuple[Callable[[int], Floats], ...] = (_old, _with(np.random.PCG64))
_OTHERS: tuple[Callable[[int], Floats], ...] = (
    *(_standard, _with(np.random.MT19937), _with(np.random.Philox), _with(np.random.SFC64), _with(np.random.PCG64DXSM)),
)


def _starts() -> Iterator[Floats]:
    for seed in seeds():
        if 0 <= seed < 2**32:
            yield from (start(seed) for start in _USUAL)
    for seed in range(_SEEDS):
        yield from (start(seed) for start in _OTHERS)


@cache
def noises() -> Floats:
    """Return what each generator and seed draws first, as noise of scale 1: a row each.

    Numbers between 0 and 1 become noise by the inverse of its law, as numpy does it.
    """
    drawn = np.stack(list(_starts()))
    upper = drawn >= 0.5
    noise = np.log(np.maximum(np.where(upper, 2 - 2 * drawn, 2 * drawn), 1e-300))
    return np.asarray(np.where(upper, -noise, noise))


def drawn_again(said: Ints, true: Ints, epsilon: float) -> bool:
    """Tell whether a seed gives published values again, and chance would not.

    Parameters
    ----------
    said, true
        In steps of the grid, in an order in which noise may have been drawn: :data:`LENGTH` of them are looked at.

    >>> noise = np.random.default_rng(42).laplace(0, 1.0, 48)
    >>> base = np.full(48, 400)
    >>> drawn_again(np.clip(np.rint(base + 1000 * noise), 0, 1000), base, 1.0)
    True
    >>> drawn_again(np.random.default_rng().integers(0, 1001, 48), base, 1.0)
    False
    """
    said, true = said[:LENGTH], true[:LENGTH]
    # A step and its neighbours have at most this chance; to be cut to an edge, or a step from it, one half more.
    near = 1.5 * epsilon / NOISE_STEPS
    by_chance = np.log(np.where((said <= 1) | (said >= NOISE_STEPS - 1), 0.5 + near, near).clip(max=1))
    candidates = noises()
    if by_chance.sum() + math.log(len(candidates)) >= math.log(SURE):
        return False
    scale = NOISE_STEPS / epsilon
    for start, stop in ((0, _FIRST), (_FIRST, said.size)):
        made = np.clip(true[start:stop] + candidates[:, start:stop] * scale, 0, NOISE_STEPS)
        candidates = candidates[(np.abs(made - said[start:stop]) <= 1).all(axis=1)]
    return bool(len(candidates))
