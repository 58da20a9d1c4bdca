"""The auditor's own readers and spellers of Parquet: Thrift, Zstandard, hybrid runs."""

import struct

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings

from auditor import naive_hybrid
from shoal.auditor.parquet_contents import plain
from shoal.auditor.parquet_hybrid import hybrid
from shoal.auditor.parquet_thrift import (
    BINARY,
    BYTE,
    FALSE,
    I16,
    I32,
    I64,
    LIST,
    STRUCT,
    TRUE,
    MalformedError,
    number,
    parts,
    read,
    spelled,
    whole,
)
from shoal.auditor.parquet_zstd import is_plain

NUMBERS = st.integers(0, 2**63 - 1)
FLAT = st.one_of(
    st.tuples(st.sampled_from([I16, I32, I64]), NUMBERS),
    st.tuples(st.just(BINARY), st.binary(max_size=20)),
    st.tuples(st.just(BYTE), st.integers(0, 255)),
    st.tuples(st.sampled_from([TRUE, FALSE]), st.none()),
    st.tuples(st.just(LIST), st.tuples(st.just(I64), st.lists(NUMBERS, max_size=20))),
)


def structs(fields):
    return st.dictionaries(st.integers(1, 200), fields, max_size=4)


DEEP = st.recursive(FLAT, lambda inner: st.tuples(st.just(STRUCT), structs(inner)), max_leaves=8)


@given(structs(DEEP))
def test_what_was_spelled_is_read_and_nothing_shorter_is(found):
    text = spelled(found)
    assert read(memoryview(text), 0) == (found, len(text))
    for end in range(len(text)):
        with pytest.raises(MalformedError):
            read(memoryview(text[:end]), 0)


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused_and_the_shortest_spelling_is_never_longer(text):
    try:
        found, end = read(memoryview(text), 0)
    except MalformedError:
        return
    assert end <= len(text)
    assert len(spelled(found)) <= end + 1, "a list of flags is the only thing that is spelled as something else"


@pytest.mark.parametrize(
    "text",
    [
        "15 84 00 00",  # a number with a byte that it does not need
        "05 02 04 00",  # a field with its number spelled out
        "15 04 05 02 06 00",  # one field twice
        "25 04 05 02 06 00",  # fields in another order
        "19 f1 01 01 00",  # a list whose short length is spelled the long way
        "19 11 01 00",  # a list of flags
    ],
)
def test_other_spellings_of_the_same_show(text):
    content = bytes.fromhex(text)
    found, end = read(memoryview(content), 0)
    assert end == len(content)
    assert spelled(found) != content


@pytest.mark.parametrize(
    "text", ["17 0000000000000000 00", "1a 00 00", "1b 00 00", "1d 00", "15 ffffffffffffffffffff 00"]
)
def test_what_no_footer_has_is_refused(text):
    with pytest.raises(MalformedError):
        read(memoryview(bytes.fromhex(text)), 0)


def test_structures_without_end_are_refused():
    with pytest.raises(MalformedError):
        read(memoryview(b"\x1c" * 100_000), 0)


def test_missing_and_odd_fields_are_no_numbers_and_no_parts():
    found = {1: whole(5), 2: whole(-5), 3: (BINARY, b"5"), 4: (LIST, (I64, [1])), 5: (LIST, (STRUCT, [{}]))}
    assert [number(found, field) for field in (1, 2, 3, 4, 9)] == [5, -1, -1, -1, -1]
    assert [parts(found, field) for field in (1, 4, 5, 9)] == [[], [], [{}], []]


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 65_535, 65_791, 65_792, 200_000, 2_000_000])
@pytest.mark.parametrize("content", ["zeros", "noise"])
def test_frames_of_the_compressor_are_plain_and_nothing_else_is(size, content):
    data = bytes(size) if content == "zeros" else np.random.default_rng(size).bytes(size)
    frame = pa.Codec("zstd").compress(data, asbytes=True)
    assert is_plain(memoryview(frame), size)
    assert not is_plain(memoryview(frame), size + 1)
    assert not is_plain(memoryview(frame + b"x"), size)
    assert not is_plain(memoryview(frame + frame), size)
    assert not is_plain(memoryview(frame + bytes.fromhex("502a4d1801000000") + b"x"), size)
    for end in range(min(len(frame), 20)):
        assert not is_plain(memoryview(frame[:end]), size)
    for bit in (1, 2, 4, 8, 16, 64, 128):  # dictionary, checksum, reserved, unused, size of the size
        assert not is_plain(memoryview(frame[:4] + bytes([frame[4] ^ bit]) + frame[5:]), size)


@pytest.mark.parametrize("block", ["020000 78", "000000"])
def test_frames_with_empty_blocks_are_not_plain(block):
    """A block that repeats a byte no times is a byte to say something with."""
    last = bytes.fromhex("090000") + b"A"
    head = bytes.fromhex("28b52ffd 20 01")
    assert is_plain(memoryview(head + last), 1)
    frame = head + bytes.fromhex(block) + last
    assert pa.Codec("zstd").decompress(frame, 1, asbytes=True) == b"A", "readers take it"
    assert not is_plain(memoryview(frame), 1)


RUNS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([1, 1, 1, 2, 7, 8, 9, 15, 16, 17, 40, 504, 600])), max_size=30
)


@settings(max_examples=300)
@given(RUNS, st.integers(3, 18))
@example([(0, 1), (1, 1)] * 252 + [(0, 1)] * 3, 3)
@example([(0, 1), (1, 1)] * 252 + [(3, 3)], 3)
@example([(0, 5), (1, 8)], 3)
@example([], 3)
def test_runs_are_spelled_as_one_by_one(runs, width):
    values = np.array([value for value, count in runs for _ in range(count)], np.int32)
    assert hybrid(values, width) == naive_hybrid.hybrid(values.tolist(), width)


@pytest.mark.parametrize("width", range(1, 21))
def test_numbers_of_any_width_are_packed(width):
    values = np.random.default_rng(width).integers(0, 1 << width, 1_000).astype(np.int32)
    assert hybrid(values, width) == naive_hybrid.hybrid(values.tolist(), width)


@given(st.lists(st.text(max_size=5), max_size=20), st.integers(0, 3))
def test_strings_are_spelled_one_by_one(values, start):
    array = pa.array(values, pa.string()).slice(start)
    expected = b"".join(struct.pack("<i", len(v.encode())) + v.encode() for v in values[start:])
    assert plain(array) == expected


def test_numbers_are_spelled_one_by_one_wherever_an_array_starts():
    assert plain(pa.array([1, 2, 3], pa.int32()).slice(1)) == struct.pack("<2i", 2, 3)
    assert plain(pa.array([1.5, -2.0]).slice(1)) == struct.pack("<d", -2.0)
    assert plain(pa.array([7], pa.timestamp("us", "UTC"))) == struct.pack("<q", 7)
