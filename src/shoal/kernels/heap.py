"""A heap of keys, least first: cheaper than sorting where only the first few are looked at."""

from shoal.kernels.jit import helper


@helper
def sift_down(keys, order, root, size):  # type: ignore[no-untyped-def]
    """Let the entry at ``root`` sink until none below it in ``order[:size]`` has a lesser key."""
    entry = order[root]
    while True:
        child = 2 * root + 1
        if child + 1 < size and keys[order[child + 1]] < keys[order[child]]:
            child += 1
        if child >= size or keys[entry] <= keys[order[child]]:
            break
        order[root] = order[child]
        root = child
    order[root] = entry


@helper
def heapify(keys, order, size):  # type: ignore[no-untyped-def]
    """Fill ``order[:size]`` with the indices of ``keys[:size]`` as a heap."""
    for i in range(size):
        order[i] = i
    for root in range(size // 2 - 1, -1, -1):
        sift_down(keys, order, root, size)
