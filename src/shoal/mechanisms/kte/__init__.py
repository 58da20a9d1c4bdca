"""k^{tau,epsilon}-anonymity (Gramaglia, Fiore, Tarable, Banchs): hide every stretch of every life among k.

Parameters and promise are in `parameters`; who hides whom is decided window by window in `windows`, mended in
`repair`, and by groups in `groups` where one window covers all; `paper` is the construction as printed, kept for
comparison; `publication` makes the boxes; `check` looks at the result before it is handed over.
"""

from shoal.mechanisms.kte.parameters import Kte

__all__ = ["Kte"]
