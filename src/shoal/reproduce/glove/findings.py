"""What GLOVE prints in §7, beside what was measured in each way of publication."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from shoal.reproduce.findings import Finding
from shoal.reproduce.glove.accuracy import Figures
from shoal.reproduce.glove.judge import FEW_TENS_OF_THOUSANDS, Goal, note_on, usual_reason
from shoal.reproduce.glove.piece import Piece, Pieces
from shoal.reproduce.glove.plan import ALL_WAYS, DAYS, TABLE_2_KS, THRESHOLDS, Job, shown, table_2_conditions
from shoal.reproduce.glove.printed import TABLE_2
from shoal.reproduce.glove.ways import NOTHING, Suppression, Way

AT_20_KM, AT_6_H = Suppression(20, 6), Suppression(None, 6)

Reader = Callable[[Way, Figures, str], float]
"""Reads a number of a publication in some way, counted ``per_sample`` or ``per_box``."""


@dataclass(frozen=True)
class _Row:
    """One printed statement about one grouping."""

    where: str
    what: str
    printed: str
    goal: Goal
    read: Reader
    form: Callable[[float], str]
    counted_twice: bool = True
    """Whether a figure per box stands beside that per sample."""
    why: str = ""
    """Why it may not be met, beside the usual."""


def findings_of(figures: Sequence[str], pieces: Pieces) -> list[Finding]:
    """Every printed statement that these figures make about these data sets."""
    makers = {"fig7": _fig7, "fig8": _fig8, "fig9": _fig9, "fig10": _fig10, "fig11": _fig11, "table2": _table2}
    return [
        finding
        for figure in figures
        for name, by_job in pieces.items()
        if shown(figure, name)
        for finding in makers[figure](name, by_job)
    ]


def _percent(value: float) -> str:
    return f"{value:.1%}".replace("%", " %")


def _km(value: float) -> str:
    return f"{value / 1000:.2f} km" if value < 100_000 else f"{value / 1000:.0f} km"


def _minutes(value: float) -> str:
    return f"{value / 60:.0f} min"


def _times(value: float) -> str:
    return f"{value:.2f}"


def _share(name: str) -> Reader:
    return lambda _, figures, part: float(figures[part]["shares"][name])


def _mean(name: str) -> Reader:
    return lambda _, figures, part: float(figures[part][name]["mean"])


def _finding(
    row: _Row, name: str, piece: Piece, suppression: Suppression = NOTHING, ways: Sequence[Way] = ALL_WAYS
) -> Finding:
    read: dict[str, tuple[float, float]] = {}
    cells: dict[str, str] = dict.fromkeys(ALL_WAYS, "")
    for way in ways:
        figures = piece.of(way, suppression)
        read[way] = row.read(way, figures, "per_sample"), row.read(way, figures, "per_box")
        cells[way] = row.form(read[way][0]) + (f" ({row.form(read[way][1])})" if row.counted_twice else "")
    reasons = [usual_reason(name, piece.people), *([row.why] if row.why else [])]
    note = note_on(row.goal, read, "; ".join(reasons))
    return Finding(f"{row.where}, {name}", row.what, row.printed, cells, note)


def _fig7(name: str, by_job: dict[Job, Piece]) -> Iterator[Finding]:
    for what, printed, low, high, read in (
        ("same position", "20–40 %", 0.2, 0.4, _share("same_place")),
        ("within 30 min", "20–40 %", 0.2, 0.4, _share("soon")),
        ("within 2 km", "70–80 %", 0.7, 0.8, _share("near")),
        ("within 2 h", "70–80 %", 0.7, 0.8, _share("later")),
    ):
        row = _Row("Fig. 7, k = 2", what, printed, Goal(low, high, more_is_better=True), read, _percent)
        yield _finding(row, name, by_job[Job(2)])


def _fig8(name: str, by_job: dict[Job, Piece]) -> Iterator[Finding]:
    for k, what, share, read in (
        (3, "same position", 0.25, _share("same_place")),
        (5, "same position", 0.15, _share("same_place")),
        (3, "within 2 km", 0.7, _share("near")),
        (5, "within 2 km", 0.5, _share("near")),
        (3, "within 2 h", 0.5, _share("later")),
        (5, "within 2 h", 0.2, _share("later")),
    ):
        goal, printed = Goal(share - 0.05, share + 0.05, more_is_better=True), f"{share:.0%}".replace("%", " %")
        if Job(k) in by_job:
            yield _finding(_Row(f"Fig. 8, k = {k}", what, printed, goal, read, _percent), name, by_job[Job(k)])


def _deleted(way: Way, figures: Figures, part: str) -> float:
    del way, part
    return float(figures["samples_deleted_share"])


def _fig9(name: str, by_job: dict[Job, Piece]) -> Iterator[Finding]:
    piece, where = by_job[Job(2)], "Fig. 9, k = 2"
    ladder: tuple[Way, ...] = ("paper", "hull")
    space, time = _mean("span_max_m"), _mean("span_s")

    def of_that_without(way: Way, figures: Figures, part: str) -> float:
        return time(way, figures, part) / time(way, piece.of(way), part)

    def deleted(suppression: Suppression) -> Reader:
        # Hulls are drawn after boxes were left out, so what is left out are the paper's boxes in either way.
        boxes = piece.of("paper", suppression)["boxes"] / piece.of("paper")["boxes"]
        return lambda way, figures, part: 1 - boxes if part == "per_box" else _deleted(way, figures, part)

    def row(what: str, printed: str, low: float, high: float, read: Reader, form: Callable[[float], str]) -> _Row:
        return _Row(where, what, printed, Goal(low, high, more_is_better=False), read, form)

    everything = row("mean span in space, all kept", "more than 5 km", 5_000, 10_000, space, _km)
    yield _finding(everything, name, piece)
    for suppression, rows in (
        (
            AT_20_KM,
            (
                row("mean span in space at 20 km, 6 h", "about 1 km", 750, 1_500, space, _km),
                row("samples deleted at 20 km, 6 h", "less than 8 %", 0, 0.08, deleted(AT_20_KM), _percent),
            ),
        ),
        (
            AT_6_H,
            (
                row("mean span in time at 6 h, of that without", "0.5", 0.4, 0.6, of_that_without, _times),
                row("samples deleted at 6 h", "4 %", 0.03, 0.05, deleted(AT_6_H), _percent),
            ),
        ),
    ):
        for one in rows:
            yield _finding(one, name, piece, suppression, ladder)


def _over(other: Piece, figure: str) -> Reader:
    """A mean span over that of another grouping, published in the same way."""
    return lambda way, figures, part: float(figures[part][figure]["mean"] / other.of(way)[part][figure]["mean"])


def _fig10(name: str, by_job: dict[Job, Piece]) -> Iterator[Finding]:
    one_day, all_days = by_job.get(Job(2, days=DAYS[0])), by_job[Job(2)]
    if one_day is None:
        return
    for figure, what in (("span_max_m", "space"), ("span_s", "time")):
        goal = Goal(0.4, 0.6, more_is_better=False)
        medians = [piece.of("paper")["per_box"][figure]["median"] for piece in (one_day, all_days)]
        ratio = _times(medians[0] / medians[1])
        why = f"the mean hangs on few people far from all others; of the medians, paper's boxes, it is {ratio}"
        words = f"mean span in {what}: 1 day over all"
        row = _Row("Fig. 10, k = 2", words, "0.5", goal, _over(all_days, figure), _times, why=why)
        yield _finding(row, name, one_day)


def _fig11(name: str, by_job: dict[Job, Piece]) -> Iterator[Finding]:
    everybody = by_job[Job(2)]
    for percent, printed, goal in (
        (5.0, "well above 1", Goal(1.2, 10, more_is_better=False)),
        (50.0, "about 1", Goal(0.9, 1.2, more_is_better=False)),
    ):
        few = by_job[Job(2, percent=percent)]
        small = few.people < FEW_TENS_OF_THOUSANDS
        why = f"{few.people:,} people: so few are harder to hide in the paper, too" if small else ""
        for figure, what in (("span_max_m", "space"), ("span_s", "time")):
            words = f"mean span in {what}: {percent:g} % of the people over all"
            row = _Row("Fig. 11, k = 2", words, printed, goal, _over(everybody, figure), _times, why=why)
            yield _finding(row, name, few)


def _table2(name: str, by_job: dict[Job, Piece]) -> Iterator[Finding]:
    for k in (k for k in TABLE_2_KS if Job(k) in by_job):
        piece, where = by_job[Job(k)], f"Table 2, k = {k}"
        counts, errors = _table2_rows(where, name, k)
        deleted = piece.of("paper", THRESHOLDS)["samples_deleted_share"]
        yield from (_finding(row, name, piece, THRESHOLDS) for row in counts)
        yield from (_comparable(_finding(row, name, piece, THRESHOLDS), deleted, name, k) for row in errors)
        way, share = table_2_conditions(name, k)[-1]
        if (name, k) in TABLE_2:
            _, errors = _table2_rows(f"{where}, k-merge leaving out {share}", name, k)
            yield from (_finding(row, name, piece, share, (way,)) for row in errors)


def _comparable(finding: Finding, deleted: float, name: str, k: int) -> Finding:
    """Errors of what is left say little where far more was left out than in the paper."""
    printed = TABLE_2.get((name, k))
    if printed is None or deleted <= 1.1 * printed.deleted_percent / 100:
        return finding
    note = f"not comparable: {_percent(deleted)} of the samples are gone here, {printed.deleted_percent} % in the paper"
    return replace(finding, note=note)


def _table2_rows(where: str, name: str, k: int) -> tuple[list[_Row], list[_Row]]:
    """The rows that count, and those about errors, which the paper does not define: spans or centre errors."""
    printed = TABLE_2.get((name, k))
    deleted, metres, minutes = printed or (None, None, None)

    def row(
        what: str,
        value: float | None,
        form: Callable[[float], str],
        read: Reader,
        *,
        twice: bool = False,
        why: str = "",
    ) -> _Row:
        near = Goal(value * 0.9, value * 1.1, more_is_better=False) if value is not None else Goal.none()
        printed = form(value) if value is not None else ""
        return _Row(where, what, printed, near, read, form, counted_twice=twice, why=why)

    def counted(figure: str) -> Reader:
        return lambda _way, figures, _part: float(figures[figure])

    def error(figure: str) -> Reader:
        return lambda _way, figures, _part: float(figures["errors"][figure]["mean"])

    nothing = 0 if printed else None
    emptied, other = "a group of which nothing is left is removed whole", "see the centre error, the other reading"
    seconds = minutes * 60 if minutes is not None else None
    return [
        row("people discarded", nothing, "{:,.0f}".format, counted("people_discarded"), why=emptied),
        row("samples created", nothing, "{:,.0f}".format, counted("samples_created")),
        row("samples deleted", deleted / 100 if deleted is not None else None, _percent, _deleted),
    ], [
        row("mean position error, read as centre error", metres, _km, error("position_error_m")),
        row("mean position error, read as span", metres, _km, _mean("span_max_m"), twice=True, why=other),
        row("mean time error, read as centre error", seconds, _minutes, error("time_error_s")),
        row("mean time error, read as span", seconds, _minutes, _mean("span_s"), twice=True, why=other),
    ]
