"""Call profiles: the attacker knows the exact values of some cells of a person's profile (PRIMULE §4).

A profile belongs to a person and a municipality, and is compared with those of the same municipality. Cells that are
not known are ignored.
"""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.items import Items, Values, arranged


def profile_items(municipality: Ints, values: Values) -> Items:
    """Make each pair of cell and value, within a municipality, something that profiles hold.

    >>> profile_items(np.array([0, 0, 1]), np.array([[0.5, 0.0], [0.5, 1.0], [0.5, 0.0]])).holders
    array([2, 1, 2, 1, 1, 1])
    """
    rows, cells = values.shape
    levels, rank = np.unique(values, return_inverse=True)
    where = municipality[:, None] * cells + np.arange(cells)
    _, item = np.unique(where * levels.size + rank.reshape(values.shape), return_inverse=True)
    one = np.ones(rows * cells, np.int64)
    return arranged(np.repeat(np.arange(rows), cells), item.reshape(-1).astype(np.int64), one, rows)
