"""Who pays: the same figures for those who were seen rarely, sometimes and often."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.contract.kinds import BOXES, POINTS
from shoal.usefulness.boxes import ComparedBoxes
from shoal.usefulness.figures import Ints, errors_of, spans_of
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.points import ComparedPoints
from shoal.usefulness.within import Need, hits

THIRDS = ("sparse", "middle", "dense")
NEED = Need(500, 1_800)


def thirds_of(samples: Ints) -> Ints:
    """Put everybody into a third by their number of raw samples: 0, 1 or 2; equal numbers are in one.

    >>> thirds_of(np.array([5, 1, 9])), thirds_of(np.array([4, 4, 4, 4]))
    (array([1, 0, 2]), array([0, 0, 0, 0]))
    """
    if not samples.size:
        return np.empty(0, np.int64)
    low, high = np.quantile(samples, (1 / 3, 2 / 3), method="inverted_cdf")
    return np.asarray((samples > low).astype(np.int64) + (samples > high))


@measure(BOXES, POINTS)
def thirds(compared: ComparedBoxes | ComparedPoints) -> Figures:
    """Tell for each third of the people what was left out, and how near the rest is."""
    boxes = isinstance(compared, ComparedBoxes)
    lengths = compared.traces.lengths if isinstance(compared, ComparedBoxes) else compared.original.lengths
    third = thirds_of(lengths)
    of_sample = np.repeat(third, lengths)
    near = hits(compared, NEED)
    figures: dict[str, Any] = {}
    for number, name in enumerate(THIRDS):
        people, mine = third == number, of_sample == number
        if not people.any():
            continue
        figures[name] = {
            "people": int(people.sum()),
            "samples_per_person": float(np.median(lengths[people])),
            **(_of_boxes(compared, mine) if boxes else _of_points(compared, people)),  # type: ignore[arg-type]
            "within_share": float(near[mine].mean()) if mine.any() else 0.0,
        }
    return {"thirds": figures}


def _of_boxes(compared: ComparedBoxes, mine: NDArray[np.bool_]) -> dict[str, float]:
    kept = np.flatnonzero(mine & (compared.box_of >= 0))
    box = compared.box_of[kept]
    spans = spans_of(compared.boxes, compared.traces.grid)
    values = {name: spans[name][box] for name in ("span_max_m", "span_s")}
    owner = np.repeat(np.arange(len(compared.traces)), compared.traces.lengths)
    personal = {f"personal_{name}": _means(owner[kept], found) for name, found in values.items()}
    values |= errors_of(compared.traces, kept, compared.boxes, box) | personal
    return {
        "people_suppressed_share": 1 - np.unique(owner[kept]).size / max(np.unique(owner[mine]).size, 1),
        "samples_deleted_share": 1 - kept.size / max(int(mine.sum()), 1),
        **{name: float(np.median(found)) if found.size else 0.0 for name, found in values.items()},
    }


def _means(owner: Ints, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each person's own values.

    >>> _means(np.array([4, 4, 7]), np.array([1.0, 3.0, 5.0]))
    array([2., 5.])
    """
    _, number = np.unique(owner, return_inverse=True)
    return np.asarray(np.bincount(number, values) / np.bincount(number))


def _of_points(compared: ComparedPoints, people: NDArray[np.bool_]) -> dict[str, float]:
    raw, published = compared.original.lengths[people], compared.published_per_person[people]
    return {
        "people_suppressed_share": float((published == 0).mean()),
        "samples_deleted_share": float(np.maximum(raw - published, 0).sum()) / max(int(raw.sum()), 1),
    }
