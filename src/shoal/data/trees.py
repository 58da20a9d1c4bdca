"""The text trees of two public data sets: Geolife's ``.plt`` files and Cabspotting's ``new_*.txt``."""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from shoal.errors import DataError


def read_tree(name: str, root: Path) -> pl.DataFrame:
    """Read a tree into ``uid, datetime, lat, lng``."""
    if not root.is_dir():
        raise DataError(
            f"'{root.name}', which is not a directory",
            expected=f"the top directory of the {name} tree",
            hint="unpack the archive, and leave `schema` out for a Parquet or CSV file",
        )
    pattern, uid_of, read = _TREES[name]
    files = sorted(root.rglob(pattern))
    if not files:
        raise DataError(
            f"a directory without {pattern} files", expected=f"the {name} tree", hint="give its top directory"
        )
    frames = []
    for number, path in enumerate(files, 1):
        try:
            frames.append(read(path).with_columns(pl.lit(uid_of(path)).alias("uid")))
        except (pl.exceptions.PolarsError, OSError):
            # The file's own name may be a person's, so only its place in the order is told.
            raise DataError(
                f"file {number} of {len(files)} cannot be parsed",
                expected=f"{name} lines",
                hint="is it truncated?",
            ) from None
    return pl.concat(frames, rechunk=True)


def _read_geolife(path: Path) -> pl.DataFrame:
    """Six lines of preamble, then lat, lng, 0, altitude, day number, date, time; all in GMT."""
    names = ["lat", "lng", "zero", "altitude", "day", "date", "time"]
    frame = pl.read_csv(path, has_header=False, skip_lines=6, infer_schema=False, new_columns=names)
    return frame.select(pl.format("{} {}+00:00", "date", "time").alias("datetime"), "lat", "lng")


def _read_cabspotting(path: Path) -> pl.DataFrame:
    """Lat, lng, occupancy, epoch seconds; newest first."""
    names = ["lat", "lng", "occupied", "datetime"]
    frame = pl.read_csv(path, has_header=False, separator=" ", infer_schema=False, new_columns=names)
    return frame.select("datetime", "lat", "lng")


_TREES: dict[str, tuple[str, Callable[[Path], str], Callable[[Path], pl.DataFrame]]] = {
    # …/Data/000/Trajectory/20081023025304.plt belongs to 000
    "geolife": ("*.plt", lambda path: path.parent.parent.name, _read_geolife),
    "cabspotting": ("new_*.txt", lambda path: path.stem.removeprefix("new_"), _read_cabspotting),
}
