"""Kernels of Wait For Me: the walk along two traces, and what follows from it.

- `walk`: the step, the distance of a trace to a pivot, and the trace as it is published beside its pivot.

Traces are flat arrays with offsets: ``x``, ``y`` in degrees (or in metres), ``sx``, ``sy`` how many metres one of them
is at each point, and ``z``, time as metres at the mean speed. Differences are measured in metres at the pivot's point.
"""
