"""What a k-gap is made of: the sample stretches behind it, in space and in time (anonymizability §4.3; GLOVE §5.3).

For every person the stretches toward the k-1 nearest are taken apart sample by sample.
"""

import numpy as np

from shoal.kernels.dispersion import gini, quotient, tail_weight
from shoal.kernels.jit import kernel
from shoal.kernels.stretch import match, pair_sum

COLUMNS = (
    "spatial",
    "temporal",
    "ratio",
    "gini_spatial",
    "gini_temporal",
    "gini_total",
    "twi_spatial",
    "twi_temporal",
    "twi_total",
)


@kernel
def anatomy(people, targets, other, sizes, scale, out):  # type: ignore[no-untyped-def]
    """Fill ``out[row, i]`` with `COLUMNS` for person ``targets[row]`` and crowd size ``sizes[i]`` (ascending).

    ``other[row]`` are the nearest, nearest first. Parts are means over the nearest of means over samples, so that
    they add up to the k-gap; ratio and dispersion pool all sample stretches.
    """
    longest = np.int64(1)
    for row in range(targets.size):
        pooled = np.int64(0)
        own = people.offsets[targets[row] + 1] - people.offsets[targets[row]]
        for c in range(sizes[-1] - 1):
            b = other[row, c]
            pooled += max(own, people.offsets[b + 1] - people.offsets[b])
        longest = max(longest, pooled)
    space, time, best = np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(longest, np.int32)
    for row in range(targets.size):
        used, done = np.int64(0), 0
        sum_space = sum_time = 0.0
        for i in range(sizes.size):
            for c in range(done, sizes[i] - 1):
                a, b = targets[row], other[row, c]
                _, longer = pair_sum(people, a, b, scale)
                n = people.offsets[longer + 1] - people.offsets[longer]
                match(people, longer, b if longer == a else a, scale, best, space[used:], time[used:])
                sum_space += space[used : used + n].sum() / (n * scale.unit)
                sum_time += time[used : used + n].sum() / (n * scale.unit)
                used += n
            done = sizes[i] - 1
            ordered_space, ordered_time = np.sort(space[:used]), np.sort(time[:used])
            ordered_total = np.sort(space[:used] + time[:used])
            out[row, i, 0] = sum_space / done
            out[row, i, 1] = sum_time / done
            out[row, i, 2] = quotient(float(ordered_time.sum()), float(ordered_space.sum()))
            out[row, i, 3] = gini(ordered_space)
            out[row, i, 4] = gini(ordered_time)
            out[row, i, 5] = gini(ordered_total)
            out[row, i, 6] = tail_weight(ordered_space)
            out[row, i, 7] = tail_weight(ordered_time)
            out[row, i, 8] = tail_weight(ordered_total)
