"""Laplace noise for every cell of a profile: the baseline that PRIMULE is compared with.

Parameters and promise are in `parameters`; `law` knows the chances of noise to any number of digits, and `draws` adds
it to whole numbers, exactly.
"""

from shoal.mechanisms.laplace.parameters import LaplaceProfiles

__all__ = ["LaplaceProfiles"]
