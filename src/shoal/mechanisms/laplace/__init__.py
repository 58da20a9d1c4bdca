"""Laplace noise for every cell of a profile: the baseline that PRIMULE is compared with.

Parameters and promise are in `parameters`; `draws` adds noise to whole numbers, exactly, and `worker` does so in a
process of its own.
"""

from shoal.mechanisms.laplace.parameters import LaplaceProfiles

__all__ = ["LaplaceProfiles"]
