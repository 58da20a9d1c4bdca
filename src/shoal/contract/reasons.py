"""Why something of the original may be missing from a release. A closed list: nothing is withheld for other reasons."""

from dataclasses import dataclass
from typing import Literal

ReasonName = Literal["screened", "leftover", "share", "threshold", "emptied", "unhidden", "short"]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of suppression.

    Attributes
    ----------
    name
        As in ``suppressed.parquet``.
    words
        For people.
    whole_person
        Whether it takes whole people; otherwise single samples.
    per_group
        Whether it concerns a whole group at a time, never one member alone.
    """

    name: ReasonName
    words: str
    whole_person: bool
    per_group: bool


REASONS: dict[str, Reason] = {
    reason.name: reason
    for reason in (
        Reason("screened", "too few samples to take part", whole_person=True, per_group=False),
        Reason("leftover", "in no group of k", whole_person=True, per_group=False),
        Reason("share", "the costliest samples, as many as were allowed", whole_person=False, per_group=True),
        Reason("threshold", "in a box beyond the thresholds", whole_person=False, per_group=True),
        Reason("unhidden", "when too few others could hide them", whole_person=False, per_group=False),
        Reason("short", "nothing long enough was left of their traces", whole_person=True, per_group=False),
        Reason("emptied", "nothing was left of the group", whole_person=True, per_group=True),
    )
}
