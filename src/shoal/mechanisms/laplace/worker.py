"""A process that adds noise: whole numbers come in, whole numbers go out, until there are no more.

Exact samplers hold one processor each, and threads of one process get in each other's way. So this file is run as a
program, by its path: it imports nothing of the package, and whoever runs it needs no guard around their own program, as
they would with `multiprocessing`. It ends when its input does, so it does not outlive who started it.
"""

import struct
import sys
from collections.abc import Callable
from typing import Any

HEADER = struct.Struct("<d")
"""What comes first: the scale."""

COUNT = struct.Struct("<q")
"""What comes before each piece: how many whole numbers of 32 bits it has."""

Noise = Callable[[list[int]], list[int]]


def noise_of(scale: float) -> Noise:
    """Return what adds discrete Laplace noise to whole numbers of 32 bits, exactly.

    The chance of n is proportional to exp(-abs(n) / scale).

    >>> len(noise_of(2.0)([0, 0, 0]))
    3
    """
    return measurement(scale)  # type: ignore[no-any-return]


def measurement(scale: float) -> Any:
    """OpenDP's measurement: knows what it costs, too."""
    # Loaded late, and not by its prelude, which loads much besides.
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    return make_laplace(vector_domain(atom_domain(T="i32")), l1_distance(T="i32"), scale)


def serve() -> None:
    """Add noise to whatever comes in."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    (scale,) = HEADER.unpack(source.read(HEADER.size))
    add = noise_of(scale)
    while head := source.read(COUNT.size):
        (count,) = COUNT.unpack(head)
        form = struct.Struct(f"<{count}i")
        target.write(form.pack(*add(list(form.unpack(source.read(form.size))))))
        target.flush()


if __name__ == "__main__":
    serve()
