"""PRIMULE: profiles of a municipality that look alike become equal, until everybody is one of k.

Parameters and promise are in `parameters`; `units` turns values into whole numbers; `towns` groups the profiles of each
municipality.
"""

from shoal.mechanisms.primule.parameters import Primule

__all__ = ["Primule"]
