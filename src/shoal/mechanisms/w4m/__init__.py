"""Wait For Me (Abul, Bonchi and Nanni 2010), what Promesse is compared with: traces bent towards a pivot.

Parameters and promise are in `parameters`; who is with whom in `clusters`; what is published in `published`.
"""

from shoal.mechanisms.w4m.parameters import WaitForMe

__all__ = ["WaitForMe"]
