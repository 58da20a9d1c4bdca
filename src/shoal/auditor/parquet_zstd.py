"""Frames of Zstandard: a page is one plain frame, and nothing stands beside it.

The format has places for other things: frames that readers skip, checksums, blocks that hold nothing. How the values
themselves were compressed is left to the compressor, and only writing them again shows whether it chose as usual.
"""

_MAGIC = bytes.fromhex("28b52ffd")
_RAW, _REPEATED, _COMPRESSED = range(3)


def is_plain(frame: memoryview, unpacked: int) -> bool:
    """Tell whether bytes are one frame of so many unpacked bytes, in the only spelling of its header.

    >>> empty = bytes.fromhex("28b52ffd 20 00 010000")
    >>> is_plain(memoryview(empty), 0), is_plain(memoryview(empty), 1), is_plain(memoryview(empty + b"x"), 0)
    (True, False, False)
    """
    if len(frame) < 6 or frame[:4] != _MAGIC:
        return False
    # Two bits for the size of the content size; one for a single segment, else a byte for the window follows.
    code = (unpacked >= 1 << 8) + (unpacked >= (1 << 16) + (1 << 8))
    single = bool(frame[4] & 0x20)
    if frame[4] != code << 6 | single << 5:
        return False
    at = 5
    if not single:
        if code == 0 or frame[at] & 7:
            return False
        at += 1
    size = (1, 2, 4)[code]
    if int.from_bytes(frame[at : at + size], "little") != unpacked - (code == 1) * (1 << 8):
        return False
    return _blocks_end(frame, at + size, unpacked)


def _blocks_end(frame: memoryview, at: int, unpacked: int) -> bool:
    """Tell whether blocks follow up to the end, none of them empty unless all is."""
    while at + 3 <= len(frame):
        head = int.from_bytes(frame[at : at + 3], "little")
        last, kind, size = head & 1, head >> 1 & 3, head >> 3
        if kind > _COMPRESSED or (size == 0 and (unpacked or kind != _RAW)):
            return False
        at += 3 + (1 if kind == _REPEATED else size)
        if last:
            return at == len(frame)
    return False
