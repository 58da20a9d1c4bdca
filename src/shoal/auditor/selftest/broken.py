"""What a broken release is, and tools to break one."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import polars as pl

from shoal.auditor.case import MAX_TARGETS
from shoal.auditor.selftest.draft import Draft, Written
from shoal.auditor.selftest.sound_boxes import centred, outsider
from shoal.contract.claims import Claim
from shoal.contract.kinds import BOXES, Kind

Change = Callable[[Draft], None]
Tamper = Callable[[Written], None]
Earlier = Literal["none", "same", "regrouped", "other kind"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What is asked of a made-up release beyond what it promises.

    Attributes
    ----------
    require_k
        A demand for candidates.
    earlier
        Another release of the same people: none, the same one, one with other groups, or one of another kind.
    max_targets
        How many people are attacked one by one.
    """

    require_k: int | None = None
    earlier: Earlier = "none"
    max_targets: int = MAX_TARGETS


FULL = Demands(require_k=2, earlier="same")
"""What a sound release of boxes meets."""

QUICK = Demands(require_k=2, earlier="same", max_targets=10)
"""The same with few people attacked, for what does not rest on attacks: those take the longest."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A release that is broken in one way.

    Attributes
    ----------
    words
        How.
    condition
        The very condition that has to see it, ``check.condition``.
    change, tamper
        How to break it: before it is written, digests and all, or afterwards.
    kind
        What the release would be if it were sound.
    demands
        What is asked of it; by default what a sound one meets, with few people attacked.
    claim
        What it claims, where its kind has several sound ones and this is not the usual.
    """

    words: str
    condition: str
    change: Change | None = None
    tamper: Tamper | None = None
    kind: Kind = BOXES
    demands: Demands | None = None
    claim: type[Claim] | None = None

    @property
    def sort(self) -> Kind | type[Claim]:
        """Which sound release it is made of."""
        return self.claim or self.kind

    @property
    def expected_id(self) -> str:
        """The check that the condition belongs to."""
        return self.condition.partition(".")[0]


def say(key: str, value: object) -> Change:
    """Let the manifest say something else."""
    return lambda draft: draft.manifest.__setitem__(key, value)


def say_more(key: str, **parts: object) -> Change:
    """Let a part of the manifest say something more."""
    return lambda draft: draft.manifest.__setitem__(key, {**draft.manifest[key], **parts})


def set_(name: str, value: object) -> Change:
    """Change a field of the draft."""
    return lambda draft: setattr(draft, name, value)


def rows(where: pl.Expr, **changes: pl.Expr) -> Change:
    """Change columns of some rows of the release."""
    new = [pl.when(where).then(value).otherwise(pl.col(name)).alias(name) for name, value in changes.items()]
    return lambda draft: setattr(draft, "data", draft.data.with_columns(new))


def boxes(where: pl.Expr, **changes: pl.Expr) -> Change:
    """Change edges of some boxes; their middle follows."""

    def change(draft: Draft) -> None:
        rows(where, **changes)(draft)
        draft.data = centred(draft.data)

    return change


def in_group() -> pl.Expr:
    """The first box of all members of the first group."""
    here = pl.col("group") == 0
    return here & (pl.col("t_start") == pl.col("t_start").filter(here).min())


def one_member() -> pl.Expr:
    return pl.col("member") == 0


def first_row() -> pl.Expr:
    return pl.int_range(pl.len()) == 0


def renamed(names: Callable[[Draft], pl.Series]) -> Change:
    """Give what is published other names."""

    def change(draft: Draft) -> None:
        table = pl.DataFrame({"uid": draft.mapping["uid"], "new": names(draft)})
        joined = draft.data.join(table, on="uid", how="left", maintain_order="left")
        draft.data = joined.with_columns(uid="new").drop("new")
        draft.mapping = draft.mapping.with_columns(uid=table["new"])

    return change


def first_person(draft: Draft) -> str:
    return str(draft.mapping["original_uid"][0])


def call_first_person(draft: Draft, name: str) -> None:
    """Give the first person another identifier, in the original and in the secret directory."""
    old = first_person(draft)
    draft.raw = draft.raw.with_columns(pl.col("uid").replace(old, name))
    draft.mapping = draft.mapping.with_columns(pl.col("original_uid").replace(old, name))
    draft.suppressed = draft.suppressed.with_columns(pl.col("original_uid").replace(old, name))


def list_whole(draft: Draft, name: str) -> None:
    """Withhold a whole person."""
    rest = draft.suppressed.filter(pl.col("original_uid") != name)
    draft.suppressed = pl.concat([rest, outsider(name).with_columns(reason=pl.lit("leftover"))])


def leave_over(draft: Draft, groups: int) -> None:
    """Withhold the first member of so many groups, so that the others of a group of two stand alone."""
    gone = draft.data.filter(pl.col("group") < groups).group_by("group").agg(pl.col("uid").first())["uid"]
    people = draft.mapping.filter(pl.col("uid").is_in(gone.implode()))["original_uid"].to_list()
    draft.data = draft.data.filter(~pl.col("uid").is_in(gone.implode()))
    draft.mapping = draft.mapping.filter(~pl.col("uid").is_in(gone.implode()))
    for name in people:
        list_whole(draft, name)


def digest(name: str, algorithm: str = "sha256") -> str:
    return hashlib.new(algorithm, name.encode(), usedforsecurity=False).hexdigest()[:32]


def append(name: str, content: bytes) -> Tamper:
    """Add bytes to a file of the release, or a file."""

    def tamper(written: Written) -> None:
        with (written.release / name).open("ab") as file:
            file.write(content)

    return tamper


def overwrite(name: str, content: bytes) -> Tamper:
    """Put other bytes in place of a file of the release."""

    def tamper(written: Written) -> None:
        (written.release / name).write_bytes(content)

    return tamper
