"""The tables of the paper beside what was measured, judged."""

from collections.abc import Callable, Mapping

from shoal.reproduce.findings import Finding
from shoal.reproduce.promesse import printed
from shoal.reproduce.promesse.piece import Figures
from shoal.reproduce.promesse.plan import Job
from shoal.reproduce.promesse.printed import DataSet

PAPER, PATH = "measured", "by path"
"""Columns: as the paper does it (Promesse by ``chord``), and Promesse on the trace's own line."""

LATER = "not measured yet"
WITHIN, NEAR = 0.05, 0.1
"""As printed: within 5 %, or two standard errors, or the last printed digit. Near: within 10 %."""

Pieces = Mapping[Job, Figures | None]
Reasons = Mapping[str, str]

_SHOWN = 0.005
"""Smaller standard errors are not told."""
_DAY = 86_400


def findings_of(
    data_set: DataSet | None, table_1: Mapping[str, float], pieces: Pieces, reasons: Reasons
) -> list[Finding]:
    """Judge every cell of Tables I to VI; without a data set of the paper there is nothing to judge by."""
    return [
        *_table_1(data_set, table_1),
        *_by_row("II", "F-score", pieces, _of(printed.F_SCORES, data_set), _f_score("poi_per_trace"), reasons),
        *_by_row("II", "F of places", pieces, {}, _f_score("poi_per_person"), reasons),
        *_by_row("III", "error", pieces, _of(printed.SPATIAL_ERRORS, data_set), _error, reasons),
        *_by_row("IV", "distortion", pieces, _of(printed.DISTORTIONS, data_set), _distortion, reasons),
        *_times(pieces, _of(printed.SECONDS, data_set)),
        *_by_row("VI", "size", pieces, _of(printed.COMPRESSIONS, data_set), _compression, reasons),
    ]


Read = Callable[[Figures], tuple[float, float, str]]
"""A value in the paper's unit, its standard error, the unit."""


def _f_score(average: str) -> Read:
    def read(figures: Figures) -> tuple[float, float, str]:
        return 100 * figures[average]["f_score"], 100 * figures[average]["f_score_standard_error"], "%"

    return read


def _error(figures: Figures) -> tuple[float, float, str]:
    return figures["spatial_error_m"], figures["spatial_error_standard_error_m"], "m"


def _distortion(figures: Figures) -> tuple[float, float, str]:
    return 100 * figures["distortion"], 100 * figures["distortion_standard_error"], "%"


def _compression(figures: Figures) -> tuple[float, float, str]:
    return 100 * figures["compression"], 0.0, "%"


def _by_row(
    where: str, what: str, pieces: Pieces, wanted: Mapping[str, float], read: Read, reasons: Reasons
) -> list[Finding]:
    findings = []
    for job, figures in pieces.items():
        if job.way == "path":
            continue
        beside = next((f for other, f in pieces.items() if other.row == job.row and other.way == "path"), None)
        _, _, unit = read(figures) if figures else (0, 0, "m" if what == "error" else "%")
        value = wanted.get(job.row)
        findings.append(
            Finding(
                where,
                f"{what}, {job.words}",
                "" if value is None else f"{value:,g} {unit}",
                {PAPER: _told(figures, read) if figures else LATER, PATH: _told(beside, read) if beside else ""},
                _verdict(
                    value, figures, read, reasons.get(f"{what} {job.row}") or reasons.get(f"{what} {job.mechanism}")
                ),
            )
        )
    return findings


def _told(figures: Figures, read: Read) -> str:
    value, error, unit = read(figures)
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}" + (f" ±{error:.2g}" if error >= _SHOWN else "") + f" {unit}"


def _verdict(value: float | None, figures: Figures | None, read: Read, why: str | None) -> str:
    if value is None or figures is None:
        return ""
    measured, error, _ = read(figures)
    return judged(value, measured, error, why)


def judged(value: float, measured: float, error: float, why: str | None = None) -> str:
    """Say whether a measured value is what is printed.

    >>> judged(6.33, 6.5, 0.1), judged(24, 24.4, 0.0), judged(0, 12.0, 0.1, "corners are cut")
    ('as printed', 'as printed', 'not met: corners are cut')
    >>> judged(0, 0.004, 0.0), judged(30.72, 33.0, 0.4)
    ('as printed', 'near')
    """
    digits, off = len(f"{value:g}".partition(".")[2]), abs(measured - value)
    if off <= max(WITHIN * value, 2 * error, 0.5 * 10**-digits):
        return "as printed"
    verdict = "near" if off <= NEAR * value else "not met"
    return f"{verdict}: {why}" if why else verdict


def _of(table: Mapping[DataSet, Mapping[str, float]], data_set: DataSet | None) -> Mapping[str, float]:
    return table[data_set] if data_set else {}


def _table_1(data_set: DataSet | None, found: Mapping[str, float]) -> list[Finding]:
    wanted = _of(printed.TABLE_1, data_set)
    rows: tuple[tuple[str, str, Callable[[float], str]], ...] = (
        ("records", "records", lambda v: f"{v:,.0f}"),
        ("traces", "traces", lambda v: f"{v:,.0f}"),
        ("mean_duration_s", "mean duration", _lasting),
        ("longest_duration_s", "longest", _lasting),
        ("sampling_s", "sampling", lambda v: f"{v:.0f} s"),
    )
    return [
        Finding(
            "I",
            words,
            told(wanted[name]) if name in wanted else "",
            {PAPER: told(found[name]), PATH: ""},
            judged(wanted[name], found[name], 0.0) if name in wanted else "",
        )
        for name, words, told in rows
    ]


def _lasting(seconds: float) -> str:
    """Spell a duration as the paper does.

    >>> _lasting(32 * 3600 + 44 * 60), _lasting(46 * 3600)
    ('32 h 44 min', '1 d 22 h')
    """
    minutes = round(seconds / 60)
    if seconds > 1.5 * _DAY:
        return f"{minutes // 1440} d {minutes % 1440 // 60} h"
    return f"{minutes // 60} h {minutes % 60} min"


def _times(pieces: Pieces, wanted: Mapping[str, float]) -> list[Finding]:
    """Table V: seconds on the wall, and those of all cores together."""
    findings = []
    for mechanism in dict.fromkeys(job.mechanism for job in pieces):
        done = [(job.way == "path", f) for job, f in pieces.items() if job.mechanism == mechanism and f]
        paper, path = ([f for by_path, f in done if by_path is wanted_path] for wanted_path in (False, True))
        value = wanted.get(mechanism)
        slowest = max((f["seconds"] for f in paper), default=0.0)
        verdict = "" if value is None or not paper else "faster" if slowest <= value else "slower"
        words = {"promesse": "Promesse", "geoind": "Geo-I", "w4m": "W4M"}[mechanism]
        told = {PAPER: _span(paper) if paper else LATER, PATH: _span(path)}
        findings.append(Finding("V", f"time, {words}", "" if value is None else f"{value:,.0f} s", told, verdict))
    return findings


def _span(pieces: list[Figures]) -> str:
    if not pieces:
        return ""
    wall, cpu = (max(round(f[name]) for f in pieces) for name in ("seconds", "cpu_s"))
    return f"{wall:,} s ({cpu:,} CPU s)"
