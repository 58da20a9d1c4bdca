"""Which columns mean what: the canonical names, other libraries' presets, and the user's own mapping."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from shoal.contract.kinds import BOXES, KINDS_OF_DAY, SLOTS, cell_names
from shoal.data.words import told, told_all
from shoal.errors import DataError, ParameterError, counted, did_you_mean, given

InputKind = Literal["points", "cells", "calls", "profiles"]
SightingKind = Literal["points", "cells", "calls"]

COLUMNS_OF: dict[SightingKind, tuple[str, ...]] = {
    "points": ("uid", "datetime", "lat", "lng"),
    "cells": ("uid", "datetime", "cell"),
    "calls": ("uid", "datetime", "duration", "cell_start", "cell_end"),
}
CANONICAL = tuple(dict.fromkeys(name for names in COLUMNS_OF.values() for name in names))

GEOMETRY = "geometry"
"""A column of WKB or WKT points, as trackintel and movingpandas write them, in place of lat and lng."""

PROFILE = ("uid", "municipality")
"""What profiles have beside the cells of their weeks."""

IDENTIFIERS = ("uid", "cell", "cell_start", "cell_end", "municipality")
"""What has few values that come again and again."""

CELLS = ("cell", "lat", "lng")
"""What a table of cells has."""

PLACES = ("cell", "municipality")
"""What a table of cells has for calls that become profiles."""

_LIKELY: dict[str, tuple[str, ...]] = {
    "uid": ("user", "user_id", "userid", "id", "sim", "imsi", "msisdn", "caller", "device", "person"),
    "datetime": ("timestamp", "time", "ts", "t", "date_time", "date"),
    "lat": ("latitude", "y"),
    "lng": ("lon", "long", "longitude", "x"),
    "cell": ("cell_id", "cellid", "cid", "cgi", "antenna", "antenna_id", "site", "site_id", "station", "id"),
    "duration": ("seconds", "length", "duration_s"),
    "municipality": ("comune", "commune", "city", "town", "name"),
}
"""What others call these columns: for hints only, nothing is guessed."""

_LOOKED_THROUGH = 1000
"""Columns among which a name that is nearly right is looked for."""

_CELL = re.compile(rf"w[1-9]\d*_({'|'.join(KINDS_OF_DAY)})_({'|'.join(SLOTS)})")
_LIKE_A_CELL = re.compile(r"(?i)w\d+_.*")


@dataclass(frozen=True, slots=True)
class Preset:
    """Column names of another library's files; alternatives are tried in order."""

    alternatives: Mapping[str, tuple[str, ...]]
    tree: Literal["geolife", "cabspotting"] | None = None


PRESETS: dict[str, Preset] = {
    "skmob": Preset({"uid": ("uid",), "datetime": ("datetime",), "lat": ("lat",), "lng": ("lng", "lon")}),
    "trackintel": Preset(
        {
            "uid": ("user_id",),
            "datetime": ("tracked_at",),
            "lat": ("latitude", "lat"),
            "lng": ("longitude", "lon", "lng"),
            GEOMETRY: ("geom", "geometry"),
        }
    ),
    "movingpandas": Preset(
        {
            "uid": ("traj_id", "trajectory_id", "trajectoryId"),
            "datetime": ("t", "timestamp", "time"),
            "lat": ("y", "lat"),
            "lng": ("x", "lon"),
            GEOMETRY: ("geometry",),
        }
    ),
    "geolife": Preset({}, tree="geolife"),
    "cabspotting": Preset({}, tree="cabspotting"),
}


def find_preset(name: str) -> Preset:
    try:
        return PRESETS[name]
    except KeyError:
        raise ParameterError(
            given("schema", name), expected="a known preset", hint=did_you_mean(name, PRESETS)
        ) from None


def parse_columns(text: str, parameter: str = "columns") -> dict[str, str]:
    """Parse ``uid=user,datetime=ts`` into a mapping; an error names the parameter.

    >>> parse_columns("uid=user,datetime=ts")
    {'uid': 'user', 'datetime': 'ts'}
    >>> parse_columns("")
    {}
    """
    mapping: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        canonical, equals, actual = part.partition("=")
        if not equals or not actual or canonical in mapping:
            raise ParameterError(
                f"`{parameter}` that is not a list of NAME=COLUMN, each name once",
                expected="for example uid=user,datetime=ts,lat=y,lng=x",
                hint="the canonical name stands left of the equals sign",
            )
        mapping[canonical] = actual
    return mapping


def resolve(
    available: list[str], columns: Mapping[str, str] | None, preset: Preset | None, person: str | None
) -> dict[str, str]:
    """Find out which column of points, cell events or call records plays which part.

    Returns ``{canonical name: column of the input}``, for one kind of input (:func:`kind_of_sightings`). With
    ``person``, that column is the uid: the unit of privacy is the person, and nothing else about who it was is kept.
    """
    mapping = {name: name for name in (*CANONICAL, GEOMETRY) if name in available}
    if preset is not None:
        for canonical, names in preset.alternatives.items():
            match = next((name for name in names if name in available), None)
            if match is not None:
                mapping[canonical] = match
    for canonical, actual in (columns or {}).items():
        if canonical not in (*CANONICAL, GEOMETRY):
            raise _unknown_name(canonical, CANONICAL)
        _require(actual, available)
        mapping[canonical] = actual
    if person is not None:
        _require(person, available)
        mapping["uid"] = person
    kind = kind_of_sightings(mapping)
    wanted = COLUMNS_OF[kind]
    if kind == "points" and not {"lat", "lng"} <= mapping.keys() and GEOMETRY in mapping:
        wanted = ("uid", "datetime", GEOMETRY)
    missing = [name for name in wanted if name not in mapping]
    if missing:
        hint = f"{_hint_for_missing('columns', missing, available)} or choose a `schema`"
        if {column.name for column in BOXES.columns} == set(available):
            hint = "audit, utility and risk take releases; everything else wants the data that people were seen in"
        raise DataError(
            f"no column for {', '.join(missing)} among {_told(mapping, available)}",
            expected="uid, datetime and lat, lng, or cell, or duration, cell_start, cell_end",
            hint=hint,
        )
    return {name: mapping[name] for name in wanted}


def kind_of_sightings(names: Iterable[str]) -> SightingKind:
    """Tell what the columns are, by their canonical names: positions before cells.

    >>> kind_of_sightings(["uid", "datetime", "cell"]), kind_of_sightings(["uid", "lat", "lng", "cell"])
    ('cells', 'points')
    """
    names = set(names)
    if {"lat", "lng"} <= names or GEOMETRY in names:
        return "points"
    if {"cell_start", "cell_end"} & names:
        return "calls"
    return "cells" if "cell" in names else "points"


def resolve_profiles(available: list[str], columns: Mapping[str, str] | None, person: str | None) -> dict[str, str]:
    """Find the uid, the municipality and all cells of some weeks; returns ``{canonical name: column of the input}``.

    >>> list(resolve_profiles(["municipality", "uid", *cell_names(1)], None, None))[:3]
    ['uid', 'municipality', 'w1_weekday_night']
    """
    columns = columns or {}
    mapping = {
        name: name
        for name in available
        if name in PROFILE or (_LIKE_A_CELL.fullmatch(name) and name not in columns.values())
    }
    for canonical, actual in columns.items():
        if canonical not in PROFILE and not _CELL.fullmatch(canonical):
            raise _unknown_name(canonical, (*PROFILE, *cell_names(1)))
        _require(actual, available)
        mapping[canonical] = actual
    if person is not None:
        _require(person, available)
        mapping["uid"] = person
    cells = [name for name in mapping if name not in PROFILE]
    strange = next((name for name in cells if not _CELL.fullmatch(name)), None)
    if strange is not None:
        raise DataError(
            f"a column '{told(strange)}', which is no cell of a profile",
            expected=f"columns such as {cell_names(1)[0]}, weeks from 1",
            hint=did_you_mean(strange, cell_names(9)),
        )
    per_week = len(cell_names(1))
    wanted = (*PROFILE, *cell_names(max(1, -(-len(cells) // per_week))))
    missing = [name for name in wanted if name not in mapping]
    if missing:
        more = f" and {len(missing) - per_week} more" if len(missing) > per_week else ""
        raise DataError(
            f"no column for {', '.join(missing[:per_week])}{more} among {_told(mapping, available)}",
            expected=f"uid, municipality, and six columns for each week from 1 on, such as {cell_names(1)[0]}",
            hint="days without activity are 0, not left out; other names for uid and municipality with `columns`",
        )
    return {name: mapping[name] for name in wanted}


def resolve_cells(
    available: list[str], columns: Mapping[str, str] | None, wanted: tuple[str, ...] = CELLS
) -> dict[str, str]:
    """Find the columns of a table of cells; returns ``{canonical name: column of the table}``.

    >>> resolve_cells(["cid", "lat", "lng"], {"cell": "cid"})
    {'cell': 'cid', 'lat': 'lat', 'lng': 'lng'}
    """
    known = tuple(dict.fromkeys((*CELLS, *PLACES)))
    mapping = {name: name for name in known if name in available}
    for canonical, actual in (columns or {}).items():
        if canonical not in known:
            raise _unknown_name(canonical, known, "cells_columns")
        _require(actual, available, "the cells table")
        mapping[canonical] = actual
    missing = [name for name in wanted if name not in mapping]
    if missing:
        raise DataError(
            f"a cells table without {', '.join(missing)} among {_told(mapping, available)}",
            expected=f"columns {', '.join(wanted)}",
            hint=_hint_for_missing("cells_columns", missing, available),
        )
    return {name: mapping[name] for name in wanted}


def are_calls(available: Iterable[str], columns: Mapping[str, str] | None) -> bool:
    """Tell call records from a table of profiles, by the names of the columns.

    >>> are_calls(["uid", "cell_start", "cell_end"], None), are_calls(["uid", "municipality"], None)
    (True, False)
    """
    return bool({"cell_start", "cell_end"} & {*available, *(columns or {})})


def resolve_calls(available: list[str], columns: Mapping[str, str] | None, person: str | None) -> dict[str, str]:
    """Find the columns of call records, and of nothing else that the input may hold."""
    others = (*(name for name in CANONICAL if name not in COLUMNS_OF["calls"]), GEOMETRY)
    return resolve([name for name in available if name not in others], columns, None, person)


def _unknown_name(canonical: str, known: Iterable[str], parameter: str = "columns") -> ParameterError:
    return ParameterError(
        f"`{parameter}` for '{canonical}'", expected="a canonical name", hint=did_you_mean(canonical, known)
    )


def _told(mapping: Mapping[str, str], available: list[str]) -> str:
    """Name the columns, unless not one is known: then they may be the first row of a file without a header."""
    if mapping:
        return told_all(available)
    return f"{counted(len(available), 'column', 'columns')}, none of which is known"


def _hint_for_missing(parameter: str, missing: Sequence[str], available: list[str]) -> str:
    """Say how to name columns, with those that may be meant where there are such."""
    plain = {name.strip().lower(): name for name in reversed(available)}
    meant = {name: _meant(name, plain) for name in missing}
    mapping = ",".join(f"{name}={told(column) if column else 'COLUMN'}" for name, column in meant.items())
    return f"name {'it' if len(missing) == 1 else 'them'} with `{parameter}` {mapping}"


def _meant(name: str, plain: Mapping[str, str]) -> str | None:
    return next((plain[likely] for likely in (name, *_LIKELY.get(name, ())) if likely in plain), None)


def _require(column: str, available: list[str], what: str = "the input") -> None:
    if column not in available:
        near = get_close_matches(column, available[:_LOOKED_THROUGH], n=1)
        raise DataError(
            f"no column named '{column}'",
            expected=f"a column of {what}",
            hint=f"did you mean '{near[0]}'?" if near else f"known: {told_all(sorted(available))}",
        )
