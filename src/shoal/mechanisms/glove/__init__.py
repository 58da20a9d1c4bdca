"""GLOVE (Gramaglia and Fiore): hide everybody among k-1 others, whole fingerprints, by specialized generalization.

Parameters and promise are in `parameters`; who is with whom is decided in `grouping`; the boxes of a group are made
in `kmerge` (anew from raw samples, optimal) or in `merge` (the paper's own boxes).
"""

from shoal.mechanisms.glove.parameters import Glove

__all__ = ["Glove"]
