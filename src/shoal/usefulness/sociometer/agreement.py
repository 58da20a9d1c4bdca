"""Two labellings of the same profiles: confusion matrix, F-scores, and how much the counts differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.usefulness.figures import Floats
from shoal.usefulness.sociometer.archetypes import LABELS, Labels


def confusion(true: Labels, found: Labels) -> Ints:
    """Count profiles by true class (rows) and found class (columns).

    >>> confusion(np.array([0, 0, 2], np.int8), np.array([0, 2, 2], np.int8))[:3, :3].tolist()
    [[1, 0, 1], [0, 0, 0], [0, 0, 1]]
    """
    size = len(LABELS)
    pair = true.astype(np.int64) * size + found
    return np.bincount(pair, minlength=size * size).reshape(size, size)


def kept(matrix: Ints | Floats) -> Floats:
    """Return the share of each true class that was found as such; not a number where there is nobody of it."""
    total = matrix.sum(axis=1)
    return np.asarray(np.divide(np.diag(matrix), total, out=np.full(len(matrix), np.nan), where=total > 0))


def f_scores(matrix: Ints | Floats) -> Floats:
    """Return the F-score of each class: twice the hits, by all who are or were found in it.

    >>> f_scores(np.array([[3, 1], [0, 2]])).round(3).tolist()
    [0.857, 0.8]
    """
    both = matrix.sum(axis=0) + matrix.sum(axis=1)
    return np.asarray(np.divide(2 * np.diag(matrix), both, out=np.full(len(matrix), np.nan), where=both > 0))


def f_scores_by_place(place: Ints, true: Labels, found: Labels, places: int) -> Floats:
    """Return the F-score of each municipality (rows) and class (columns)."""
    rows = np.full((places, len(LABELS)), np.nan)
    order = np.argsort(place, kind="stable")
    for one in np.split(order, np.flatnonzero(np.diff(place[order])) + 1):
        if one.size:
            rows[place[one[0]]] = f_scores(confusion(true[one], found[one]))
    return rows


def counts(place: Ints, labels: Labels, places: int) -> Ints:
    """Count the profiles of each municipality (rows) and class (columns).

    >>> counts(np.array([0, 1, 1]), np.array([0, 4, 4], np.int8), 2).tolist()
    [[1, 0, 0, 0, 0], [0, 0, 0, 0, 2]]
    """
    size = len(LABELS)
    return np.bincount(place * size + labels, minlength=places * size).reshape(places, size)


def quantification(true: Ints, found: Ints) -> Floats:
    """Return by how much the share of each class is off in each municipality; rows without anybody are zero."""
    before, after = (c / np.maximum(c.sum(axis=1, keepdims=True), 1) for c in (true, found))
    return np.asarray(after - before)


def agreement(true: Labels, found: Labels) -> dict[str, Any]:
    """Set two labellings side by side: how many agree, per class and in all."""
    matrix = confusion(true, found)
    return {
        "profiles": int(matrix.sum()),
        "accuracy": round(float(np.trace(matrix) / max(matrix.sum(), 1)), 6),
        "kept": by_label(kept(matrix)),
        "f_score": by_label(f_scores(matrix)),
        "matrix": {
            name: dict(zip(LABELS, row, strict=True)) for name, row in zip(LABELS, matrix.tolist(), strict=True)
        },
    }


def ceiling(labellings: Sequence[Labels]) -> dict[str, Any]:
    """Tell how far labellings of the very same profiles from other starts agree with the first: no release can do more.

    Shares of each class that are kept, on average over the starts, and the least.
    """
    matrices = [confusion(labellings[0], other) for other in labellings[1:]]
    if not matrices:
        return {}
    shares = np.stack([kept(matrix) for matrix in matrices])
    scores = np.stack([f_scores(matrix) for matrix in matrices])
    return {
        "seeds": len(labellings),
        "accuracy": round(float(np.mean([np.trace(m) / max(m.sum(), 1) for m in matrices])), 6),
        "kept": by_label(shares.mean(axis=0)),
        "kept_least": by_label(shares.min(axis=0)),
        "f_score": by_label(scores.mean(axis=0)),
    }


def by_label(values: Floats) -> dict[str, float | None]:
    """Name figures by class; what is not a number is None."""
    return {
        name: None if np.isnan(value) else round(float(value), 6) for name, value in zip(LABELS, values, strict=True)
    }
