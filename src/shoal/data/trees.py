"""The text trees of two public data sets: Geolife's ``.plt`` files and Cabspotting's ``new_*.txt``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import polars as pl

from shoal.data.parts import Parts
from shoal.data.paths import files_at
from shoal.data.sources import Raw
from shoal.errors import DataError
from shoal.progress import Progress, silent
from shoal.workers import Workers, workers

_FILES_AT_A_TIME = 200
"""Files that are parsed in one go: opening a reader for each of many small files takes longer than reading them."""


@dataclass(frozen=True, slots=True)
class _Tree:
    """How a data set lies on the disk.

    Attributes
    ----------
    pattern, uid_of
        Which files hold rows, and whose they are.
    preamble
        Lines before the first row.
    separator, names, chosen
        What stands between the columns, what they are called here, and what becomes of them.
    """

    pattern: str
    uid_of: Callable[[Path], str]
    preamble: int
    separator: str
    names: tuple[str, ...]
    chosen: tuple[pl.Expr, ...]

    def rows_of(self, path: Path) -> bytes:
        """Return the lines after the preamble; nothing where they are not there, or not what was expected."""
        try:
            text = path.read_bytes()
        except OSError:
            return b""
        start = 0
        for _ in range(self.preamble):
            start = text.find(b"\n", start) + 1
            if not start:
                return b""
        text = text[start:]
        first, _, _ = text.partition(b"\n")
        if first.count(self.separator.encode()) + 1 != len(self.names):
            return b""
        return text if text.endswith(b"\n") else text + b"\n"

    def parsed(self, text: bytes) -> pl.DataFrame | None:
        """Split lines into columns of text: a line that is cut short lacks some, one that is too long is refused."""
        schema = dict.fromkeys(self.names, pl.String)
        try:
            frame = pl.read_csv(text, has_header=False, separator=self.separator, quote_char=None, schema=schema)
        except pl.exceptions.PolarsError:
            return None
        return frame.select(self.chosen)


_TREES = {
    # …/Data/000/Trajectory/20081023025304.plt belongs to 000; all times are in GMT
    "geolife": _Tree(
        "*.plt",
        lambda path: path.parent.parent.name,
        6,
        ",",
        ("lat", "lng", "zero", "altitude", "day", "date", "time"),
        (pl.format("{} {}+00:00", "date", "time").alias("datetime"), pl.col("lat"), pl.col("lng")),
    ),
    # newest first, in epoch seconds
    "cabspotting": _Tree(
        "new_*.txt",
        lambda path: path.stem.removeprefix("new_"),
        0,
        " ",
        ("lat", "lng", "occupied", "datetime"),
        (pl.col("datetime"), pl.col("lat"), pl.col("lng")),
    ),
}


def read_tree(name: str, roots: Sequence[Path], progress: Progress | None = None) -> Raw:
    """Read a tree into ``uid, datetime, lat, lng``; ``progress`` is told how many files are read."""
    tree, tell = _TREES[name], progress or silent
    files = files_at(roots, lambda file: fnmatchcase(file, tree.pattern))
    if not files:
        raise DataError(
            f"a directory without {tree.pattern} files", expected=f"the {name} tree", hint="give its top directory"
        )
    frames: list[pl.DataFrame] = []
    rows: list[int] = []
    tell("reading", 0, len(files))
    with workers() as many:
        for start in range(0, len(files), _FILES_AT_A_TIME):
            some = files[start : start + _FILES_AT_A_TIME]
            try:
                frame, heights = _read_some(tree, some, many)
            except _NotParsedError as found:
                # The file's own name may be a person's, so only its place in the order is told.
                raise DataError(
                    f"file {start + found.index + 1:,} of {len(files):,} cannot be parsed",
                    expected=f"{name} lines",
                    hint="is it truncated?",
                ) from None
            frames.append(frame)
            rows += heights
            tell("reading", len(rows), len(files))
    return Raw(pl.concat(frames), parts=Parts(None, rows))


class _NotParsedError(Exception):
    def __init__(self, index: int) -> None:
        self.index = index


def _read_some(tree: _Tree, files: Sequence[Path], many: Workers) -> tuple[pl.DataFrame, list[int]]:
    """Read some files, all in one go where they are sound; also return how many rows each has."""
    texts = list(many.pool.map(tree.rows_of, files))
    rows = [text.count(b"\n") for text in texts]
    if not all(rows):
        raise _NotParsedError(rows.index(0))
    frame = tree.parsed(b"".join(texts))
    if frame is None or frame.height != sum(rows):
        frames = []
        for index, text in enumerate(texts):
            one = tree.parsed(text)
            if one is None:
                raise _NotParsedError(index)
            frames.append(one)
        frame, rows = pl.concat(frames), [one.height for one in frames]
    whose = pl.Series("uid", map(tree.uid_of, files), pl.String)
    return frame.with_columns(whose.gather(np.repeat(np.arange(len(files)), rows))), rows
