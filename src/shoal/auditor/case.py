"""One audit's material, opened when a check first asks for it."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.auditor import published as opened
from shoal.auditor import raw
from shoal.auditor.covering import Cover, cover
from shoal.data.options import ReadOptions
from shoal.errors import DataError

_PROMISE_K = ("glove",)
"""Mechanisms whose groups have identical sequences."""

_MAX_TARGETS = 1_000
"""So many people are attacked one by one; of larger data a random sample, with its interval."""


class Earlier(NamedTuple):
    """Another release of the same people, and its secret directory."""

    release: Path
    secret: Path


class Case:
    """What is audited: the release, and as far as they are given the secret, the original and earlier releases."""

    def __init__(
        self,
        release: Path,
        *,
        original: Any = None,
        secret: Path | None = None,
        require_k: int | None = None,
        earlier: Sequence[Earlier] = (),
        options: ReadOptions | None = None,
        ledger: int | None = None,
        seed: int | None = None,
    ) -> None:
        self.path, self.secret_path = release, secret
        self.require_k, self.earlier, self.ledger = require_k, tuple(earlier), ledger
        self.rng = np.random.default_rng(seed)
        self._original, self._options = original, options
        self._points: raw.Points | None = None
        self.manifest: dict[str, Any] = opened.read_manifest(release) or {}

    def missing(self, need: str) -> str | None:
        """Say why something that a check needs is not there, or None."""
        if need == "secret" and self.secret_path is None:
            return "needs --secret, the secret directory of the release"
        if need == "original" and self._original is None:
            return "needs --original, the data that the release was made from"
        if need == "k" and self.k is None:
            return "no k is promised, so there are no groups to check"
        if need == "table" and self.table is None:
            return "data.parquet cannot be read"
        if need == "boxes" and self.boxes is None:
            return "data.parquet holds no boxes in the form of the contract"
        if need == "map" and self.map is None:
            return "the manifest names no usable crs, grid and base_grid"
        return None

    @property
    def mechanism(self) -> str | None:
        name = self.manifest.get("mechanism")
        return name if isinstance(name, str) and len(name) <= 40 else None

    @property
    def parameters(self) -> dict[str, Any]:
        found = self.manifest.get("parameters")
        return found if isinstance(found, dict) else {}

    @property
    def k(self) -> int | None:
        """The promised k, where the mechanism promises groups."""
        if self.mechanism not in _PROMISE_K:
            return None
        k = self.parameters.get("k")
        # A release that should promise a k and does not is held to the least that deserves the name.
        return k if isinstance(k, int) and not isinstance(k, bool) and k >= 2 else 2

    @cached_property
    def table(self) -> pa.Table | None:
        return opened.read_table(self.path)

    @cached_property
    def boxes(self) -> opened.Boxes | None:
        table = self.table
        if table is None or opened.wrong_columns(table, "boxes") or not table.num_rows:
            return None
        return None if any(column.null_count for column in table.columns) else opened.read_boxes(table)

    @property
    def published(self) -> opened.Boxes:
        """The boxes, for checks that need them."""
        assert self.boxes is not None
        return self.boxes

    @cached_property
    def groups(self) -> opened.Groups:
        return self.published.groups()

    @cached_property
    def models(self) -> Crowd:
        """One individual of each group."""
        return self.published.crowd.take(self.groups.model)

    @property
    def map(self) -> tuple[str, dict[str, int], dict[str, int]] | None:
        """The crs, and the published and the base grid."""
        crs, grids = self.manifest.get("crs"), [self.manifest.get(name) for name in ("grid", "base_grid")]
        if not isinstance(crs, str) or not crs.startswith("+proj=laea "):
            return None
        sound = [
            {name: grid[name] for name in ("cell_m", "dt_s")}
            for grid in grids
            if isinstance(grid, dict) and all(type(grid.get(n)) is int and grid[n] > 0 for n in ("cell_m", "dt_s"))
        ]
        return (crs, sound[0], sound[1]) if len(sound) == 2 else None

    @cached_property
    def people(self) -> raw.People:
        people, self._points = raw.load(self._original, self._options)
        return people

    @cached_property
    def samples(self) -> Samples:
        """The original on the base grid, by the auditor's own projection. The positions are let go of afterwards."""
        assert self.map is not None
        crs, _, base = self.map
        people = self.people.ids.len()
        assert self._points is not None
        samples = raw.gridded(self._points, people, crs, base["cell_m"], base["dt_s"])
        self._points = None
        return samples

    def secret_table(self, name: str) -> pl.DataFrame:
        assert self.secret_path is not None
        return read_secret(self.secret_path, name)

    @cached_property
    def mapping(self) -> pl.DataFrame:
        return self.secret_table("mapping").select(pl.col("original_uid", "uid").cast(pl.String))

    @cached_property
    def suppressed(self) -> pl.DataFrame:
        return self.secret_table("suppressed")

    @cached_property
    def person_of_uid(self) -> Ints:
        """Index into the original's people for each published uid; -1 where mapping or original do not know them."""
        people = pl.DataFrame({"original_uid": self.people.ids}).with_row_index("person")
        known = self.mapping.unique("uid", keep="first").join(people, on="original_uid", how="left")
        joined = self.published.uids.to_frame("uid").join(known, on="uid", how="left", maintain_order="left")
        return joined["person"].cast(pl.Int64).fill_null(-1).to_numpy()

    @cached_property
    def individual_of(self) -> Ints:
        """The published individual of each person of the original, or -1."""
        result = np.full(self.people.ids.len(), -1, np.int64)
        known = self.person_of_uid >= 0
        result[self.person_of_uid[known]] = np.flatnonzero(known)
        return result

    @cached_property
    def cover(self) -> Cover:
        """Which box of its own person holds each raw sample."""
        return cover(self.published.crowd, self.person_of_uid, self.samples)

    @cached_property
    def targets(self) -> Ints:
        """Whom to attack: everybody, or a random sample."""
        people = np.flatnonzero(np.diff(self.samples.offsets) > 0)
        return people if people.size <= _MAX_TARGETS else np.sort(self.rng.choice(people, _MAX_TARGETS, replace=False))


def read_secret(folder: Path, name: str) -> pl.DataFrame:
    """Read a table of a secret directory."""
    try:
        return pl.read_parquet(folder / f"{name}.parquet")
    except (OSError, pl.exceptions.PolarsError):
        raise DataError(
            f"no readable {name}.parquet in the secret directory",
            expected="the secret directory that was written with the release",
            hint="give the one that belongs to the release with --secret",
        ) from None
