"""Parts of about equal size whose members are near each other: a k-d tree, cut until no part is too large."""

import numpy as np

from shoal.data.layout import Floats, Ints64

MIDDLE = (10, 90)
"""Percentiles between which a part's width is measured: a few outliers must not decide where the others are cut."""


def kd_parts(items: Ints64, axes: tuple[Floats, ...], most: int) -> list[Ints64]:
    """Halve across the widest axis until no part has more than ``most`` items; none is much smaller than half of it.

    Items that are equal along all axes keep their order.

    Parameters
    ----------
    items
        Indices into the axes, in the order that settles ties.
    axes
        A value per item along each axis, in units that can be compared.
    most
        Items in a part.
    """
    parts = -(-items.size // most)
    if parts <= 1:
        return [items]
    low, high = np.percentile([axis[items] for axis in axes], MIDDLE, axis=1)
    across = int(np.argmax(high - low))
    others = [axis for place, axis in enumerate(axes) if place != across]
    items = items[np.lexsort((*(axis[items] for axis in others), axes[across][items]))]
    cut = items.size * (parts // 2) // parts
    return kd_parts(items[:cut], axes, most) + kd_parts(items[cut:], axes, most)
