"""What leaving out a sample costs, where a share of all will be: groups in which everything is dearer are emptied."""

import numpy as np

from shoal.kernels.kmerge.driver import share_price
from shoal.kernels.kmerge.together import together
from shoal.kernels.regroup.cores import Groups
from shoal.kernels.regroup.crowd import Crowd
from shoal.workers import Workers


def at_price(crowd: Crowd, groups: Groups, share: float, workers: Workers) -> Crowd:
    """The crowd with the price at which this share would be left out of these groups, in units of space."""
    if not share:
        return crowd
    offsets, rows, member = together(crowd.offsets, crowd.t, groups.members, groups.sizes)
    t, x, y = (values[rows] for values in (crowd.t, crowd.x, crowd.y))
    price, _ = share_price(offsets, t, x, y, member, groups.sizes, crowd.rule, share, workers=workers)
    in_units = np.inf if price is None else price / (crowd.rule.space_weight * crowd.space_unit)
    return crowd._replace(cost=crowd.cost._replace(price=in_units))
