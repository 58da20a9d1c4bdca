"""Parquet's hybrid of repeated and packed whole numbers, in the one spelling that its C++ writer gives them.

The format leaves it free where to repeat and where to pack, and so a way to say something. The writer takes eight
numbers at a time: if they are equal, all equal ones that follow are one repeated run; otherwise they are packed, up to
63 such groups in a run.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.parquet_thrift import varint

_GROUP = 8
_MOST = 63 * _GROUP

Numbers = NDArray[np.int32]


def hybrid(values: Numbers, width: int) -> bytes:
    """Spell numbers of so many bits.

    >>> hybrid(np.array([5] * 20, np.int32), 3).hex(" "), hybrid(np.array([1, 0, 1], np.int32), 1).hex(" ")
    ('28 05', '03 05')
    """
    runs = list(_runs(values))
    literal = [values[start:end] for start, end, repeated in runs if not repeated]
    packed, at = _packed(np.concatenate(literal), width) if literal else b"", 0
    spelled = []
    for start, end, repeated in runs:
        if repeated:
            spelled.append(varint(end - start << 1) + int(values[start]).to_bytes((width + 7) // 8, "little"))
        else:
            groups = -(-(end - start) // _GROUP)
            spelled.append(bytes([groups << 1 | 1]) + packed[at : at + groups * width])
            at += groups * width
    return b"".join(spelled)


def _runs(values: Numbers) -> Iterator[tuple[int, int, bool]]:
    """Cut numbers into runs ``start, end, repeated``; every packed run but the last has whole groups of eight."""
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    starts, ends = np.concatenate(([0], changes)), np.concatenate((changes, [values.size]))
    long = ends - starts >= _GROUP
    at = 0
    for start, end in zip(starts[long].tolist(), ends[long].tolist(), strict=True):
        first = at - (at - start) // _GROUP * _GROUP
        if end - first >= _GROUP:
            yield from ((n, min(n + _MOST, first), False) for n in range(at, first, _MOST))
            yield first, end, True
            at = end
    for start in range(at, values.size, _MOST):
        rest = values[start : start + _MOST]
        # A few equal numbers at the very end are repeated, unless a packed run is open.
        yield start, start + rest.size, rest.size < _GROUP and bool((rest == rest[0]).all())


def _packed(values: Numbers, width: int) -> bytes:
    """Pack numbers, the lowest bits first; groups of eight make as many bytes as a number has bits."""
    groups = -(-values.size // _GROUP)
    full = np.zeros((groups, _GROUP), np.uint32)
    full.ravel()[: values.size] = values
    columns = np.ascontiguousarray(full.T)
    packed = np.zeros((groups, width), np.uint8)
    for byte in range(width):
        low = 8 * byte
        for place in range(low // width, (low + 7) // width + 1):
            shift = place * width - low
            bits = columns[place] << shift if shift >= 0 else columns[place] >> -shift
            packed[:, byte] |= (bits & 255).astype(np.uint8)
    return packed.tobytes()
