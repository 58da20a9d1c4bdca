"""From a mechanism's result to a release of any kind: draw tokens, sort rows by them, write the manifest.

Whatever has a uid of its own is sorted by token first and its rows gathered afterwards, so no sort ever sees all the
rows as text. Tokens are random, hence so is the order: it carries nothing of the input's.
"""

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.contract.claims import Claim
from shoal.contract.kinds import BOXES, POINTS, PROFILES, Kind, cell_names
from shoal.data import Boxes, Grid, Points, Profiles
from shoal.data.layout import Floats, Ints64, Span, rows_of
from shoal.data.projection import Projection
from shoal.release import suppressed
from shoal.release.columns import gather, utc
from shoal.release.manifest import build_manifest
from shoal.release.protected import Findings, Payload, Protected
from shoal.release.release import Release, Secret
from shoal.release.spool import Rows, spool
from shoal.release.tokens import draw_tokens, key_of

ROWS_IN_MEMORY = 1 << 22
"""A table of boxes may have so many rows; of more the file is written at once. A row takes about a hundred bytes."""

ROWS_OF_A_PIECE = 1 << 19
"""Rows that are gathered for that file at a time, about; whoever has more is a piece."""


class Published(NamedTuple):
    """What goes out, the table that leads back, and the map of boxes."""

    kind: Kind
    rows: Rows
    mapping: pa.Table
    crs: Projection | None = None
    base_grid: Grid | None = None


def build_release(
    result: Protected,
    *,
    mechanism: str,
    parameters: Mapping[str, object],
    claim: Claim,
    span_s: Span,
    screened: pa.Table | None = None,
    run: Mapping[str, object] | None = None,
    seed: int | None = None,
) -> Release:
    """Build the release of a mechanism's result, whatever its kind.

    Parameters
    ----------
    result
        What the mechanism handed over. People without rows are not published, hence not in the mapping.
    mechanism, parameters, claim
        What the manifest says; parameters that concern the run and not the result are left out of it.
    span_s
        Time covered, half open, in seconds since the UTC epoch.
    screened
        The list of who did not take part at all.
    run
        Facts for the publisher's own eyes.
    seed
        Repeatable tokens; stamps the release as not for release.
    """
    return release_of(
        publish(result.payload, key_of(seed)),
        result,
        mechanism=mechanism,
        parameters=parameters,
        claim=claim,
        span_s=span_s,
        screened=screened,
        run=run,
        stamped=seed is not None,
    )


def release_of(
    published: Published,
    found: Findings,
    *,
    mechanism: str,
    parameters: Mapping[str, object],
    claim: Claim,
    span_s: Span,
    screened: pa.Table | None = None,
    run: Mapping[str, object] | None = None,
    stamped: bool = False,
) -> Release:
    """Build the release of what has its tokens already.

    Parameters
    ----------
    published
        What :func:`publish` gave, of everybody.
    found
        What there is to say about it.
    mechanism, parameters, claim, span_s, screened, run
        As in :func:`build_release`.
    stamped
        Whether it is not for release.
    """
    assert span_s[0] <= span_s[1]
    kind, rows, mapping = published.kind, published.rows, published.mapping
    assert kind.name in claim.kinds, "a claim that cannot be made about this kind of release"
    assert tuple(found.budgets) == claim.budgets, "budgets other than those of the claim"
    withheld = suppressed.concat(*([] if screened is None else [screened]), found.withheld)
    if kind is PROFILES:
        withheld = suppressed.with_municipality(withheld)
    manifest = build_manifest(
        rows,
        mapping,
        withheld,
        kind=kind,
        mechanism=mechanism,
        parameters={**parameters, **found.facts},
        claim=claim,
        budgets=found.budgets,
        crs=published.crs.proj if published.crs else None,
        grid=found.grid or published.base_grid,
        base_grid=published.base_grid,
        not_for_release=stamped,
    )
    secret = Secret(mapping, withheld, found.tables, {**(run or {}), **found.run})
    return Release(rows, manifest, secret, (int(span_s[0]), int(span_s[1])), stamped, found.remarks)


def publish(payload: Payload, key: bytes) -> Published:
    """Name what is published by tokens under a key, and sort it by them.

    What some people have and what others have can be published apart under one key: sorted together, it is the same.
    """
    if isinstance(payload, Boxes):
        return _publish_boxes(payload, key)
    return _publish_points(payload, key) if isinstance(payload, Points) else _publish_profiles(payload, key)


def _publish_boxes(boxes: Boxes, key: bytes) -> Published:
    """One row per person and box; of very many some people at a time, to a file."""
    counts = np.diff(boxes.offsets)[boxes.sequence_of]
    present = np.flatnonzero(counts > 0)
    people = boxes.people.take(pa.array(present))
    tokens = draw_tokens(people, key=key)
    uids, within, in_order = tokens.to_arrow(), _order_of_boxes(boxes), present[tokens.order]

    def piece(low: int, high: int) -> pa.Table:
        lengths, rows = boxes.rows_of(in_order[low:high])
        if within is not None:
            rows = within[rows]
        owner = np.repeat(tokens.order[low:high], lengths)
        return pa.table({"uid": gather(uids, owner), **boxes.columns(rows)})

    ends = np.cumsum(counts[in_order])
    many = ends.size > 0 and ends[-1] > ROWS_IN_MEMORY
    cuts = [0, *np.flatnonzero(np.diff(ends // ROWS_OF_A_PIECE)) + 1, ends.size] if many else [0, ends.size]
    pieces = (piece(low, high) for low, high in itertools.pairwise(cuts))
    data = spool(pieces) if many else next(pieces)
    assert data is not None
    return Published(BOXES, data, _mapping(people, uids), boxes.crs, boxes.grid)


def _publish_points(points: Points, key: bytes) -> Published:
    """One row per point, degrees with 6 decimals; every part has a uid of its own."""
    present = np.flatnonzero(np.diff(points.offsets) > 0)
    people = points.people.take(pa.array(points.person_of[present]))
    # A person may have several parts: their numbers keep the tokens apart.
    tokens = draw_tokens(people, pa.array(_number_within(points.person_of[present])).cast(pa.string()), key=key)
    offsets, rows = rows_of(points.offsets, present[tokens.order])
    owner = np.repeat(np.arange(present.size), np.diff(offsets))
    t_us, lat, lng = points.t_us[rows], _six_decimals(points.lat[rows]), _six_decimals(points.lng[rows])
    order = _order_within(owner, (t_us, lat, lng))
    if order is not None:
        t_us, lat, lng = t_us[order], lat[order], lng[order]
    uids = tokens.to_arrow()
    data = pa.table({"uid": gather(uids, tokens.order[owner]), "datetime": utc(t_us), "lat": lat, "lng": lng})
    return Published(POINTS, data, _mapping(people, uids))


def _publish_profiles(profiles: Profiles, key: bytes) -> Published:
    """One row per person and municipality, each with a uid of its own."""
    tokens = draw_tokens(profiles.people, profiles.municipalities, key=key)
    uids, order = tokens.to_arrow(), tokens.order
    # Adding zero turns a minus zero into zero.
    cells = {name: profiles.values[order, i] + 0.0 for i, name in enumerate(cell_names(profiles.weeks))}
    towns = gather(profiles.municipalities, order)
    data = pa.table({"uid": gather(uids, order), "municipality": towns, **cells})
    mapping = _mapping(profiles.people, uids).append_column("municipality", profiles.municipalities.cast(pa.string()))
    return Published(PROFILES, data, mapping)


def _number_within(owner: NDArray[np.integer]) -> Ints64:
    """Number what everybody has, from 0, in the order in which it stands."""
    order = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[order], owner[order])
    number = np.empty(owner.size, np.int64)
    number[order] = np.arange(owner.size) - first
    return number


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
