"""Numba kernels on flat integer arrays: no tables, no files, nothing of the package above them.

People are given as ``offsets`` (int64, n + 1) and ``t``, ``x``, ``y`` (int32, grid units): person ``p`` owns the
samples ``offsets[p]:offsets[p + 1]``, sorted by (t, x, y), none twice. Costs are whole numbers in units of
``1 / Scale.unit``, so that every comparison is exact. A *driver* takes such arrays and the threads to work with
(`shoal.workers.Workers`); it opens none of its own.

- `common`: how kernels are compiled; sorting; costs in whole numbers; people, and their order by content
- `kgap`: the stretch between people; the nearest of everybody; what a k-gap is made of
- `glove`: GLOVE's greedy: the stretch between groups, their merging, the nearest of a group (uses `kgap`)
- `kmerge`: the cheapest boxes for the samples of a group
- `regroup`: groups chosen for what k-merge will publish of them (uses `kmerge`)
- `primule`: groups of profiles, merged with their nearest round by round
- `points`: raw positions in true metres: Promesse's walk, discs around end places, planar Laplace noise

Each has its own map, in the order of reading. No module here is imported by its package: importing `shoal.kernels` and
its maps must not import numba.
"""
