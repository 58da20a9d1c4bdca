"""Single values: names that say nothing, and numbers in one format."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, coin_tail
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.guesses import PROBES, Tried, guessed, seeded
from shoal.auditor.marks import told_by_others, told_by_rank
from shoal.auditor.messages import Known
from shoal.auditor.opened import Boxes
from shoal.auditor.registry import ALL_KINDS, check
from shoal.contract.files import STAMP

_TOKEN = re.compile(r"[0-9a-f]{32}")


_MOST_GUESSED = 2_000
"""So many people's identifiers are hashed in all ways; of more a random sample."""


@check(
    "tokens",
    kinds=ALL_KINDS,
    needs=("opened",),
    conditions=(
        *("format", "random", "digits", "doubled", "apart", "one_per_row", "guessable", "any_rule", "follows"),
        *("seeded", "group_marks", "order_marks"),
    ),
)
def tokens(case: Case, hold: Hold) -> Finding:
    """Published names are 128 random bits in lower-case hexadecimal; where a row has a name, it has its own."""
    assert case.opened is not None
    names = case.names.to_list()
    figures: dict[str, Any] = {"names": len(names)}
    odd = sum(not _TOKEN.fullmatch(name) for name in names)
    if hold.none("format", odd, "names are not 32 lower-case hexadecimal digits"):
        raw = np.frombuffer(bytes.fromhex("".join(names)), np.uint8).reshape(-1, 16)
        _random(raw, hold)
        if case.guess_names and not case.missing("original"):
            figures |= _guesses(case, raw, hold)
        _marks(case, raw, hold)
    if case.opened.kind.uid_of == "row":
        shared = int((np.diff(case.opened.offsets) > 1).sum())
        hold.none("one_per_row", shared, "names stand in several rows, which links them")
    words = "names are random-looking tokens; one made by a rule that is not tried here would look the same"
    return hold.passed(words, **figures)


def _random(raw: NDArray[np.uint8], hold: Hold) -> None:
    """Bits are even, digits are of all sixteen kinds, halves differ."""
    heads = np.unpackbits(raw, axis=1).sum(axis=0, dtype=np.int64)
    likely = min((coin_tail(int(count), len(raw)) for count in heads), default=1.0) * heads.size
    hold("random", likely >= SURE, "the names are not random: some of their bits are nearly constant")
    # Three in eight hexadecimal digits are letters: that a dozen names have none is no chance.
    letters = int((np.stack((raw >> 4, raw & 15)) > 9).sum())
    by_chance = (5 / 8) ** (2 * raw.size)
    hold("digits", letters > 0 or by_chance >= SURE, "the names consist of decimal digits alone")
    hold.none("doubled", int((raw[:, :8] == raw[:, 8:]).all(axis=1).sum()), "names say the same thing twice")
    hold.none("apart", _shared_pieces(raw), "names share a piece, or are each other's opposite, which links them")


def _shared_pieces(raw: NDArray[np.uint8]) -> int:
    """Count names that share half of their bits with another at the same place, or are its complement."""
    halves = np.ascontiguousarray(raw).view(np.uint64)
    shared = sum(int(column.size - np.unique(column).size) for column in halves.T)
    return shared + int(np.isin(~halves[:, 0], halves[:, 0]).sum())


def _marks(case: Case, raw: NDArray[np.uint8], hold: Hold) -> None:
    """Names tell neither who belongs together nor where somebody stood."""
    assert case.opened is not None
    person = None if case.missing("secret") or case.missing("original") else case.person_of_uid
    belongs = case.groups.of if isinstance(case.opened, Boxes) else person
    if belongs is not None:
        marked = told_by_others(raw[belongs >= 0], belongs[belongs >= 0], case.rng)
        hold.none("group_marks", marked, "bits or digits of names tell who belongs together")
    if person is not None:
        raw, person = raw[person >= 0], person[person >= 0]
        ranks = [person] if case.people.first_row is None else [person, _ranks(case.people.first_row)[person]]
        marked = sum(told_by_rank(raw, rank) for rank in ranks)
        hold.none("order_marks", marked, "bits or pieces of names tell the order of the input")


def _ranks(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.argsort(np.argsort(rows, kind="stable"), kind="stable")


def _guesses(case: Case, raw: NDArray[np.uint8], hold: Hold) -> dict[str, Any]:
    """Try what anybody could compute from identifiers."""
    people, known = case.people.names, frozenset(map(bytes, raw))
    some = people if people.len() <= _MOST_GUESSED else people.sample(_MOST_GUESSED, seed=int(case.rng.integers(2**31)))
    found = guessed((name.encode() for name in some.to_list()), raw)
    hold.none("guessable", found, "names are digests of identifiers that anybody can compute")
    probes, own = _probes(case)
    tried = Tried(probes)
    hold.none("any_rule", tried.whole(raw), "names are made of identifiers or row numbers by a rule that was tried")
    if own is not None:
        words = "digits of names follow from identifiers or row numbers by a rule that was tried"
        hold.none("follows", tried.followed(raw[own]), words)
    if not case.manifest.get(STAMP):
        hold.none("seeded", seeded(_messages(case), known), "likely seeds give the names again")
    return {"people_guessed": some.len(), "people_tried_by_all_rules": len(probes)}


def _probes(case: Case) -> tuple[list[Known], NDArray[np.int64] | None]:
    """Choose some people at random: what is known of them, and where their names stand if that can be told."""
    ids, first = case.people.ids, case.people.first_row
    ranks = None if first is None else _ranks(first)
    if case.missing("secret"):
        own, person = None, case.rng.permutation(ids.len())[:PROBES]
    else:
        # Of several names of a person any may be the one that was made of the identifier: one is enough to see it.
        named, at = np.unique(case.person_of_uid, return_index=True)
        chosen = case.rng.permutation(np.flatnonzero(named >= 0))[:PROBES]
        own, person = at[chosen], named[chosen]
    known = []
    for number in person.tolist():
        counted = (number, *(() if ranks is None else (int(ranks[number]), int(first[number]))))  # type: ignore[index]
        known.append(Known(ids[number].encode(), tuple(n + start for n in counted for start in (0, 1))))
    return known, own


def _messages(case: Case) -> list[tuple[bytes, ...]]:
    """What our own tokens of some people would be made of."""
    # Who is published, one will do: a seed names everybody.
    some = [name.encode() for name in case.people.ids.head(3).to_list()]
    if not case.missing("secret"):
        some = [name.encode() for name in case.mapping["original_uid"].head(1).to_list()]
    if case.opened is not None and case.opened.kind.uid_of == "row" and not case.missing("secret"):
        rows = case.mapping.head(1).select("original_uid", "municipality").rows()
        return [(person.encode(), town.encode()) for person, town in rows]
    return [*((name,) for name in some), *((name, b"0") for name in some)]


@check(
    "number_format",
    kinds=ALL_KINDS,
    needs=("table",),
    conditions=(
        *("no_nulls", "finite", "no_minus_zero", "lat_decimals", "lng_decimals", "lat_on_globe", "lng_on_globe"),
        *("whole_seconds", "shares"),
    ),
)
def number_format(case: Case, hold: Hold) -> Finding:
    """Numbers have one format: more digits in some rows would mark them."""
    assert case.table is not None
    assert case.kind is not None
    facts = case.table.facts
    for name, more in facts.decimals.items():
        hold.none(f"{name}_decimals", more, f"rows with more than 6 decimals of {name}")
        hold.none(f"{name}_on_globe", facts.off_globe[name], f"rows with a {name} that no place has")
    hold.none("no_nulls", sum(facts.nulls.values()), "empty values")
    hold.none("finite", sum(facts.strange.values()), "values that are no numbers")
    minus = sum(facts.minus_zeros.values())
    hold.none("no_minus_zero", minus, "zeros with a minus, which shows a sign that was rounded away")
    beyond = sum(facts.beyond_all.values())
    hold.none("shares", beyond, "values of profiles that are no shares of days, below 0 or above 1")
    if isinstance(case.opened, Boxes):
        hold("whole_seconds", case.opened.whole_seconds, "times with fractions of a second")
    return hold.passed("one format of numbers in all rows")
