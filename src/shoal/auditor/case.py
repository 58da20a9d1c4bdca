"""One audit's material, opened when a check first asks for it."""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.auditor import raw
from shoal.auditor.covering import Cover, cover
from shoal.auditor.listing import Listing, listing
from shoal.auditor.opened import Boxes, Groups, Opened, Release, columns_of, read_manifest, read_release
from shoal.auditor.parts import Here, Maps
from shoal.auditor.table import Table
from shoal.auditor.verdict import Check
from shoal.contract.claims import Claim, KAnonymity, claim_from
from shoal.contract.files import GRID_KEYS, MAPPING, SUPPRESSED
from shoal.contract.kinds import BOXES, PROFILES, Kind, kind_of
from shoal.data.options import ReadOptions
from shoal.data.profiles import Profiles
from shoal.errors import DataError

MAX_TARGETS = 1_000
"""So many people are attacked one by one; of larger data a random sample, with its interval."""

_WHOLE = r"(0|-?[1-9]\d{0,2})"
_CRS = re.compile(rf"\+proj=laea \+lat_0={_WHOLE} \+lon_0={_WHOLE} \+datum=WGS84 \+units=m \+no_defs")


class Earlier(NamedTuple):
    """Another release of the same people, and its secret directory."""

    release: Path
    secret: Path


class Map(NamedTuple):
    """What places in metres mean: the projection, its latitude and longitude in whole degrees, and the two grids."""

    crs: str
    centre: tuple[int, int]
    grid: dict[str, int]
    base: dict[str, int]


class Case:
    """What is audited: the release, and as far as they are given the secret, the original and earlier releases.

    Parameters
    ----------
    release, original, secret, require_k, earlier, options, ledger
        As in :func:`shoal.audit`.
    max_targets
        How many people are attacked one by one.
    guess_names
        Whether to try what anybody could make names of: that takes the longest, and only names depend on it.
    seed
        Repeats the random choices.
    engine
        Who compares and covers, part by part; this process by default.
    """

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
        max_targets: int = MAX_TARGETS,
        guess_names: bool = True,
        seed: int | None = None,
        engine: Maps | None = None,
    ) -> None:
        self.path, self.secret_path = release, secret
        self.require_k, self.earlier, self.ledger = require_k, tuple(earlier), ledger
        self.guess_names, self.engine = guess_names, engine or Here()
        self.rng = np.random.default_rng(seed)
        self._original, self._options, self._max_targets = original, options, max_targets
        self._points: raw.Points | None = None
        self._samples: Samples | None = None
        self._profiles: Profiles | None = None
        self.manifest: dict[str, Any] = read_manifest(release) or {}
        self.done: list[Check] = []

    def missing(self, need: str) -> str | None:
        """Say why something that a check needs is not there, or None."""
        if need == "secret" and self.secret_path is None:
            return "needs `secret`, its secret directory"
        if need == "original" and self._original is None:
            return "needs `original`, what the release was made from"
        if need == "table" and self.table is None:
            return "data.parquet cannot be read"
        if need == "opened" and self.opened is None:
            return "data.parquet has no rows, or empty values in them"
        if need == "map" and self.map is None:
            return "the manifest names no usable crs, grid and base_grid"
        return None

    @property
    def mechanism(self) -> str | None:
        """What the manifest calls it: for people, nothing follows from it."""
        name = self.manifest.get("mechanism")
        return name if isinstance(name, str) and len(name) <= 40 and name.isprintable() else None

    @property
    def parameters(self) -> dict[str, Any]:
        found = self.manifest.get("parameters")
        return found if isinstance(found, dict) else {}

    @cached_property
    def claim(self) -> Claim | None:
        """What the manifest claims, as far as it is a claim that is known."""
        promise = self.manifest.get("promise")
        return claim_from(promise.get("claim")) if isinstance(promise, dict) else None

    @property
    def k(self) -> int | None:
        """The promised k, where groups are promised; that of window hiding holds within one interval only."""
        return self.claim.k if isinstance(self.claim, KAnonymity) else None

    @cached_property
    def _release(self) -> Release | None:
        return read_release(self.path)

    @property
    def table(self) -> Table | None:
        """The published rows as they are, whatever they are."""
        return self._release and self._release.table

    @cached_property
    def kind(self) -> Kind | None:
        """The kind that the columns in the bytes make, whatever the manifest calls it."""
        return None if self.table is None else kind_of(columns_of(self.table.schema))

    @property
    def opened(self) -> Opened | None:
        """The published rows by name and in order, if they can be arranged so."""
        return self._release and self._release.opened

    @property
    def names(self) -> pl.Series:
        """The published names, for checks that need the release opened."""
        assert self.opened is not None
        return self.opened.uids

    @property
    def boxes(self) -> Boxes:
        """The boxes, for checks of releases of boxes."""
        assert isinstance(self.opened, Boxes)
        return self.opened

    @cached_property
    def groups(self) -> Groups:
        return self.boxes.groups(self.engine)

    @cached_property
    def models(self) -> Crowd:
        """One individual of each group."""
        return self.boxes.crowd.kept(self.groups.model)

    @cached_property
    def map(self) -> Map | None:
        """The map that the manifest names, if it can be used: a centre of whole degrees, grids of whole units."""
        crs, grids = self.manifest.get("crs"), [self.manifest.get(name) for name in ("grid", "base_grid")]
        centre = _CRS.fullmatch(crs) if isinstance(crs, str) else None
        sound = [
            {name: grid[name] for name in GRID_KEYS}
            for grid in grids
            if isinstance(grid, dict) and all(type(grid.get(n)) is int and grid[n] > 0 for n in GRID_KEYS)
        ]
        if centre is None or len(sound) != 2:
            return None
        lat, lng = int(centre.group(1)), int(centre.group(2))
        # Every place has one name: longitudes do not go on beyond the antimeridian.
        if not (-90 <= lat <= 90 and -180 <= lng < 180):
            return None
        return Map(centre.group(), (lat, lng), *sound)

    @property
    def on_map(self) -> Map:
        """The map, for checks that need one."""
        assert self.map is not None
        return self.map

    @cached_property
    def people(self) -> raw.People:
        if self.kind is PROFILES:
            people, self._profiles = raw.load_profiles(self._original, self._options)
            return people
        if self.kind is BOXES and self.map is not None:
            base = self.map.base["cell_m"], self.map.base["dt_s"]
            people, self._samples = raw.load_samples(self._original, self._options, self.map.crs, *base)
            return people
        try:
            people, self._points = raw.load(self._original, self._options)
        except DataError:
            if self.kind is not None:
                raise
            # A release of no kind does not say what its original is.
            people, self._profiles = raw.load_profiles(self._original, self._options)
        return people

    @property
    def positions(self) -> raw.Points:
        """The original's own positions, for releases of points: of boxes they are let go of as they are read."""
        assert self.people is not None
        assert self._points is not None
        return self._points

    @property
    def profiles(self) -> Profiles:
        """The original's own profiles, for releases of them."""
        assert self.people is not None
        assert self._profiles is not None
        return self._profiles

    @cached_property
    def centre(self) -> tuple[int, int]:
        """The original's median position in whole degrees: what the map has to be centred on."""
        assert self.people.centre is not None
        return self.people.centre

    @property
    def samples(self) -> Samples:
        """The original on the base grid, by the auditor's own projection; for releases of boxes."""
        assert self.people is not None
        assert self._samples is not None
        return self._samples

    def secret_table(self, name: str) -> pl.DataFrame:
        assert self.secret_path is not None
        return read_secret(self.secret_path, name)

    @cached_property
    def mapping(self) -> pl.DataFrame:
        return self.secret_table(MAPPING)

    @cached_property
    def suppressed(self) -> pl.DataFrame:
        return self.secret_table(SUPPRESSED)

    @cached_property
    def listing(self) -> Listing:
        """What the list of the withheld says of each sample."""
        return listing(self.samples, self.people.ids, self.suppressed)

    @cached_property
    def person_of_uid(self) -> Ints:
        """Index into the original's people for each published uid; -1 where mapping or original do not know them."""
        people = pl.DataFrame({"original_uid": self.people.ids}).with_row_index("person")
        known = self.mapping.unique("uid", keep="first").join(people, on="original_uid", how="left")
        joined = self.names.to_frame("uid").join(known, on="uid", how="left", maintain_order="left")
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
        return self.covered_by(self.boxes.crowd)

    def covered_by(self, crowd: Crowd) -> Cover:
        """The same for other boxes of the same individuals."""
        return cover(crowd, self.person_of_uid, self.samples, self.engine)

    @cached_property
    def targets(self) -> Ints:
        """Whom to attack: everybody, or a random sample."""
        people = np.flatnonzero(np.diff(self.samples.offsets) > 0)
        most = self._max_targets
        return people if people.size <= most else np.sort(self.rng.choice(people, most, replace=False))


def read_secret(folder: Path, name: str) -> pl.DataFrame:
    """Read a table of a secret directory; names of people and of rows as text."""
    try:
        table = pl.read_parquet(folder / f"{name}.parquet")
    except (OSError, pl.exceptions.PolarsError):
        raise DataError(
            f"no readable {name}.parquet in the secret directory",
            expected="the secret directory that was written with the release",
            hint="give the one that belongs to the release as `secret`",
        ) from None
    texts = [pl.col(column).cast(pl.String) for column in ("original_uid", "uid") if column in table.columns]
    return table.with_columns(texts)
