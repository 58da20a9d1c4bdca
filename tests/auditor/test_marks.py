"""Marks in names are found; names that were drawn have none, however people are grouped."""

import secrets

import numpy as np
import pytest

from shoal.auditor.marks import told_by_others, told_by_rank

RNG = np.random.default_rng(1)


def drawn(count):
    """Random names in order, as a release has them."""
    names = sorted(secrets.token_bytes(16) for _ in range(count))
    return np.array([list(name) for name in names], np.uint8)


@pytest.mark.parametrize(("people", "k"), [(2, 2), (60, 2), (600, 3), (6_000, 40), (50, 50)])
def test_drawn_names_have_no_marks(people, k):
    for _ in range(5):
        raw, belongs = drawn(people), RNG.permutation(people) // k
        assert told_by_others(raw, belongs, RNG) == 0
        assert told_by_rank(raw, RNG.permutation(people)) == 0


def test_a_digit_in_common_is_a_mark():
    raw, belongs = drawn(60), np.repeat(np.arange(30), 2)
    raw[:, 7] = raw[:, 7] & 15 | RNG.integers(0, 16, 30).astype(np.uint8)[belongs] << 4
    assert told_by_others(raw, belongs, RNG) > 0
    assert told_by_others(raw, RNG.permutation(belongs), RNG) == 0


def test_a_bit_in_common_is_a_mark_in_larger_data():
    raw, belongs = drawn(400), np.repeat(np.arange(200), 2)
    bit = RNG.integers(0, 2, 200).astype(np.uint8)[belongs]
    raw[::2, 3] = raw[::2, 3] & 0xFE | bit[::2]
    raw[1::2, 3] = raw[1::2, 3] & 0xFE | (1 - bit[1::2])
    assert told_by_others(raw, belongs, RNG) > 0


def test_pieces_that_rise_and_bits_that_count_are_marks():
    rank = RNG.permutation(200)
    raw = drawn(200)
    rising = raw.copy()
    pieces = (rank * (2**32 // 200)).astype(">u4").view(np.uint8).reshape(-1, 4)
    rising[:, 5:9] = pieces
    assert told_by_rank(rising, rank) > 0
    counting = raw.copy()
    counting[:, 9] = counting[:, 9] & 0xFE | (rank & 1)
    assert told_by_rank(counting, rank) > 0
    assert told_by_rank(raw[:1], rank[:1] * 0) == 0
