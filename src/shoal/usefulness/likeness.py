"""How alike two distributions are: the field's own numbers (``docs/explanation/measures.md``).

All of them are 0 (orders and overlaps: 1) for equal counts, and none depends on the order of what is counted.
"""

import numpy as np

from shoal.usefulness.chunks import merged, summed
from shoal.usefulness.figures import Floats

ALL_DIFFERENT = 1.0
"""Divergence in bits of two distributions that have nothing in common."""

MOST_OFF = 2.0
"""Largest symmetric error: one of the two is zero."""


def jensen_shannon(raw: Floats, published: Floats, raw_elsewhere: float = 0.0, elsewhere: float = 0.0) -> float:
    """Return the Jensen–Shannon divergence of two counts in bits: 0 for equal shares, 1 for nothing in common.

    Parameters
    ----------
    raw, published
        Counts of the same things.
    raw_elsewhere, elsewhere
        What either counts of things that the other has none of.

    >>> jensen_shannon(np.array([1.0, 3.0]), np.array([2.0, 6.0]))
    0.0
    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])), jensen_shannon(np.array([4.0]), np.zeros(1), 0, 2)
    (1.0, 1.0)
    """
    sums = float(raw.sum()) + raw_elsewhere, float(published.sum()) + elsewhere
    if not all(sums):
        return 0.0 if sums[0] == sums[1] else ALL_DIFFERENT
    p, q = raw / sums[0], published / sums[1]
    middle = (p + q) / 2
    bits = 0.0
    for part in (p, q):
        has = part > 0
        bits += float((part[has] * np.log2(part[has] / middle[has])).sum())
    return min(max((bits + raw_elsewhere / sums[0] + elsewhere / sums[1]) / 2, 0.0), ALL_DIFFERENT)


def smape(raw: Floats, published: Floats, elsewhere: float = 0.0) -> float:
    """Return the symmetric mean absolute error of shares: the mean of ``|p - q| / ((p + q) / 2)``, from 0 to 2.

    Parameters
    ----------
    raw, published
        Counts of the things that the raw data have.
    elsewhere
        What is published of others: it makes shares smaller.

    >>> smape(np.array([1.0, 1.0]), np.array([2.0, 2.0])), smape(np.array([1.0, 1.0]), np.array([0.0, 2.0]))
    (0.0, 1.3333333333333333)
    """
    total = float(published.sum()) + elsewhere
    if not raw.size:
        return 0.0
    if not total:
        return MOST_OFF
    p, q = raw / raw.sum(), published / total
    return float((np.abs(p - q) / np.maximum((p + q) / 2, np.finfo(float).tiny)).mean())


def kendall_tau(raw: Floats, published: Floats) -> float:
    """Return Kendall's τ-b: 1 for the same order, -1 for the opposite one; ties count on neither side.

    Where one of the two has no order at all, there is none to compare: 1 where neither has one, 0 otherwise.

    >>> kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0]))
    1.0
    """
    flat = [values.size < 2 or bool((values == values[0]).all()) for values in (raw, published)]
    if any(flat):
        return 1.0 if all(flat) else 0.0
    from scipy.stats import kendalltau

    return float(kendalltau(raw, published).statistic)


def top_overlap(raw: Floats, published: Floats, count: int, new: Floats | None = None) -> float:
    """Return how many of the ``count`` largest are also among the published largest, as a share.

    Ties at the border are shared evenly: what is as large as the last one that fits in counts by its chance to be in.

    Parameters
    ----------
    raw, published
        Counts of the things that the raw data have.
    count
        How many are the largest; all, where there are fewer.
    new
        Published counts of things that the raw data have none of: they take the places of others.

    >>> top_overlap(np.array([9.0, 5.0, 1.0]), np.array([7.0, 0.0, 8.0]), 2)
    0.5
    >>> top_overlap(np.array([9.0, 5.0, 1.0]), np.array([7.0, 6.0, 1.0]), 2, new=np.array([8.0]))
    0.5
    """
    count = min(count, raw.size)
    if not count or not raw.any():
        return 1.0
    chance = _in_top(raw, count)
    still = _in_top(published if new is None else np.concatenate((published, new)), count)[: raw.size]
    # Less than ``count`` where ties are at the border; then equal data come to no more.
    return min(float((chance * still).sum() / (chance * chance).sum()), 1.0)


def _in_top(values: Floats, count: int) -> Floats:
    """The chance of each value to be among the largest, ties broken at random; nothing counts that is zero."""
    last = np.partition(values, -count)[-count]
    if last <= 0:
        return (values > 0).astype(np.float64)
    above, tied = int((values > last).sum()), int((values == last).sum())
    return np.where(values > last, 1.0, np.where(values == last, (count - above) / tied, 0.0))


def earth_mover(raw: Floats, published: Floats, *, in_place: bool = False) -> float | None:
    """Return how far values must be moved on the mean to make one distribution the other (Wasserstein-1).

    None where only one of the two has values. Of millions of values none but their sorted selves is held: what lies
    between them is added up chunk by chunk.

    Parameters
    ----------
    raw, published
        The values.
    in_place
        Sort them where they are: they are needed for nothing else.

    >>> earth_mover(np.array([1.0, 3.0]), np.array([2.0, 4.0])), earth_mover(np.array([1.0]), np.array([]))
    (1.0, None)
    """
    if not raw.size or not published.size:
        return 0.0 if raw.size == published.size else None
    one, two = (raw, published) if in_place else (raw.copy(), published.copy())
    one.sort()
    two.sort()
    if one.size == two.size:
        return summed(lambda low, high: np.abs(one[low:high] - two[low:high]), one.size) / one.size

    def moved(low: int, high: int) -> Floats:
        every = merged(one, two, low, high + 1)
        below = [np.searchsorted(values, every[:-1], side="right") / values.size for values in (one, two)]
        return np.asarray(np.abs(below[0] - below[1]) * np.diff(every))

    return summed(moved, one.size + two.size - 1)


def earth_mover_on_a_circle(raw: Floats, published: Floats) -> float | None:
    """Return the same for counts of evenly spaced bins on a circle, in bins: what is moved may go either way round.

    >>> earth_mover_on_a_circle(np.array([1.0, 0, 0, 0]), np.array([0, 0, 0, 5.0]))
    1.0
    """
    if not raw.sum() or not published.sum():
        return 0.0 if raw.sum() == published.sum() else None
    flow = np.cumsum(raw / raw.sum() - published / published.sum())
    return float(np.abs(flow - np.median(flow)).sum())
