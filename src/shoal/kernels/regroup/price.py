"""What leaving out a sample costs, where a share of all will be: groups in which everything is dearer are emptied."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.kmerge.driver import share_price
from shoal.kernels.kmerge.together import together
from shoal.kernels.regroup.cores import Groups
from shoal.kernels.regroup.crowd import Crowd
from shoal.workers import Workers


class Priced(NamedTuple):
    """Everybody, with the price at which a share would be left out of some groups, in units of space; those emptied."""

    crowd: Crowd
    emptied: NDArray[np.bool_]

    def people(self, groups: Groups) -> int:
        """How many people would be gone with the groups that are emptied."""
        return int(groups.sizes[self.emptied].sum())


def priced(crowd: Crowd, groups: Groups, share: float, workers: Workers) -> Priced:
    """What leaving out this share of all samples costs in these groups."""
    if not share:
        return Priced(crowd, np.zeros(groups.sizes.size, np.bool_))
    offsets, rows, member = together(crowd.offsets, crowd.t, groups.members, groups.sizes)
    t, x, y = (values[rows] for values in (crowd.t, crowd.x, crowd.y))
    found = share_price(offsets, t, x, y, member, groups.sizes, crowd.rule, share, workers=workers)
    in_units = np.inf if found.price is None else found.price / (crowd.rule.space_weight * crowd.space_unit)
    cost = crowd.cost._replace(price=in_units)
    return Priced(crowd._replace(cost=cost), found.left_out == np.diff(offsets))
