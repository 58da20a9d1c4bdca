import os
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from shoal.mechanisms.laplace.draws import from_the_system
from shoal.mechanisms.randomness import Chance, random_words
from shoal.release import tokens
from shoal.release.ledger_key import KeyFile
from shoal.release.tokens import draw_tokens

texts = st.text("ab1:\n\0é", max_size=5)


def drawn(*columns: list[str], seed: int | None = None) -> list[str]:
    return draw_tokens(*(pa.array(column, pa.string()) for column in columns), seed=seed).to_arrow().to_pylist()


@settings(deadline=None, max_examples=60)
@given(st.lists(texts, unique=True))
def test_format_and_distinctness(names):
    tokens = drawn(names)
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in tokens)
    assert len(set(tokens)) == len(names)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(texts, texts), unique=True, min_size=1))
def test_two_columns_cannot_be_confused(rows):
    first, second = map(list, zip(*rows, strict=True))
    assert len(set(drawn(first, second))) == len(rows)


def test_shifted_boundary_gives_other_tokens():
    assert drawn(["a", "ab"], ["bc", "c"], seed=1)[0] != drawn(["a", "ab"], ["bc", "c"], seed=1)[1]
    assert len(set(drawn(["1:a", "1"], ["b", ":a1:b"]))) == 2


def test_order_sorts_the_tokens():
    tokens = draw_tokens(pa.array([str(i) for i in range(1000)]))
    assert tokens.to_arrow().take(pa.array(tokens.order)).to_pylist() == sorted(tokens.to_arrow().to_pylist())


def test_order_is_unrelated_to_the_input():
    order = draw_tokens(pa.array([str(i) for i in range(2000)])).order
    # Under chance alone tau has a standard deviation of 0.015.
    assert abs(kendalltau(np.arange(2000), order).statistic) < 0.12


def test_runs_differ_and_seeds_repeat():
    names = [str(i) for i in range(50)]
    assert not set(drawn(names)) & set(drawn(names))
    assert drawn(names, seed=0) == drawn(names, seed=0)
    assert not set(drawn(names, seed=0)) & set(drawn(names, seed=1))


def test_ids_that_look_alike_stay_apart():
    assert len(set(drawn(["01", "1", "1 ", "１", "", "1\n"]))) == 6


def test_large_strings_give_the_same_tokens():
    small, large = pa.array(["a", "b"], pa.string()), pa.array(["a", "b"], pa.large_string())
    assert draw_tokens(small, seed=1).to_arrow() == draw_tokens(large, seed=1).to_arrow()


def test_equal_rows_stop_everything_without_naming_them():
    with pytest.raises(AssertionError) as caught:
        drawn(["somebody", "other", "somebody"])
    assert "somebody" not in str(caught.value)


def test_many():
    tokens = draw_tokens(pa.array(np.arange(100_000)).cast(pa.string()))
    assert len(set(tokens.to_arrow().to_pylist())) == len(tokens) == 100_000
    assert repr(tokens) == "Tokens(100,000)"


def looks_random(keys: list[bytes]) -> None:
    """Hold keys to what 32 random bytes cannot fail to show, by a margin that chance never crosses."""
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 32 for key in keys)
    # Of 32 random bytes about 30 are distinct; fewer than 20 come up once in 10^13 keys.
    assert all(len(set(key)) >= 20 for key in keys)
    for position in range(32):
        assert len({key[position] for key in keys}) >= len(keys) // 4, "a byte that is the same in many keys"
    ones = sum(int.from_bytes(key, "big").bit_count() for key in keys)
    assert abs(ones / (256 * len(keys)) - 0.5) < 0.02


def test_keys_of_tokens_are_random():
    looks_random([tokens.key_of(None) for _ in range(200)])


def test_keys_of_ledgers_are_random(tmp_path):
    keys = []
    for number in range(200):
        handle = os.open(tmp_path / str(number), os.O_RDWR | os.O_CREAT)
        keys.append(KeyFile(handle, tmp_path / "ledger").draw())
        assert os.pread(handle, 32, 0) == keys[-1]
        os.close(handle)
    looks_random(keys)


def test_what_draws_follow_from_is_random():
    """Keys of runs whose work may be done twice, and words straight from the operating system."""
    looks_random([Chance.drawn().key for _ in range(200)])
    for source in (random_words, from_the_system):
        looks_random([source(4).tobytes() for _ in range(200)])
        looks_random([four.tobytes() for four in source(800).view("V32")])


def test_the_test_of_randomness_sees_what_is_not_random():
    for bad in (
        [os.urandom(1) * 32 for _ in range(200)],
        [os.urandom(12) + bytes(20) for _ in range(200)],
        [bytes(24) + os.urandom(8) for _ in range(200)],
        [os.urandom(31) + b"x" for _ in range(200)],
        [b"k" * 32] * 2,
    ):
        with pytest.raises(AssertionError):
            looks_random(bad)
