"""Broken in single values: names that say something, numbers in several formats."""

import hashlib
import hmac
import secrets
import uuid
from collections.abc import Callable
from datetime import timedelta

import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, first_row, in_group, renamed, rows
from shoal.auditor.selftest.draft import Draft
from shoal.contract.kinds import POINTS, PROFILES


def _decimal(draft: Draft) -> pl.Series:
    return pl.Series([f"{secrets.randbelow(10**32):032}" for _ in range(draft.mapping.height)])


def _with_the_group(draft: Draft) -> pl.Series:
    """Let members of a group, who follow each other, share the second half of their names."""
    mark = [_drawn()[:16] for _ in range(draft.mapping.height // 2)]
    return pl.Series([uid[:16] + mark[number // 2 % len(mark)] for number, uid in enumerate(draft.mapping["uid"])])


def _doubled(draft: Draft) -> pl.Series:
    half = draft.mapping["uid"].str.slice(0, 16)
    return half + half


def _counting(draft_names: int) -> pl.Series:
    return pl.Series([f"{number:032x}" for number in range(draft_names)])


def _made_of(name: Callable[[bytes], str]) -> Change:
    """Make names of the identifiers that they belong to; of a row, of its place as well."""

    def names(draft: Draft) -> pl.Series:
        told = draft.mapping["original_uid"]
        number = draft.mapping.select(pl.int_range(pl.len()).over("original_uid")).to_series()
        # A person with several names has several spellings of one.
        return pl.Series([name(person.encode()) if not n else _drawn() for person, n in zip(told, number, strict=True)])

    return renamed(names)


def _drawn() -> str:
    return secrets.token_hex(16)


def _hex(algorithm: str) -> Callable[[bytes], str]:
    return lambda message: hashlib.new(algorithm, message, usedforsecurity=False).hexdigest()


def _seeded(seed: bytes) -> Callable[[Draft], pl.Series]:
    """What our own rule gives for a seed that somebody would type."""
    key = hashlib.blake2b(seed, digest_size=32, person=b"shoal-seed").digest()

    def names(draft: Draft) -> pl.Series:
        people = draft.mapping["original_uid"].to_list()
        return pl.Series([hashlib.blake2b(p.encode(), digest_size=16, key=key).hexdigest() for p in people])

    return names


_GUESSABLE = {
    "md5": _hex("md5"),
    "the head of sha512": lambda m: _hex("sha512")(m)[:32],
    "the second quarter of sha512": lambda m: _hex("sha512")(m)[32:64],
    "the tail of sha256": lambda m: _hex("sha256")(m)[-32:],
    "the tail of sha1": lambda m: _hex("sha1")(m)[-32:],
    "sha3": lambda m: _hex("sha3_256")(m)[:32],
    "blake2": lambda m: hashlib.blake2b(m, digest_size=16).hexdigest(),
    "md5 of the identifier in capitals": lambda m: _hex("md5")(m.upper()),
    "md5 of the identifier and a newline": lambda m: _hex("md5")(m + b"\n"),
    "md5 of the digits alone": lambda m: _hex("md5")(bytes(byte for byte in m if 48 <= byte < 58)),
    "md5 of md5": lambda m: _hex("md5")(_hex("md5")(m).encode()),
    "half of md5, filled up": lambda m: _hex("md5")(m)[:16] + _drawn()[:16],
    "half of md5, doubled": lambda m: _hex("md5")(m)[:16] * 2,
    "HMAC with an empty key": lambda m: hmac.digest(b"", m, "sha256").hex()[:32],
}

_BY_ANY_RULE = {
    "sha256 in decimal digits": lambda m: str(int(_hex("sha256")(m), 16))[:32],
    "md5 of the identifier twice": lambda m: _hex("md5")(m + m),
    "md5 of sha1": lambda m: _hex("md5")(_hex("sha1")(m).encode()),
    "sha256 of sha256, binary": lambda m: _hex("sha256")(hashlib.sha256(m).digest())[:32],
    "HMAC with a key anybody would try": lambda m: hmac.digest(b"secret", m, "blake2b").hex()[:32],
    "HMAC with itself as the key": lambda m: hmac.digest(m, m, "sha256").hex()[:32],
    "md5 of the identifier in UTF-16": lambda m: _hex("md5")(m.decode().encode("utf-16-le")),
    "sha256 from an odd digit on": lambda m: _hex("sha256")(m)[7:39],
    "a UUID of the identifier": lambda m: uuid.uuid5(uuid.NAMESPACE_DNS, m.decode()).hex,
    "md5 of a salted identifier": lambda m: _hex("md5")(b"salt" + m),
}


def _of_row_numbers(draft: Draft) -> pl.Series:
    """Name people by a digest of their number, from 1, in the order of the input."""
    numbers = draft.raw["uid"].unique(maintain_order=True).to_frame("original_uid").with_row_index("number", offset=1)
    mine = draft.mapping.join(numbers, on="original_uid", how="left", maintain_order="left")
    return pl.Series([_hex("sha1")(str(number).encode())[:32] for number in mine["number"]])


def _four_bytes(message: bytes) -> str:
    """Draw a name but for four bytes of it, of a digest of a digest."""
    drawn = _drawn()
    return drawn[:11] + _hex("md5")(_hex("sha1")(message).encode())[5:13] + drawn[19:]


_MASK = secrets.randbits(128)


def _masked(message: bytes) -> str:
    return f"{int(_hex('md5')(message), 16) ^ _MASK:032x}"


def _marked(draft: Draft) -> pl.Series:
    """Let names of one group, or of one person, have two digits in common."""
    belongs = dict(draft.data.select("uid", "group").unique().rows())
    marks = {group: f"{secrets.randbelow(256):02x}" for group in belongs.values()}
    drawn = ((marks[belongs[uid]], _drawn()) for uid in draft.mapping["uid"])
    return pl.Series([name[:9] + mark + name[11:] for mark, name in drawn])


def _ranked(draft: Draft) -> pl.Series:
    """Let four bytes in the middle of names rise with the identifiers."""
    rank = draft.mapping["original_uid"].rank("ordinal").to_list()
    step = 2**32 // (draft.mapping.height + 1)
    pieces = [f"{number * step + secrets.randbelow(step):08x}" for number in rank]
    return pl.Series([(drawn := _drawn())[:13] + piece + drawn[21:] for piece in pieces])


_CELL = "w1_weekday_night"
_MORE = 3e-8

TOKENS = (
    Broken("names in upper case", "tokens.format", renamed(lambda d: d.mapping["uid"].str.to_uppercase())),
    Broken("names that count", "tokens.random", renamed(lambda d: _counting(d.mapping.height))),
    Broken("names of parts that count", "tokens.random", renamed(lambda d: _counting(d.mapping.height)), kind=POINTS),
    Broken("names of decimal digits", "tokens.digits", renamed(_decimal)),
    Broken("names that say things twice", "tokens.doubled", renamed(_doubled)),
    Broken("names with a part for each group", "tokens.apart", renamed(_with_the_group)),
    *(Broken(f"names that are {words}", "tokens.guessable", _made_of(rule)) for words, rule in _GUESSABLE.items()),
    *(Broken(f"names that are {words}", "tokens.any_rule", _made_of(rule)) for words, rule in _BY_ANY_RULE.items()),
    Broken("names that are digests of row numbers", "tokens.any_rule", renamed(_of_row_numbers)),
    Broken("names with four bytes of a digest", "tokens.follows", _made_of(_four_bytes)),
    Broken("names that are digests under a mask", "tokens.follows", _made_of(_masked)),
    Broken("names with a mark of their group", "tokens.group_marks", renamed(_marked)),
    Broken("parts with a mark of their person", "tokens.group_marks", renamed(_marked), kind=POINTS),
    Broken("rows with a mark of their person", "tokens.group_marks", renamed(_marked), kind=PROFILES),
    Broken("names that rise with identifiers", "tokens.order_marks", renamed(_ranked)),
    Broken("parts that are sha256", "tokens.guessable", _made_of(lambda m: _hex("sha256")(m)[:32]), kind=POINTS),
    Broken("rows that are sha256", "tokens.guessable", _made_of(lambda m: _hex("sha256")(m)[:32]), kind=PROFILES),
    Broken("names from a seed", "tokens.seeded", renamed(_seeded(b"42"))),
    Broken("names from a day as the seed", "tokens.seeded", renamed(_seeded(b"20240229"))),
    Broken(
        "one name for two rows",
        "tokens.one_per_row",
        rows(first_row(), uid=pl.col("uid").last()),
        kind=PROFILES,
    ),
)

NUMBERS = (
    Broken("boxes with empty values", "number_format.no_nulls", rows(in_group(), lat=pl.lit(None))),
    Broken("a name that is missing", "number_format.no_nulls", rows(first_row(), uid=pl.lit(None)), kind=POINTS),
    Broken(
        "cells with empty values", "number_format.no_nulls", rows(first_row(), **{_CELL: pl.lit(None)}), kind=PROFILES
    ),
    Broken("a middle nowhere", "number_format.finite", rows(in_group(), lat=pl.lit(float("inf")))),
    Broken("a point nowhere", "number_format.finite", rows(first_row(), lng=pl.lit(float("nan"))), kind=POINTS),
    Broken(
        "a cell without a number",
        "number_format.finite",
        rows(first_row(), **{_CELL: pl.lit(float("nan"))}),
        kind=PROFILES,
    ),
    Broken("a middle with minus zero", "number_format.no_minus_zero", rows(in_group(), lng=pl.lit(-0.0))),
    Broken("a point with minus zero", "number_format.no_minus_zero", rows(first_row(), lat=pl.lit(-0.0)), kind=POINTS),
    Broken(
        "a cell with minus zero",
        "number_format.no_minus_zero",
        rows(first_row(), **{_CELL: pl.lit(-0.0)}),
        kind=PROFILES,
    ),
    Broken(
        "more decimals of lat in some rows", "number_format.lat_decimals", rows(in_group(), lat=pl.col("lat") + _MORE)
    ),
    Broken(
        "more decimals of lng in some rows", "number_format.lng_decimals", rows(in_group(), lng=pl.col("lng") + _MORE)
    ),
    Broken(
        "a point with more decimals",
        "number_format.lat_decimals",
        rows(first_row(), lat=pl.col("lat") + _MORE),
        kind=POINTS,
    ),
    Broken("a lat beyond the pole", "number_format.lat_on_globe", rows(first_row(), lat=pl.lit(91.0)), kind=POINTS),
    Broken("a lng beyond the turn", "number_format.lng_on_globe", rows(first_row(), lng=pl.lit(181.0)), kind=POINTS),
    Broken(
        "boxes with fractions of a second",
        "number_format.whole_seconds",
        rows(in_group(), t_end=pl.col("t_end") + timedelta(microseconds=1)),
    ),
)
