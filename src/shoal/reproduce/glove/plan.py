"""Which figure of GLOVE needs which groupings, and what is suppressed in each."""

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.reproduce.glove.printed import TABLE_2
from shoal.reproduce.glove.ways import NOTHING, Suppression, Way

FIGURES = ("fig7", "fig8", "fig9", "fig10", "fig11", "table2")
PRESETS = ("civ", "sen", "abidjan", "dakar")
COUNTRIES, BASELINE = ("civ", "sen"), ("civ",)

FEWEST_PEOPLE = 40
"""Five percent of them are still two, as many as the k of Fig. 11."""

ALL_WAYS: tuple[Way, ...] = ("paper", "split", "hull", "kmerge")
LADDER_WAYS: tuple[Way, ...] = ("paper", "hull")
SIZES, TABLE_2_KS = (2, 3, 5), (2, 5)

DAYS = (1, 2, 3, 5, 7, 10, 14)
PERCENTS = (5.0, 10.0, 25.0, 50.0, 75.0, 100.0)

THRESHOLDS = Suppression(15, 6)
"""Of Table 2."""
IN_SPACE = tuple(Suppression(km, 6) for km in (40, 20, 15, 10, 5))
"""Of Fig. 9, left: the paper adds a threshold of 6 h there, too."""
IN_TIME = tuple(Suppression(None, hours) for hours in (24, 12, 6, 4, 2))
"""Of Fig. 9, right."""
SHARES = tuple(Suppression(share=share) for share in (0.01, 0.02, 0.04, 0.06, 0.083, 0.12, 0.16, 0.2))

_SHOWN_IN = {
    "fig7": PRESETS,
    "fig8": BASELINE,
    "fig9": BASELINE,
    "fig10": COUNTRIES,
    "fig11": COUNTRIES,
    "table2": PRESETS,
}


@dataclass(frozen=True, slots=True)
class Job:
    """One grouping: which part of a data set, and k."""

    k: int
    days: int | None = None
    percent: float = 100.0

    @property
    def name(self) -> str:
        """Name of its file.

        >>> Job(2).name, Job(2, days=7).name, Job(2, percent=5.0).name
        ('k2', 'k2-days7', 'k2-percent5')
        """
        part = f"-days{self.days}" if self.days else f"-percent{self.percent:g}" if self.percent < 100 else ""
        return f"k{self.k}{part}"


def shown(figure: str, name: str) -> bool:
    """Whether the figure shows this data set; data of the user's own are shown everywhere."""
    return name in _SHOWN_IN[figure] or name not in PRESETS


def drawn(figures: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """Figures that can be drawn from groups of these sizes: most of them are about k = 2.

    >>> drawn(FIGURES, [5])
    ['fig8', 'table2']
    """
    return [figure for figure in figures if 2 in sizes or (figure == "fig8" or (figure == "table2" and 5 in sizes))]


def jobs(figures: Sequence[str], name: str, days: int, sizes: Sequence[int] = SIZES) -> list[Job]:
    """The groupings that these figures need of a data set of so many days, each once."""
    needed: dict[str, list[Job]] = {
        "fig7": [Job(2)],
        "fig8": [Job(k) for k in SIZES],
        "fig9": [Job(2)],
        "fig10": [Job(2, days=d) for d in DAYS if d < days] + [Job(2)],
        "fig11": [Job(2, percent=p) for p in PERCENTS],
        "table2": [Job(k) for k in TABLE_2_KS],
    }
    wanted = dict.fromkeys(job for figure in figures if shown(figure, name) for job in needed[figure])
    return [job for job in wanted if job.k in sizes]


def suppressions(name: str, job: Job) -> list[tuple[Way, Suppression]]:
    """What to publish of a grouping, each once, whichever figures are asked for: grouping again would cost more."""
    result = [(way, NOTHING) for way in ALL_WAYS]
    if job.days or job.percent < 100:
        return result
    if job.k in TABLE_2_KS:
        result += table_2_conditions(name, job.k)
    if shown("fig9", name) and job.k == 2:
        result += [(way, step) for way in LADDER_WAYS for step in (*IN_SPACE, *IN_TIME)]
        result += [("kmerge", step) for step in SHARES]
    return list(dict.fromkeys(result))


def table_2_conditions(name: str, k: int) -> list[tuple[Way, Suppression]]:
    """The thresholds of Table 2, and for k-merge also the share of samples that the paper deletes there."""
    printed = TABLE_2.get((name, k), TABLE_2["civ", k])
    share = Suppression(share=round(printed.deleted_percent / 100, 4))
    return [*((way, THRESHOLDS) for way in ALL_WAYS), ("kmerge", share)]
