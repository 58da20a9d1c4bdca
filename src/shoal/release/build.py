"""From a mechanism's result to a release: draw tokens, sort rows by them, write the manifest.

People are sorted by token first and their rows gathered afterwards, so no sort ever sees all the rows as
text. Tokens are random, hence so is the order: it carries nothing of the input's.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.boxes import Boxes
from shoal.data.grid import Grid
from shoal.data.profiles import Profiles, cell_names
from shoal.data.projection import Floats, Projection
from shoal.data.traces import Ints64
from shoal.release.columns import gather, utc
from shoal.release.ledger import ALWAYS
from shoal.release.ledger_file import Span
from shoal.release.manifest import Kind, build_manifest
from shoal.release.promise import Promise
from shoal.release.release import Release, Secret
from shoal.release.suppressed import SCHEMA
from shoal.release.tokens import draw_tokens

_NOTHING: Mapping[str, Any] = {}


def release_of_boxes(
    boxes: Boxes,
    *,
    mechanism: str,
    parameters: Mapping[str, object],
    promise: Promise,
    base_grid: Grid,
    grid: Grid,
    span_s: Span,
    suppressed: pa.Table,
    extra: Mapping[str, pa.Table] = _NOTHING,
    seed: int | None = None,
    run: Mapping[str, object] = _NOTHING,
) -> Release:
    """One row per person and box. People without boxes are not published, hence not in the mapping.

    Parameters
    ----------
    mechanism, parameters, promise
        What the manifest says; parameters that concern the run and not the result are left out of it.
    base_grid, grid
        What the samples were snapped to, and what the boxes are aligned to.
    span_s
        Time covered, half open, in seconds since the UTC epoch.
    suppressed
        The list of what was withheld.
    extra
        More tables for the secret directory.
    seed
        Repeatable tokens; stamps the release as not for release.
    run
        Facts for the publisher's own eyes.
    """
    present = np.flatnonzero(np.diff(boxes.offsets)[boxes.sequence_of] > 0)
    people = boxes.people.take(pa.array(present))
    tokens = draw_tokens(people, seed=seed)
    lengths, rows = boxes.rows_of(present[tokens.order])
    owner = np.repeat(tokens.order, lengths)
    within = _order_of_boxes(boxes)
    if within is not None:
        rows = within[rows]
    uids = tokens.to_arrow()
    return _release(
        pa.table({"uid": gather(uids, owner), **boxes.columns(rows)}),
        Secret(_mapping(people, uids), suppressed, extra, run),
        kind="boxes",
        mechanism=mechanism,
        parameters=parameters,
        promise=promise,
        crs=boxes.crs,
        grid=grid,
        base_grid=base_grid,
        span_s=span_s,
        seed=seed,
    )


def release_of_points(
    people: pa.StringArray,
    part_of_row: NDArray[np.integer],
    datetimes_us: Ints64,
    lat: Floats,
    lng: Floats,
    *,
    mechanism: str,
    parameters: Mapping[str, object],
    promise: Promise,
    span_s: Span,
    suppressed: pa.Table,
    person_of_part: NDArray[np.integer] | None = None,
    crs: Projection | None = None,
    base_grid: Grid | None = None,
    grid: Grid | None = None,
    extra: Mapping[str, pa.Table] = _NOTHING,
    seed: int | None = None,
    run: Mapping[str, object] = _NOTHING,
) -> Release:
    """One row per point, degrees with 6 decimals; rows may come in any order.

    Parameters
    ----------
    people
        Original identifiers.
    part_of_row
        Which part each row belongs to; without ``person_of_part``, which person.
    datetimes_us
        Microseconds since the UTC epoch.
    person_of_part
        Whose each part is: a part is what has a uid of its own. ``None`` gives each person one uid.
    mechanism, parameters, promise, span_s, suppressed, crs, base_grid, grid, extra, seed, run
        As in :func:`release_of_boxes`.
    """
    present, part = np.unique(part_of_row, return_inverse=True)
    if person_of_part is None:
        originals = people.take(pa.array(present))
        tokens = draw_tokens(originals, seed=seed)
    else:
        originals = people.take(pa.array(person_of_part[present]))
        tokens = draw_tokens(originals, pa.array(present).cast(pa.string()), seed=seed)
    rank = np.empty(len(tokens), np.int64)
    rank[tokens.order] = np.arange(len(tokens))
    lat, lng = _six_decimals(lat), _six_decimals(lng)
    order = _order_within(rank[part], (datetimes_us, lat, lng))
    if order is not None:
        part, datetimes_us, lat, lng = part[order], datetimes_us[order], lat[order], lng[order]
    uids = tokens.to_arrow()
    return _release(
        pa.table({"uid": gather(uids, part), "datetime": utc(datetimes_us), "lat": lat, "lng": lng}),
        Secret(_mapping(originals, uids), suppressed, extra, run),
        kind="points",
        mechanism=mechanism,
        parameters=parameters,
        promise=promise,
        crs=crs,
        grid=grid,
        base_grid=base_grid,
        span_s=span_s,
        seed=seed,
    )


def release_of_profiles(
    profiles: Profiles,
    *,
    mechanism: str,
    parameters: Mapping[str, object],
    promise: Promise,
    suppressed: pa.Table,
    span_s: Span = ALWAYS,
    extra: Mapping[str, pa.Table] = _NOTHING,
    seed: int | None = None,
    run: Mapping[str, object] = _NOTHING,
) -> Release:
    """One row per person and municipality, each with a uid of its own.

    Profiles do not say when they are from: unless ``span_s`` does, the ledger takes them to overlap with
    everything. The rest as in :func:`release_of_boxes`.
    """
    tokens = draw_tokens(profiles.people, profiles.municipalities, seed=seed)
    uids, order = tokens.to_arrow(), tokens.order
    cells = {name: profiles.values[order, i] + 0.0 for i, name in enumerate(cell_names(profiles.weeks))}
    towns = gather(profiles.municipalities, order)
    mapping = _mapping(profiles.people, uids).append_column("municipality", profiles.municipalities.cast(pa.string()))
    return _release(
        pa.table({"uid": gather(uids, order), "municipality": towns, **cells}),
        Secret(mapping, suppressed, extra, run),
        kind="profiles",
        mechanism=mechanism,
        parameters=parameters,
        promise=promise,
        crs=None,
        grid=None,
        base_grid=None,
        span_s=span_s,
        seed=seed,
    )


def _release(
    data: pa.Table,
    secret: Secret,
    *,
    kind: Kind,
    mechanism: str,
    parameters: Mapping[str, object],
    promise: Promise,
    crs: Projection | None,
    grid: Grid | None,
    base_grid: Grid | None,
    span_s: Span,
    seed: int | None,
) -> Release:
    assert span_s[0] <= span_s[1]
    assert secret.suppressed.schema.equals(SCHEMA)
    stamped = seed is not None
    manifest = build_manifest(
        data,
        secret.mapping,
        secret.suppressed,
        kind=kind,
        mechanism=mechanism,
        parameters=parameters,
        promise=promise,
        crs=crs.proj if crs else None,
        grid=grid,
        base_grid=base_grid,
        not_for_release=stamped,
    )
    return Release(data, manifest, secret, (int(span_s[0]), int(span_s[1])), stamped)


def _mapping(people: pa.Array, uids: pa.StringArray) -> pa.Table:
    return pa.table({"original_uid": people.cast(pa.string()), "uid": uids})


def _six_decimals(degrees: Floats) -> Floats:
    """Round; adding zero turns a minus zero, which would show a sign that was rounded away, into zero."""
    return np.round(degrees, 6) + 0.0


def _order_of_boxes(boxes: Boxes) -> Ints64 | None:
    """Return what sorts the boxes of each sequence: once per sequence, not once per person."""
    sequence = np.repeat(np.arange(boxes.offsets.size - 1), np.diff(boxes.offsets))
    return _order_within(sequence, (boxes.t, boxes.x, boxes.y, boxes.dt, boxes.dx, boxes.dy))


def _order_within(owner: Ints64, keys: tuple[NDArray[Any], ...]) -> Ints64 | None:
    """Return what sorts rows by owner and then by the keys, or None where they are sorted already.

    All published columns are keys: rows of equal time must not keep the order in which they were computed.
    """
    tied = np.ones(max(owner.size - 1, 0), np.bool_)
    for column in (owner, *keys):
        after, before = column[1:], column[:-1]
        if (tied & (after < before)).any():
            return np.lexsort((*reversed(keys), owner)).astype(np.int64)
        tied &= after == before
    return None
