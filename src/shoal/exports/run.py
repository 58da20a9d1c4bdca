"""The public function: a release as a file for another library."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.attacks.released import is_release, open_release
from shoal.data.published import Published
from shoal.errors import OutputError, ParameterError, did_you_mean, given
from shoal.exports.files import write_csv, write_parquet
from shoal.exports.shapes import GEOPARQUET, SHAPES, Shape
from shoal.files.paths import AnyPath, new_target

_PARQUET, _CSV = (".parquet", ".geoparquet"), (".csv",)


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Attributes
    ----------
    path
        The file.
    to
        The shape.
    rows, columns
        How many rows it has, and the names of its columns.
    geometry
        ``Point`` or ``Polygon``, in WGS84 degrees; None where there is no column of geometries.
    """

    path: Path
    to: str
    rows: int
    columns: tuple[str, ...]
    geometry: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "to": self.to,
            "rows": self.rows,
            "columns": list(self.columns),
            "geometry": self.geometry,
        }


def export(release: AnyPath | Published, to: str, path: AnyPath) -> Exported:
    """Write a release as a file for another library.

    Boxes become the points in their middle, with the extent of the box in columns beside them; with ``geoparquet``
    they become polygons. What is written is for working with, it is not a release: nothing checks it.

    Parameters
    ----------
    release
        Its directory, or a release that was just made or opened.
    to
        ``skmob``, ``trackintel``, ``movingpandas`` or ``geoparquet``.
    path
        A new file, outside of any release: ``.parquet``, or ``.csv`` without geometries.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> events = {"uid": ["a", "b"], "datetime": ["2020-01-01T00:00Z"] * 2, "lat": [6.1] * 2, "lng": [-5.2] * 2}
    >>> release = shoal.Uniform(cell_m=1000, minutes=60).protect(shoal.read(events))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(release, "trackintel", f"{folder}/fixes.parquet").columns[:5]
    ('user_id', 'tracked_at', 'latitude', 'longitude', 't_start')
    """
    shape = _shape(to)
    as_csv = _is_csv(to, path)
    target = new_target(path)
    _refuse_inside_a_release(target)
    opened = open_release(release) if isinstance(release, str | os.PathLike) else release
    write = write_csv if as_csv else write_parquet
    rows, columns, geometry = write(target, opened, shape)
    return Exported(target, to, rows, columns, geometry)


def _shape(to: str) -> Shape:
    try:
        return SHAPES[to]
    except KeyError:
        raise ParameterError(given("to", to), expected="a known shape", hint=did_you_mean(to, SHAPES)) from None


def _is_csv(to: str, path: AnyPath) -> bool:
    ending = Path(path).suffix.lower()
    if ending not in (_PARQUET if to == GEOPARQUET else _PARQUET + _CSV):
        raise ParameterError(
            f"a file that ends in '{ending}'",
            expected=f".parquet{'' if to == GEOPARQUET else ' or .csv'}",
            hint="the ending tells what is written",
        )
    return ending in _CSV


def _refuse_inside_a_release(target: Path) -> None:
    if any(is_release(folder) for folder in target.parents):
        raise OutputError(
            "an output inside a release",
            expected="a place outside: the audit refuses releases with files that are not theirs",
            hint="choose another `path`",
        )
