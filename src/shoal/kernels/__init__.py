"""Numba kernels on flat integer arrays: no tables, no files, nothing else of the package.

People are given as ``offsets`` (int64, n + 1) and ``t``, ``x``, ``y`` (int32, grid units): person ``p`` owns the
samples ``offsets[p]:offsets[p + 1]``, sorted by (t, x, y), none twice. Costs are whole numbers in units of
``1 / Scale.unit``, so that every comparison is exact.

This module is left empty on purpose: importing it must not import numba.
"""
