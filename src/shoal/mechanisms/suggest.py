"""Which mechanism to begin with, for data of a sort. A start, not an answer: what the data are for decides."""

from typing import Any, NamedTuple

DENSE_MINUTES = 5
"""Where half of all gaps are at most this long, somebody's way can be seen."""

SPARSE_PER_DAY = 1
"""Who is seen less often than this is hardly ever seen together with others: boxes would last for days."""

MANY_PEOPLE = 50_000
PARTITION = 20_000
"""From so many people on, grouping within neighbourhoods of so many saves hours and costs next to nothing."""


class Suggestion(NamedTuple):
    """A mechanism with parameters that differ from its defaults or need a thought, and why."""

    mechanism: str
    parameters: dict[str, Any]
    sort: str
    why: str


def suggest(*, people: int, gap_minutes: float | None, per_day: float, profiles: bool = False) -> Suggestion:
    """Suggest where to begin.

    Parameters
    ----------
    people
        How many there are.
    gap_minutes
        Median time between somebody's successive samples; None where nobody has two.
    per_day
        Median number of samples that somebody has a day.
    profiles
        Whether these are call profiles, or call records that name municipalities.

    Examples
    --------
    >>> suggest(people=900, gap_minutes=60, per_day=8).mechanism
    'glove'
    >>> suggest(people=900, gap_minutes=1, per_day=90).mechanism
    'promesse'
    >>> suggest(people=900, gap_minutes=3000, per_day=0.2).mechanism
    'geoind'
    """
    if profiles:
        return Suggestion(
            "primule",
            {"k": 20, "weeks": "all"},
            "call records over municipalities, or call profiles",
            "profiles keep what a census of presence needs, and everybody looks like k people of the municipality",
        )
    if gap_minutes is not None and gap_minutes <= DENSE_MINUTES:
        return Suggestion(
            "promesse",
            {"alpha_m": 200},
            "dense traces",
            "ways stay true and stops do not show; it does not hide who somebody is",
        )
    if per_day < SPARSE_PER_DAY:
        return Suggestion(
            "geoind",
            {"epsilon": "ln(4)/200", "memo_cell_m": 200},
            "sparse events, such as check-ins",
            "boxes of whole traces would last for days; noise hides the place within some 100 m, not who it is",
        )
    partition = {"partition": PARTITION} if people > MANY_PEOPLE else {}
    return Suggestion(
        "glove",
        {"k": 2, "suppress_share": 0.05, **partition},
        "events of people who are seen at about the same times, such as call records",
        "everybody's whole trace looks the same as those of k - 1 others",
    )
