"""What kte prints in §IV, beside what was measured with the repaired algorithm and with the one as printed.

The paper gives words and curves, few numbers; what is taken for each is in `Goal`s here. The verdict is on the first
variant that was run, counted as boxes, which is what the paper counts.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from shoal.reproduce.findings import Finding
from shoal.reproduce.glove.judge import Goal
from shoal.reproduce.kte.piece import Piece, Pieces
from shoal.reproduce.kte.plan import PAPER_USERS, VARIANTS, Job, Variant

SPACE, TIME = "span_sum_m", "span_s"
PARTS = ("per_sample", "per_box")

DAY, NIGHT = range(8, 20), range(6)
"""Hours of the local clock; the paper draws curves and names no hours."""

HARDLY = Goal(1 / 1.5, 1.5, more_is_better=False)
"""What is taken for "only marginally impacted": the greatest tau against the smallest."""

GROWS = Goal(1.2, 30, more_is_better=False)
"""tau itself grows 24-fold."""

Runs = dict[Variant, dict[int, Piece]]
"""By variant and tau."""
Values = Mapping[Variant, Mapping[str, Sequence[float]]]
"""Numbers to judge, by variant and way of counting."""


def findings_of(needed: dict[str, dict[str, list[Job]]], pieces: Pieces) -> list[Finding]:
    """Every printed statement that these figures make about these data sets."""
    found: list[Finding] = []
    for name, by_figure in needed.items():
        for figure, jobs in by_figure.items():
            runs: Runs = {variant: {} for variant in VARIANTS if any(job.variant == variant for job in jobs)}
            for job in jobs:
                runs[job.variant][job.tau] = pieces[name][job]
            maker = _week if figure == "fig7" else _against_tau
            found += maker(f"{figure.replace('fig', 'Fig. ')}, {name}", name, runs)
    return found


def _against_tau(where: str, name: str, runs: Runs) -> Iterator[Finding]:
    first = next(iter(runs.values()))
    why = _why(name, next(iter(first.values())))

    def median(figure: str) -> Callable[[Piece, str], float]:
        return lambda piece, part: float(piece.figures[part][figure]["median"])

    def one_cell(piece: Piece, part: str) -> float:
        return float(piece.figures[part]["one_cell_share"])

    def deleted(piece: Piece, part: str) -> float:
        del part
        return float(piece.figures["samples_deleted_share"])

    for what, printed, goal, read, form in (
        ("median in space", "1–3 km", Goal(1_000, 3_000, more_is_better=False), median(SPACE), _km),
        ("median in time", "below 45 min", Goal(0, 45 * 60, more_is_better=False), median(TIME), _minutes),
        ("samples suppressed", "1–7 %", Goal(0.01, 0.07, more_is_better=False), deleted, _percent),
        ("in boxes of a single cell", "", Goal.none(), one_cell, _percent),
    ):
        values = {
            variant: {part: [read(piece, part) for piece in by_tau.values()] for part in PARTS}
            for variant, by_tau in runs.items()
        }
        yield Finding(
            where,
            f"{what}, tau = {_range(list(first), str)} min",
            printed,
            _cells(values, partial(_range, form=form), twice=read is not deleted),
            _verdict(goal, values, why, less_is_better=True),
        )
    if len(first) > 1:
        yield from _trends(where, name, runs, why)


def _trends(where: str, name: str, runs: Runs, why: str) -> Iterator[Finding]:
    """How the medians change from the smallest tau to the greatest."""
    taus = next(iter(runs.values()))
    low, high = min(taus), max(taus)
    in_space = (
        ("below 1: it shrinks", Goal(0, 1 / 1.05, more_is_better=False)) if name == "civ" else ("about 1", HARDLY)
    )
    for what, figure, (printed, goal) in (
        ("space", SPACE, in_space),
        ("time", TIME, ("above 1: it grows", GROWS)),
    ):
        values = {
            variant: {part: [_ratio(by_tau[high], by_tau[low], part, figure)] for part in PARTS}
            for variant, by_tau in runs.items()
        }
        yield Finding(
            where,
            f"median in {what}: tau = {high} over {low} min",
            printed,
            _cells(values, _times, twice=True),
            _verdict(goal, values, why),
        )


def _ratio(one: Piece, other: Piece, part: str, figure: str) -> float:
    of_one, of_other = (piece.figures[part][figure]["median"] for piece in (one, other))
    return float(of_one / of_other) if of_other else 0.0


def _week(where: str, name: str, runs: Runs) -> Iterator[Finding]:
    ((tau, piece),) = next(iter(runs.values())).items()
    why = _why(name, piece)
    hours = f"day ({DAY[0]}–{DAY[-1] + 1} h) over night ({NIGHT[0]}–{NIGHT[-1] + 1} h)"
    for what, figure, printed, goal in (
        ("space", SPACE, "below 1: much finer by day", Goal(0, 1 / 1.05, more_is_better=False)),
        ("time", TIME, "about 1, slightly above", HARDLY),
    ):
        values = {
            variant: {part: [_day_over_night(by_tau[tau], part, figure)] for part in PARTS}
            for variant, by_tau in runs.items()
        }
        yield Finding(
            where,
            f"mean in {what}, tau = {tau} min: {hours}",
            printed,
            _cells(values, _times, twice=True),
            _verdict(goal, values, why),
        )


def _day_over_night(piece: Piece, part: str, figure: str) -> float:
    """A ratio of means; not a number where nothing is left of the day or of the night."""
    by_hour = piece.figures[part]["by_hour"]

    def mean(clock: Sequence[int]) -> float:
        hours = [hour for hour in range(len(by_hour["count"])) if hour % 24 in clock]
        spans, counts = (sum(by_hour[key][hour] for hour in hours) for key in (figure, "count"))
        return float(spans / counts) if counts else math.nan

    return mean(DAY) / mean(NIGHT)


def _cells(values: Values, form: Callable[[Sequence[float]], str], *, twice: bool) -> dict[str, str]:
    """Per raw sample, and per box in brackets; a column for either variant."""
    return {
        variant: form(by_part["per_sample"]) + (f" ({form(by_part['per_box'])})" if twice else "")
        for variant, by_part in values.items()
    }


def _verdict(goal: Goal, values: Values, why: str, *, less_is_better: bool = False) -> str:
    """Say whether all numbers are as printed, or better; if not, what is known about it.

    >>> def verdict(*numbers):
    ...     values = {"repaired": {"per_box": numbers}}
    ...     return _verdict(Goal(1, 3, more_is_better=False), values, "few people", less_is_better=True)
    >>> verdict(2, 3), verdict(0.5, 2), verdict(2, 4)
    ('as printed', 'better than printed', 'not met: few people')
    """
    if goal.low is None:
        return ""
    numbers = next(iter(values.values()))["per_box"]
    if any(math.isnan(number) for number in numbers):
        return "not met: nothing is left at night"
    offs = {goal.off(number) for number in numbers}
    if offs == {0}:
        return "as printed"
    return "better than printed" if less_is_better and 1 not in offs else f"not met: {why}"


def _why(name: str, piece: Piece) -> str:
    """What is different from the paper's people, to begin with."""
    users = PAPER_USERS.get(name)
    if users is None:
        return "other people than the paper's"
    if piece.people < users / 2:
        return f"{piece.people:,} people in place of {users:,}, fewer to hide among"
    return "synthetic people"


def _range(numbers: Sequence[float], form: Callable[[float], str]) -> str:
    """Least and greatest, with one unit.

    >>> _range([1200, 500], _km), _range([60], str)
    ('0.50–1.20 km', '60')
    """
    least, most = form(min(numbers)), form(max(numbers))
    return most if least == most else f"{least.split()[0]}–{most}"


def _times(numbers: Sequence[float]) -> str:
    return "–" if math.isnan(numbers[0]) else f"{numbers[0]:.2f}"


def _km(value: float) -> str:
    return f"{value / 1000:.2f} km"


def _minutes(value: float) -> str:
    return f"{value / 60:.0f} min"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
