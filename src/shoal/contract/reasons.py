"""Why something of the original may be missing from a release. A closed list: nothing is withheld for other reasons."""

from dataclasses import dataclass
from typing import Literal

ReasonName = Literal["screened", "leftover", "share", "threshold", "emptied", "unhidden", "short", "small"]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of suppression.

    Attributes
    ----------
    name
        As in ``suppressed.parquet``.
    words
        For people.
    takes
        What it takes: whole people, samples of theirs, or the profile of a person in a municipality.
    per_group
        Whether it concerns a whole group at a time, never one member alone.
    """

    name: ReasonName
    words: str
    takes: Literal["person", "sample", "profile"]
    per_group: bool

    @property
    def whole_person(self) -> bool:
        return self.takes == "person"


REASONS: dict[str, Reason] = {
    reason.name: reason
    for reason in (
        Reason("screened", "too few samples to take part", takes="person", per_group=False),
        Reason("leftover", "in no group of k", takes="person", per_group=False),
        Reason("share", "the costliest samples, as many as were allowed", takes="sample", per_group=True),
        Reason("threshold", "in a box beyond the thresholds", takes="sample", per_group=True),
        Reason("unhidden", "when too few others could hide them", takes="sample", per_group=False),
        Reason("short", "nothing long enough was left of their traces", takes="person", per_group=False),
        Reason("emptied", "nothing was left of the group", takes="person", per_group=True),
        Reason("small", "in a municipality of fewer than k people", takes="profile", per_group=True),
    )
}
