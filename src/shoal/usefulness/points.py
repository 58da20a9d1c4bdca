"""What a release of points has left of the original: records, places where people stop, ways, crowds (Promesse §V)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from shoal.attacks.poi import Retrieval, poi_retrieval
from shoal.attacks.released import Released
from shoal.attacks.tracks import first_longitudes, traces_of, without_jump
from shoal.contract.kinds import POINTS
from shoal.data import Fixes, Points, Projection, ReadOptions, read_as
from shoal.data.layout import rows_of
from shoal.usefulness.compared import SecretDirectory, names_of
from shoal.usefulness.figures import Floats, Ints, spread
from shoal.usefulness.lines import Lines
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.ranges import count, distortion, draw, standard_error
from shoal.usefulness.views import View, Viewed, view_of_points
from shoal.workers import Workers, workers

QUERY_SEED = 0
"""Queries are drawn anew for each original, and are the same each time: they protect nobody."""


@dataclass(frozen=True, eq=False)
class ComparedPoints(Viewed):
    """A release of points beside its original.

    Attributes
    ----------
    original
        The raw points.
    published
        Those of the release, with their true owners, who are counted as in ``original``. Parts are in the order of
        people and times, not of tokens: sums of fractions must not depend on what was drawn.
    traces
        The raw points, cut where nothing is recorded for 4 hours or more. Neither these longitudes nor the published
        ones jump at the antimeridian.
    """

    original: Fixes
    published: Points
    traces: Points

    @property
    def published_per_person(self) -> Ints:
        """Published points of everybody in the original."""
        rows = np.diff(self.published.offsets)
        return np.bincount(self.published.person_of, weights=rows, minlength=self.people).astype(np.int64)

    @cached_property
    def _crs(self) -> Projection:
        return Projection.around(self.original.lat, self.original.lng)

    @property
    def meridian(self) -> float:
        return self._crs.lon_0

    @property
    def cell_m(self) -> int:
        return 1

    @cached_property
    def raw_view(self) -> View:
        return view_of_points(self.original, self._crs)

    @cached_property
    def published_view(self) -> View:
        return view_of_points(self.published, self._crs)


def compare(released: Released, secret: SecretDirectory, original: Any, options: ReadOptions | None) -> ComparedPoints:
    """Join the published parts with the mapping and the original's people."""
    fixes = original if isinstance(original, Fixes) else read_as(Fixes, original, options=options)[0]
    uids, offsets = released.by_uid()
    owner = secret.owners(uids, names_of(fixes.people))
    t_us = released.rows["datetime"].to_physical().to_numpy()
    lat, lng = (released.rows[name].to_numpy() for name in ("lat", "lng"))
    first = offsets[:-1]
    order = np.lexsort((lng[first], lat[first], t_us[first], owner))
    reference = first_longitudes(fixes)
    published = without_jump(_in_order(Points(fixes.people, owner, offsets, t_us, lat, lng), order), reference)
    traces = without_jump(traces_of(fixes), reference)
    return ComparedPoints(len(fixes), int(np.unique(owner).size), fixes, published, traces)


def _in_order(points: Points, parts: Ints) -> Points:
    offsets, rows = rows_of(points.offsets, parts)
    t_us, lat, lng = points.t_us[rows], points.lat[rows], points.lng[rows]
    return Points(points.people, points.person_of[parts], offsets, t_us, lat, lng)


@measure(POINTS)
def samples(compared: ComparedPoints) -> Figures:
    """Count what became fewer and what became more, person by person: moving points is neither.

    The shares are of all raw records; ``compression`` is published over raw records.
    """
    raw, published = compared.original.lengths, compared.published_per_person
    whole = max(compared.original.points, 1)
    deleted, created = (int(np.maximum(more, 0).sum()) for more in (raw - published, published - raw))
    return {
        "samples_deleted_share": deleted / whole,
        "samples_created": created,
        "samples_created_share": created / whole,
        "compression": int(published.sum()) / whole,
    }


@measure(POINTS)
def parts(compared: ComparedPoints) -> Figures:
    """Count the uids of each published person."""
    of_everybody = np.bincount(compared.published.person_of, minlength=compared.people)
    return {"parts_per_person": spread(of_everybody[of_everybody > 0].astype(np.float64))}


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """How far each published point lies from its person's way; ``mean`` and its standard error, people being drawn."""

    metres: Floats
    mean: float
    standard_error: float


def spatial_errors(compared: ComparedPoints, crew: Workers, lines: Lines | None = None) -> Errors:
    """Measure the distance of each published point from the nearest segment of its person's traces.

    Parameters
    ----------
    compared
        The release beside its original.
    crew
        Who does it.
    lines
        Those through the raw traces, where they are drawn already.
    """
    lines = Lines.through(compared.traces, crew) if lines is None else lines
    published = compared.published
    metres = lines.distances(published, crew)
    if not metres.size:
        return Errors(metres, 0.0, 0.0)
    has = np.diff(published.offsets) > 0
    of_part = np.add.reduceat(metres, published.offsets[:-1][has])
    of_person = np.bincount(published.person_of[has], of_part, compared.people)
    mean = float(of_person.sum()) / metres.size
    off = of_person - mean * compared.published_per_person
    off = off[compared.published_per_person > 0]
    error = standard_error(off) * off.size / metres.size
    return Errors(metres, mean, error)


@measure(POINTS)
def spatial_error(compared: ComparedPoints) -> Figures:
    """Measure how far published points lie from the way that their person took."""
    with workers() as crew:
        errors = spatial_errors(compared, crew)
    return {
        "spatial_error_m": spread(errors.metres) | {"mean": errors.mean},
        "spatial_error_standard_error_m": errors.standard_error,
    }


@measure(POINTS)
def stops(compared: ComparedPoints) -> Figures:
    """Look for places where people stop: in each trace with every stay a POI, and for each person with stays joined.

    The means are over traces (people) that have such a place in the raw data; what was erased counts as not found.
    """
    with workers() as crew:
        found = poi_retrieval(compared.traces, compared.published, crew)
    return {"poi_per_trace": retrieved(found.per_trace), "poi_per_person": retrieved(found.per_person)}


def retrieved(found: Retrieval) -> dict[str, float]:
    """Return counts, and means with the standard error of the F-score; zeros where there was nothing to find."""
    means = (float(values.mean()) if values.size else 0.0 for values in (found.precision, found.recall, found.f_score))
    return {
        "counted": int(found.counts.size),
        "raw_pois": int(found.true.sum()),
        "published_pois": int(found.published.sum()),
        "matched_pois": int(found.matched.sum()),
        **dict(zip(("precision", "recall", "f_score"), means, strict=True)),
        "f_score_standard_error": standard_error(found.f_score),
    }


@measure(POINTS)
def range_queries(compared: ComparedPoints) -> Figures:
    """Ask how many uids cross a square in a window of time, before and after."""
    if not compared.original.points:
        return {}
    with workers() as crew:
        queries = draw(compared.original, np.random.default_rng(QUERY_SEED))
        raw, published = (count(points, queries, crew) for points in (compared.original, compared.published))
    off = distortion(raw, published)
    return {
        "range_queries": {
            "queries": raw.size,
            "raw_uids": float(raw.mean()),
            "published_uids": float(published.mean()),
            "distortion": off.mean,
            "distortion_standard_error": off.standard_error,
        }
    }
