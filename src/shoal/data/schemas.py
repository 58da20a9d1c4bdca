"""Which columns mean what: the canonical names, other libraries' presets, and the user's own mapping."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from shoal.errors import DataError, ParameterError, did_you_mean

Kind = Literal["points", "cells", "calls"]

COLUMNS_OF: dict[Kind, tuple[str, ...]] = {
    "points": ("uid", "datetime", "lat", "lng"),
    "cells": ("uid", "datetime", "cell"),
    "calls": ("uid", "datetime", "duration", "cell_start", "cell_end"),
}
CANONICAL = tuple(dict.fromkeys(name for names in COLUMNS_OF.values() for name in names))

GEOMETRY = "geometry"
"""A column of WKB or WKT points, as trackintel and movingpandas write them, in place of lat and lng."""


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
        raise ParameterError(f"--schema {name}", expected="a known preset", hint=did_you_mean(name, PRESETS)) from None


def parse_columns(text: str) -> dict[str, str]:
    """Parse ``uid=user,datetime=ts`` into a mapping.

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
                "--columns that is not a list of NAME=COLUMN, each name once",
                expected="for example uid=user,datetime=ts,lat=y,lng=x",
                hint="the canonical name stands left of the equals sign",
            )
        mapping[canonical] = actual
    return mapping


def resolve(
    available: list[str], columns: Mapping[str, str] | None, preset: Preset | None, person: str | None
) -> tuple[Kind, dict[str, str]]:
    """Find out what the input holds, and which of its columns plays which part.

    Returns the kind of input and ``{canonical name: column of the input}``. With ``person``, that column is the
    uid: the unit of privacy is the person, and nothing else about who it was is kept.
    """
    mapping = {name: name for name in (*CANONICAL, GEOMETRY) if name in available}
    if preset is not None:
        for canonical, names in preset.alternatives.items():
            match = next((name for name in names if name in available), None)
            if match is not None:
                mapping[canonical] = match
    for canonical, actual in (columns or {}).items():
        if canonical not in (*CANONICAL, GEOMETRY):
            raise ParameterError(
                f"--columns for '{canonical}'",
                expected="a canonical name",
                hint=did_you_mean(canonical, CANONICAL),
            )
        _require(actual, available)
        mapping[canonical] = actual
    if person is not None:
        _require(person, available)
        mapping["uid"] = person
    kind = _kind_of(mapping, available)
    wanted = COLUMNS_OF[kind]
    if kind == "points" and not {"lat", "lng"} <= mapping.keys():
        wanted = ("uid", "datetime", GEOMETRY)
    return kind, {name: mapping[name] for name in wanted}


def _kind_of(mapping: Mapping[str, str], available: list[str]) -> Kind:
    if {"lat", "lng"} <= mapping.keys() or GEOMETRY in mapping:
        kind: Kind = "points"
    elif {"cell_start", "cell_end"} & mapping.keys():
        kind = "calls"
    elif "cell" in mapping:
        kind = "cells"
    else:
        kind = "points"
    missing = [n for n in COLUMNS_OF[kind] if n not in mapping and not (n in ("lat", "lng") and GEOMETRY in mapping)]
    if missing:
        raise DataError(
            f"no column for {', '.join(missing)} among {_told(mapping, available)}",
            expected="uid, datetime and lat, lng, or cell, or duration, cell_start, cell_end",
            hint=_hint_for_missing(missing, available),
        )
    return kind


def _told(mapping: Mapping[str, str], available: list[str]) -> str:
    """Name the columns, unless not one is known: then they may be the first row of a file without a header."""
    return ", ".join(available) if mapping else f"{len(available)} columns, none of which is known"


def _hint_for_missing(missing: Iterable[str], available: list[str]) -> str:
    if len(available) == 1 and any(sign in available[0] for sign in ";\t|"):
        return "the header looks as if columns are not separated by commas; write the file with commas"
    return "name them with --columns " + ",".join(f"{name}=COLUMN" for name in missing) + " or choose a --schema"


def _require(column: str, available: list[str]) -> None:
    if column not in available:
        raise DataError(
            f"no column named '{column}'",
            expected="a column of the input",
            hint=did_you_mean(column, available),
        )
