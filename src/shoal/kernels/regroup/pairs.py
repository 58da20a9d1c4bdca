"""Values of pairs that are known: in the rounds of pairs the same two people are tried together again and again."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.regroup.cores import Floats, Ints, Split, values_with
from shoal.kernels.regroup.value import Crowd
from shoal.workers import Workers

_NO_PAIR = -1


class KnownPairs:
    """Values of cores with a person; where the core is one person, each pair is computed once.

    Larger cores change from round to round, so that hardly any would be asked for twice.
    """

    def __init__(self) -> None:
        self._pairs: Ints = np.empty(0, np.int64)
        self._values: Floats = np.empty(0)

    def values_with(self, crowd: Crowd, out: Split, person: Ints, core: Ints, workers: Workers) -> Floats:
        """The same as `values_with`."""
        other, people = out.core[out.core_at[core]], crowd.offsets.size - 1
        pair = np.minimum(person, other) * people + np.maximum(person, other)
        pair[np.diff(out.core_at)[core] > 1] = _NO_PAIR
        place = np.searchsorted(self._pairs, pair)
        known = place < self._pairs.size
        known[known] = self._pairs[place[known]] == pair[known]
        values = np.empty(pair.size)
        values[known] = self._values[place[known]]
        values[~known] = values_with(crowd, out, person[~known], core[~known], workers)
        self._learn(pair, values, ~known & (pair != _NO_PAIR))
        return values

    def _learn(self, pair: Ints, values: Floats, fresh: NDArray[np.bool_]) -> None:
        pairs, rows = np.unique(pair[fresh], return_index=True)
        at = np.searchsorted(self._pairs, pairs)
        self._pairs = np.insert(self._pairs, at, pairs)
        self._values = np.insert(self._values, at, values[fresh][rows])
