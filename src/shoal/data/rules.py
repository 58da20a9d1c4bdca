"""What every row must keep, and what is said when it does not.

A broken rule stops the command with the number of the first row that breaks it, never with the value; or, with
``bad_rows="drop"``, such rows are dropped and counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from shoal.data.parts import Parts
from shoal.data.times import END_S, END_US, FIRST_US, SECOND_US
from shoal.errors import DataError, counted

LONGEST_CALL_S = 86_400
"""Of calls that become profiles: an end days later says nothing about where somebody was."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition on a row; ``broken`` is true (or null) where the row breaks it."""

    name: str
    found: str
    expected: str
    hint: str
    broken: pl.Expr


@dataclass(frozen=True, slots=True)
class Breach:
    """How often a rule was broken, and first where (rows count from 1)."""

    rule: Rule
    rows: int
    first_row: int

    def error(self, parts: Parts, rows_before: int = 0) -> DataError:
        """Word the breach; ``parts`` say in which file the row stands, after how many rows of earlier batches."""
        rows = counted(self.rows, "such row", "such rows")
        return DataError(
            f"{parts.where(rows_before + self.first_row)}: {self.rule.found} ({rows})",
            expected=self.rule.expected,
            hint=f"{self.rule.hint}; or drop such rows with `bad_rows='drop'`",
        )


def _rule(name: str, found: str, expected: str, hint: str, broken: pl.Expr) -> Rule:
    return Rule(name, found, expected, hint, broken.fill_null(True))


UID = _rule("uid", "a null or blank uid", "an identifier in every row", "drop or repair the row", pl.col("uid_blank"))
TIME = _rule(
    "datetime",
    "something that is not a time, or a local time that never occurred",
    "ISO 8601 times or epoch numbers",
    "check the format of the time column",
    pl.col("epoch_us").is_null(),
)
YEAR = _rule(
    "year",
    "a year before 1971 or after 2261",
    "a plausible time",
    "epoch zero and overflowed clocks look like this",
    (pl.col("epoch_us") < FIRST_US) | (pl.col("epoch_us") >= END_US),
)
NUMBER = _rule(
    "coordinate",
    "a coordinate that is missing or not a number",
    "decimal degrees with a point",
    "a decimal comma looks like this; rows without a position cannot be protected",
    pl.col("lat").is_null() | pl.col("lng").is_null() | pl.col("lat").is_nan() | pl.col("lng").is_nan(),
)
LATITUDE = _rule(
    "latitude",
    "a latitude beyond ±90",
    "WGS84 degrees",
    "are lat and lng swapped, or the coordinates projected?",
    pl.col("lat").abs() > 90,
)
LONGITUDE = _rule(
    "longitude",
    "a longitude beyond ±180",
    "WGS84 degrees",
    "are lat and lng swapped, or the coordinates projected?",
    pl.col("lng").abs() > 180,
)
ZERO = _rule(
    "zero position",
    "the position (0, 0)",
    "a real position",
    "receivers without a fix write this; allow it with `allow_zero=True`",
    (pl.col("lat") == 0) & (pl.col("lng") == 0),
)
CELL = _rule(
    "cell",
    "a cell that is blank or not in the cells table",
    "a cell of the `cells` table in every row",
    "are the cell ids written the same way in both?",
    pl.col("lat").is_null(),
)
DURATION = _rule(
    "duration",
    "a duration that is missing, negative, not a number or beyond the year 2261",
    "whole seconds, 0 or more",
    "check the unit of the duration column",
    pl.col("duration_s").is_null()
    | (pl.col("duration_s") < 0)
    | (pl.col("duration_s") >= END_S - pl.col("epoch_us").clip(FIRST_US, END_US) // SECOND_US),
)
KNOWN_CELL = _rule(
    CELL.name, CELL.found, CELL.expected, CELL.hint, pl.col("start_cell").is_null() | pl.col("end_cell").is_null()
)
PLACED_CELL = _rule(
    "municipality",
    "a cell for which the cells table has no municipality",
    "a municipality for every cell that is called from",
    "complete the municipality column of the `cells` table",
    pl.col("start_place").is_null() | pl.col("end_place").is_null(),
)
LASTING = _rule(
    "lasting",
    "a call of more than a day",
    "durations in seconds, up to 86,400",
    "durations in milliseconds look like this",
    pl.col("duration_s") > LONGEST_CALL_S,
)
MUNICIPALITY = _rule(
    "municipality",
    "a null or blank municipality",
    "a municipality in every row",
    "drop or repair the row",
    pl.col("municipality_blank"),
)
TWICE = _rule(
    "twice",
    "a person and municipality that stand in another row too",
    "one row for each person and municipality",
    "join such rows first",
    pl.struct("uid", "municipality").is_duplicated(),
)


def shares(cells: Sequence[str]) -> list[Rule]:
    """Return the rules for the values of profiles, which are shares of days."""
    values = [pl.col(name) for name in cells]
    return [
        _rule(
            "value",
            "a value that is missing or not a number",
            "a share of days, from 0 to 1, in every cell",
            "a decimal comma looks like this; days without activity are 0",
            pl.any_horizontal([value.is_null() | value.is_nan() for value in values]),
        ),
        _rule(
            "share",
            "a value below 0 or above 1",
            "a share of days, from 0 to 1, in every cell",
            "days with activity, divided by the days that there are",
            pl.any_horizontal([~value.is_between(0, 1) for value in values]),
        ),
    ]


def breaches_of(frame: pl.DataFrame, rules: list[Rule]) -> list[Breach]:
    """Count the rows that break each rule; a row is counted under the first rule it breaks."""
    # One after the other: to share so little work out among threads takes as long as the work of a million rows.
    counts = frame.select_seq([rule.broken.sum().alias(rule.name) for rule in rules]).row(0)
    if not any(counts):
        return []
    breaches = []
    earlier = pl.lit(False)
    for rule in rules:
        rows = frame.select((rule.broken & ~earlier).arg_true()).to_series()
        if rows.len():
            breaches.append(Breach(rule, rows.len(), int(rows[0]) + 1))
        earlier = earlier | rule.broken
    return breaches


def without_breaches(frame: pl.DataFrame, breaches: list[Breach]) -> pl.DataFrame:
    return frame.filter(~pl.any_horizontal([breach.rule.broken for breach in breaches])) if breaches else frame
