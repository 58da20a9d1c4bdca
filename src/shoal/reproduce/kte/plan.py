"""Which figure of kte needs which runs of the mechanism."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shoal import synth

Variant = Literal["repaired", "paper"]
Scale = Literal["small", "paper"]

K = 2
"""Of every figure; epsilon is tau in all of them."""

FIGURES = ("fig5", "fig6", "fig7")
VARIANTS: tuple[Variant, ...] = ("repaired", "paper")
CITIES, COUNTRIES = ("abidjan", "dakar", "shanghai"), ("civ", "sen")
PRESETS = (*CITIES, *COUNTRIES)
TAUS = (10, 30, 60, 120, 240)
"""Minutes."""

PAPER_USERS = {name: synth.PRESETS[name].users for name in PRESETS} | {"abidjan": 29_191}
"""kte, Table I; GLOVE has other people of Abidjan."""

SMALL_USERS, SMALL_DAYS = 1_500, 2
WEEK_TAU, WEEK_DAYS = 30, 7
"""Of Fig. 7."""

FEWEST_PEOPLE = 10

_SHOWN_IN = {"fig5": CITIES, "fig6": COUNTRIES, "fig7": ("abidjan",)}


@dataclass(frozen=True, slots=True)
class Job:
    """One run: tau in minutes, days of the data, the variant."""

    tau: int
    days: int
    variant: Variant = "repaired"

    @property
    def name(self) -> str:
        """Name of its file.

        >>> Job(30, 7, "paper").name
        'tau30-days7-paper'
        """
        return f"tau{self.tau}-days{self.days}-{self.variant}"


def days_at(scale: Scale, name: str) -> int:
    """Days of a preset: as many as the paper has, or few.

    >>> days_at("small", "dakar"), days_at("paper", "dakar"), days_at("small", "shanghai")
    (2, 14, 1)
    """
    days = synth.PRESETS[name].days
    return days if scale == "paper" else min(days, SMALL_DAYS)


def shown(figure: str, name: str) -> bool:
    """Whether the figure shows this data set; data of the user's own are shown as a city."""
    return name in _SHOWN_IN[figure] or (name not in PRESETS and figure != "fig6")


def variants_at(scale: Scale) -> tuple[Variant, ...]:
    """The paper's own construction compares all pairs of people: with few only."""
    return VARIANTS if scale == "small" else VARIANTS[:1]


def taus_of(name: str, days: int, taus: Sequence[int]) -> list[int]:
    """Those that the data set is long enough for: an hour for one day, as in the paper.

    >>> taus_of("shanghai", 1, TAUS), taus_of("data", 3, TAUS), taus_of("dakar", 2, [240])
    ([10, 30, 60], [10, 30, 60, 120], [240])
    """
    if name in PRESETS and name != "shanghai":
        return list(taus)
    return [tau for tau in taus if tau <= 60 * days]


def jobs(
    figures: Sequence[str], name: str, days: int, taus: Sequence[int], variants: Sequence[Variant]
) -> dict[str, list[Job]]:
    """The runs that each of these figures needs of a data set of so many days.

    >>> jobs(FIGURES, "abidjan", 2, [60], ["repaired"])
    {'fig5': [Job(tau=60, days=2, variant='repaired')], 'fig7': [Job(tau=30, days=7, variant='repaired')]}
    """
    week = max(days, WEEK_DAYS) if name in PRESETS else days
    needed = {
        "fig7": [Job(WEEK_TAU, week, variant) for variant in variants],
        **{
            figure: [Job(tau, days, variant) for tau in taus_of(name, days, taus) for variant in variants]
            for figure in ("fig5", "fig6")
        },
    }
    return {figure: needed[figure] for figure in figures if shown(figure, name) and needed[figure]}
