"""Broken by being raw: the original under other names, changed by next to nothing."""

import numpy as np
import polars as pl

from shoal.auditor.raw import project
from shoal.auditor.selftest.broken import Broken, Change, boxes, first_row, rows
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.sound_boxes import centred
from shoal.contract.claims import Nothing
from shoal.contract.kinds import POINTS, PROFILES


def _claim_nothing(draft: Draft) -> None:
    draft.manifest["promise"] = Nothing().promise(draft.manifest["parameters"]).to_dict()


def _cells(draft: Draft) -> pl.DataFrame:
    """The cell of every sample of the published, once each, under its person's name."""
    cell, step = (draft.manifest["base_grid"][name] for name in ("cell_m", "dt_s"))
    raw = draft.raw.join(draft.mapping, left_on="uid", right_on="original_uid").drop("uid").rename({"uid_right": "uid"})
    places = project(draft.manifest["crs"], raw["lng"].to_numpy(), raw["lat"].to_numpy())
    x, y = (np.floor(metres / cell).astype(np.int64) * cell for metres in places)
    start = pl.col("datetime").dt.truncate(f"{step}s")
    return raw.select(
        "uid",
        t_start=start,
        t_end=start + pl.duration(seconds=step),
        x_min=pl.Series(x),
        x_max=pl.Series(x + cell),
        y_min=pl.Series(y),
        y_max=pl.Series(y + cell),
        group=pl.lit(0),
        member=pl.lit(0),
    ).unique()


def _raw_cells(draft: Draft) -> None:
    draft.data = centred(_cells(draft))
    _claim_nothing(draft)


def _one_wider(draft: Draft) -> None:
    _raw_cells(draft)
    boxes(first_row(), x_max=pl.col("x_max") + 5000)(draft)


def _said_to_be_coarse(draft: Draft) -> None:
    """Say that the samples were far finer than what is published."""
    _raw_cells(draft)
    draft.manifest["base_grid"] = {"cell_m": 1, "dt_s": 1}


def _some_wider(draft: Draft) -> None:
    """Widen every other box."""
    _raw_cells(draft)
    boxes(pl.int_range(pl.len()) % 2 == 0, x_max=pl.col("x_max") + 5000)(draft)


def _among_others(draft: Draft) -> None:
    """Hide every cell among larger boxes around it."""
    cells = _cells(draft)
    wider = [cells.with_columns(x_max=pl.col("x_max") + 1000 * more) for more in range(1, 6)]
    draft.data = centred(pl.concat([cells, *wider]))
    _claim_nothing(draft)


def _raw_points(draft: Draft) -> None:
    """Publish the points of the original as they are."""
    whose = draft.mapping.rename({"original_uid": "whose"})
    raw = draft.raw.rename({"uid": "whose", "lat": "raw_lat", "lng": "raw_lng"}).unique(["whose", "datetime"])
    joined = draft.data.join(whose, on="uid").join(raw, on=["whose", "datetime"])
    draft.data = joined.with_columns(lat=pl.col("raw_lat").round(6), lng=pl.col("raw_lng").round(6)).select(
        draft.data.columns
    )


def _points(**changes: pl.Expr) -> Change:
    """Publish the points of the original, all changed a little."""

    def change(draft: Draft) -> None:
        _raw_points(draft)
        draft.data = draft.data.with_columns(**changes)

    return change


def _few_moved(draft: Draft) -> None:
    _raw_points(draft)
    rows(pl.int_range(pl.len()) % 20 == 0, lat=(pl.col("lat") + 0.05).round(6))(draft)


def _records_among_others(draft: Draft) -> None:
    """Add as many far points again, and again."""
    _raw_points(draft)
    far = [draft.data.with_columns(lat=(pl.col("lat") + more / 10).round(6)) for more in range(1, 5)]
    draft.data = pl.concat([draft.data, *far])


def _raw_points_of_others(draft: Draft) -> None:
    """Publish the points of the original, and give them to other people in the mapping."""
    _raw_points(draft)
    people = draft.mapping["original_uid"]
    draft.mapping = draft.mapping.with_columns(original_uid=pl.concat([people[1:], people[:1]]))


def _raw_profiles(draft: Draft) -> None:
    whose = draft.mapping.rename({"original_uid": "whose"}).drop("municipality")
    values = [name for name in draft.raw.columns if name not in ("uid", "municipality")]
    mine = draft.data.drop(values).join(whose, on="uid")
    joined = mine.join(draft.raw.rename({"uid": "whose"}), on=["whose", "municipality"])
    draft.data = joined.select(draft.data.columns)


def _values_moved(draft: Draft) -> None:
    """Change all values by a little, and one of each profile by a lot."""
    _raw_profiles(draft)
    values = [name for name in draft.raw.columns if name not in ("uid", "municipality")]
    draft.data = draft.data.with_columns((pl.col(values[1:]) - 0.015).clip(0), pl.lit(0.5).alias(values[0]))


_LAT, _LNG, _TIME = pl.col("lat"), pl.col("lng"), pl.col("datetime")

RAW = (
    Broken("raw cells, one of them wider", "raw_data.boxes", _one_wider),
    Broken("raw cells, half of them wider", "raw_data.boxes", _some_wider),
    Broken("raw cells of a grid that is said to be coarse", "raw_data.boxes", _said_to_be_coarse),
    Broken("raw cells among larger boxes", "raw_data.samples", _among_others),
    Broken("raw points moved by centimetres", "raw_data.points", _points(lat=(_LAT + 3e-6).round(6)), kind=POINTS),
    Broken(
        "raw points of four decimals", "raw_data.points", _points(lat=_LAT.round(4), lng=_LNG.round(4)), kind=POINTS
    ),
    Broken(
        "raw points some hours later", "raw_data.points", _points(datetime=_TIME + pl.duration(hours=31)), kind=POINTS
    ),
    Broken("raw points some way off", "raw_data.points", _points(lat=(_LAT + 0.0173).round(6)), kind=POINTS),
    Broken("raw points, a few of them moved", "raw_data.points", _few_moved, kind=POINTS),
    Broken("raw points under a wrong mapping", "raw_data.points", _raw_points_of_others, kind=POINTS),
    Broken("raw points among others", "raw_data.records", _records_among_others, kind=POINTS),
    Broken("raw profiles under other names", "raw_data.profiles", _raw_profiles, kind=PROFILES),
    Broken("raw profiles with small changes", "raw_data.profiles", _values_moved, kind=PROFILES),
)
