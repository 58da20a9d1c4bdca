"""Files in other libraries' shapes, written piece by piece: Parquet, with geometries as in GeoParquet, and CSV."""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from shoal.data.published import Geometry, Published, geometry_of, pieces, points_of
from shoal.exports.shapes import Shape, shaped
from shoal.files.durable import PUBLIC_FILE, whole_file

GEO_VERSION = "1.1.0"


class Written(NamedTuple):
    """How many rows, which columns, and what the geometries are."""

    rows: int
    columns: tuple[str, ...]
    geometry: str | None


def write_parquet(target: Path, release: Published, shape: Shape) -> Written:
    """Write a Parquet file, of which the geometries follow GeoParquet 1.1 where the shape has some."""
    geometry = _geometry(release, shape)
    parts = _parts(release, shape, geometry)
    first = next(parts)
    schema = first.schema if geometry is None else first.schema.with_metadata({"geo": _geo(shape, geometry)})
    with whole_file(target, PUBLIC_FILE) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for part in chain([first], parts):
            writer.write_table(part.replace_schema_metadata(schema.metadata))
    return Written(release.to_arrow().num_rows, tuple(schema.names), geometry and geometry.type)


def write_csv(target: Path, release: Published, shape: Shape) -> Written:
    """Write a CSV file: places are columns, there are no geometries."""
    geometry_of(release)  # refuses what has no places
    parts = _parts(release, shape, None)
    first = next(parts)
    with whole_file(target, PUBLIC_FILE) as file, csv.CSVWriter(file, first.schema) as writer:
        for part in chain([first], parts):
            writer.write_table(part)
    return Written(release.to_arrow().num_rows, tuple(first.schema.names), None)


def _geometry(release: Published, shape: Shape) -> Geometry | None:
    """What the shape wants: none, points, or what the release itself has."""
    own = geometry_of(release)
    if shape.geometry is None:
        return None
    return Geometry("Point", points_of) if shape.points else own


def _parts(release: Published, shape: Shape, geometry: Geometry | None) -> Iterator[pa.Table]:
    for rows in pieces(release):
        part = shaped(rows, release.kind, shape)
        yield part.append_column(str(shape.geometry), geometry.of(rows)) if geometry else part


def _geo(shape: Shape, geometry: Geometry) -> str:
    """What GeoParquet says about its columns. No crs is WGS84, longitude first."""
    about: dict[str, Any] = {"encoding": "WKB", "geometry_types": [geometry.type]}
    if geometry.type == "Polygon":
        about["orientation"] = "counterclockwise"
    return json.dumps({"version": GEO_VERSION, "primary_column": shape.geometry, "columns": {shape.geometry: about}})
