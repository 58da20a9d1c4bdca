"""Names that are no secrets: digests of identifiers that anybody can compute, and tokens drawn from a guessable seed.

A token under a rule that is not tried here cannot be told from a random one: that nothing was found proves nothing.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.chance import SURE, binomial_tail
from shoal.auditor.digests import DIGESTS, TOKEN_BYTES, answers
from shoal.auditor.messages import Known, spellings

Bytes = NDArray[np.uint8]

HALF = TOKEN_BYTES // 2
PROBES = 24
"""People on whom all rules are tried. Each fixes 4 bits of every digit of a name: more than enough to reject a rule."""

_DIGITS = 2 * TOKEN_BYTES
_FIRST = 8
"""Of them so many decide which rules are tried on the rest."""
_WHOLE = 4
"""Of them those whose names are looked for as a whole, whoever's they are."""

_SEEDS = 10_000
_FAVOURITES = (12_345, 31_337, 54_321, 65_535, 65_536, 99_999, 100_000, 123_456, 314_159, 271_828, 999_999, 1_000_000)
_MORE_FAVOURITES = (1_234_567, 12_345_678, 123_456_789, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 0xDEADBEEF, -1)
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2035, 12, 31)


def seeds() -> Iterator[int]:
    """Return seeds that people type when they want something repeatable: small ones, favourites, days.

    >>> {0, 42, 9_999, 65_535, 20_240_229} <= set(seeds())
    True
    """
    yield from range(_SEEDS)
    yield from (*_FAVOURITES, *_MORE_FAVOURITES)
    for number in range((_LAST_DAY - _FIRST_DAY).days + 1):
        yield int((_FIRST_DAY + timedelta(number)).strftime("%Y%m%d"))


def guessed(names: Iterable[bytes], tokens: Bytes) -> int:
    """Count the tokens of which half is a piece of a common digest of one of these identifiers.

    Half a token is enough: 64 bits do not agree by chance, and the rest may have been filled up or doubled.

    >>> token = np.frombuffer(hashlib.sha3_256(b"ann\\n").digest()[-16:], np.uint8)[None]
    >>> guessed([b"ann"], token), guessed([b"bob"], token)
    (1, 0)
    """
    halves = np.ascontiguousarray(tokens).view(np.uint64)
    order = np.argsort(halves, axis=None)
    ordered, whose = halves.ravel()[order], order // 2
    messages = [message for name in names for message in spellings(name)]
    found = np.zeros(len(tokens), np.bool_)
    for digest in DIGESTS.values() if messages else ():
        made = np.frombuffer(b"".join(map(digest, messages)), np.uint8).reshape(len(messages), -1)
        size = made.shape[1]
        for start in {*range(0, size - HALF + 1, HALF), size - TOKEN_BYTES, size - HALF}:
            piece = np.ascontiguousarray(made[:, start : start + HALF]).view(np.uint64).ravel()
            at = np.minimum(np.searchsorted(ordered, piece), ordered.size - 1)
            found[whose[at[ordered[at] == piece]]] = True
    return int(found.sum())


class Tried:
    """What all rules make of some people, against names.

    Parameters
    ----------
    known
        People, in a random order.
    """

    def __init__(self, known: Sequence[Known]) -> None:
        self._first, self._rest = _answers(known[:_FIRST]), known[_FIRST:]

    def whole(self, tokens: Bytes) -> int:
        """Count places where half a token, whoever's, stands in what some rule makes of one of these people.

        >>> token = np.frombuffer(hashlib.md5(hashlib.sha1(b"ann").hexdigest().encode()).digest(), np.uint8)
        >>> Tried([Known(b"ann")]).whole(token[None]) > 0, Tried([Known(b"bob")]).whole(token[None])
        (True, 0)
        """
        digits = digits_of(tokens)
        halves = np.sort(np.concatenate([_windows(half).ravel() for half in np.split(digits, 2, axis=1)]))
        windows = _windows(self._first[:_WHOLE]).ravel()
        at = np.minimum(np.searchsorted(halves, windows), halves.size - 1)
        # Zeros are what rules leave that have nothing to say of a person.
        return int(((halves[at] == windows) & (windows != 0)).sum())

    def followed(self, own: Bytes) -> int:
        """Count digits of names that follow a digit of some rule's answer, for more people than chance would have it.

        Parameters
        ----------
        own
            The token of each of these people. A digit of it may be the rule's, or the rule's under a fixed mask.
        """
        mine = digits_of(own)
        if len(mine) < _FIRST:
            return 0  # too few to tell a digit from chance; whole names are found all the same
        told, rest = self._first, None
        found, tests = 0, 2 * told.shape[1] * _DIGITS
        for masked in (False, True):
            theirs, ours = (_masked(told, told), _masked(mine, mine)) if masked else (told, mine)
            # Under a mask the first agrees with itself.
            likely = (1 / 16) ** (_FIRST - masked)
            for digit in range(_DIGITS):
                agree = (theirs[:_FIRST] == ours[:_FIRST, digit, None]).sum(axis=0, dtype=np.uint8)
                for column in np.flatnonzero(agree == _FIRST).tolist():
                    if (theirs[:, column] == theirs[-1, column]).all():
                        continue  # what is the same for all says nothing of anybody
                    if rest is None:
                        rest = _answers(self._rest) if self._rest else told[:0]
                    more = _masked(rest, told)[:, column] if masked else rest[:, column]
                    again = int((more == ours[_FIRST:, digit]).sum())
                    found += likely * binomial_tail(again, len(more), 1 / 16) * tests < SURE
        return found


def _answers(known: Sequence[Known]) -> Bytes:
    """Return the hexadecimal digits of what all rules make of people."""
    if not known:
        return digits_of(np.frombuffer(answers(Known(b"")), np.uint8)[None])[:0]
    return digits_of(np.stack([np.frombuffer(answers(person), np.uint8) for person in known]))


def _masked(digits: Bytes, by: Bytes) -> Bytes:
    """Take a mask off that is the same for all: compare everybody with the first."""
    return np.asarray(digits ^ by[0])


def digits_of(raw: Bytes) -> Bytes:
    """Return the hexadecimal digits of rows of bytes.

    >>> digits_of(np.array([[0x1F, 0xA0]], np.uint8)).tolist()
    [[1, 15, 10, 0]]
    """
    return np.stack((raw >> 4, raw & 15), axis=-1).reshape(len(raw), -1)


def _windows(digits: Bytes) -> NDArray[np.uint64]:
    """Return all sixteen digits in a row, as one number each."""
    count = digits.shape[1] - 2 * HALF + 1
    result = np.zeros((len(digits), count), np.uint64)
    for i in range(2 * HALF):
        result = (result << np.uint64(4)) | digits[:, i : i + count]
    return result


def seeded(messages: Iterable[tuple[bytes, ...]], tokens: frozenset[bytes]) -> int:
    """Count the likely seeds under which our own rule gives one of these tokens."""
    known = [_as_one(message) for message in messages]
    return sum(any(_token(key, message) in tokens for message in known) for key in _keys())


@cache
def _keys() -> tuple[bytes, ...]:
    return tuple(hashlib.blake2b(str(seed).encode(), digest_size=32, person=b"shoal-seed").digest() for seed in seeds())


def _token(key: bytes, message: bytes) -> bytes:
    return hashlib.blake2b(message, digest_size=TOKEN_BYTES, key=key).digest()


def _as_one(parts: tuple[bytes, ...]) -> bytes:
    return parts[0] if len(parts) == 1 else b"".join(b"%d:%b" % (len(part), part) for part in parts)
