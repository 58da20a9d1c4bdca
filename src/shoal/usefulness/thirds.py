"""Who pays: the same figures for those who were seen rarely, sometimes and often."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import kept_offsets
from shoal.attacks.parts import cuts
from shoal.contract.kinds import BOXES, POINTS
from shoal.data.thirds import thirds_of
from shoal.usefulness.boxes import ComparedBoxes
from shoal.usefulness.chunks import column_of
from shoal.usefulness.figures import ERRORS, SPANS, Ints
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.points import ComparedPoints
from shoal.usefulness.within import Need, hits

THIRDS = ("sparse", "middle", "dense")
NEED = Need(500, 1_800)


@measure(BOXES, POINTS)
def thirds(compared: ComparedBoxes | ComparedPoints) -> Figures:
    """Tell for each third of the people what was left out, and how near the rest is."""
    boxes = isinstance(compared, ComparedBoxes)
    lengths = compared.traces.lengths if isinstance(compared, ComparedBoxes) else compared.original.lengths
    third = thirds_of(lengths)
    near = hits(compared, NEED)
    figures: dict[str, Any] = {}
    for number, name in enumerate(THIRDS):
        people = third == number
        if not people.any():
            continue
        mine = np.repeat(people, lengths)
        figures[name] = {
            "people": int(people.sum()),
            "samples_per_person": float(np.median(lengths[people])),
            **(_of_boxes(compared, people, mine) if boxes else _of_points(compared, people)),  # type: ignore[arg-type]
            "within_share": float(near[mine].mean()) if mine.any() else 0.0,
        }
    return {"thirds": figures}


def _of_boxes(compared: ComparedBoxes, people: NDArray[np.bool_], mine: NDArray[np.bool_]) -> dict[str, float]:
    of_person = compared.traces.lengths[people]
    left = np.diff(kept_offsets(compared.traces.offsets, compared.box_of >= 0))[people]
    kept = int(left.sum())
    figures: dict[str, float] = {
        "people_suppressed_share": 1 - int((left > 0).sum()) / max(int((of_person > 0).sum()), 1),
        "samples_deleted_share": 1 - kept / max(int(of_person.sum()), 1),
    }
    personal: dict[str, float] = {}
    for name in ("span_max_m", "span_s"):
        personal[f"personal_{name}"], figures[name] = _span(compared, name, mine, left[left > 0])
    for name in ERRORS:
        found = (errors[name][mine[rows]] for rows, _, errors in compared.errors(name))
        figures[name] = _median(column_of(found, kept, np.float64))
    return figures | personal


def _span(compared: ComparedBoxes, name: str, mine: NDArray[np.bool_], left: Ints) -> tuple[float, float]:
    """The median of people's own means, and of their samples; ``left`` says how many each has."""
    spans = SPANS[name](compared.boxes, compared.traces.grid)
    found = (spans[box[mine[rows]]] for rows, box, _ in compared.errors())
    values = column_of(found, int(left.sum()), np.float64)
    return _median(_means(left, values)), _median(values)


def _median(values: NDArray[np.float64]) -> float:
    """Return the median of values that are needed for nothing else."""
    return float(np.median(values, overwrite_input=True)) if values.size else 0.0


def _means(lengths: Ints, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each person's own values, which follow each other; everybody has some.

    >>> _means(np.array([2, 1]), np.array([1.0, 3.0, 5.0]))
    array([2., 5.])
    """
    means = []
    ends = np.cumsum(lengths)
    for low, high in cuts(lengths):
        some = lengths[low:high]
        here = values[int(ends[low] - lengths[low]) if some.size else 0 : int(ends[high - 1]) if some.size else 0]
        means.append(np.bincount(np.repeat(np.arange(some.size), some), here, some.size) / some)
    return np.concatenate(means)


def _of_points(compared: ComparedPoints, people: NDArray[np.bool_]) -> dict[str, float]:
    raw, published = compared.original.lengths[people], compared.published_per_person[people]
    return {
        "people_suppressed_share": float((published == 0).mean()),
        "samples_deleted_share": float(np.maximum(raw - published, 0).sum()) / max(int(raw.sum()), 1),
    }
