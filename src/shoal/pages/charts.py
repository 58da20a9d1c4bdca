"""Charts as Vega-Lite specifications: plain values, whose data can be read where they stand."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any, NamedTuple

from shoal.pages.theme import on_page

Row = Mapping[str, Any]
Spec = dict[str, Any]

SQUARE = {"square": True}
"""Told to the page: both axes have the same scale."""


def histogram(labels: Sequence[str], people: Sequence[int | None], title: str, *, y: str = "people") -> Spec:
    """Bars over bins that are named; a bin that is not told has no bar."""
    rows = [{"bin": label, y: count} for label, count in zip(labels, people, strict=True) if count is not None]
    return on_page(
        {
            "data": {"values": rows},
            "mark": {"type": "bar", "tooltip": True},
            "encoding": {
                "x": {
                    "field": "bin",
                    "type": "ordinal",
                    "scale": {"domain": list(labels)},
                    "axis": {"title": title, "labelAngle": -40, "grid": False},
                },
                "y": {"field": y, "type": "quantitative", "axis": {"title": y, "tickCount": 5}},
            },
        }
    )


def bars(rows: Sequence[Row], label: str, series: str, value: str) -> Spec:
    """Lying bars of per cents, one below the other, in the order of the rows."""
    return on_page(
        {
            "height": 26 * len(rows) + 90,
            "data": {"values": [dict(row) for row in rows]},
            "mark": {"type": "bar", "tooltip": True},
            "encoding": {
                "y": {"field": label, "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}},
                "x": {
                    "field": value,
                    "type": "quantitative",
                    "scale": {"domain": [0, 100]},
                    "axis": {"title": value, "tickCount": 5},
                },
                "color": {"field": series, "type": "nominal", "sort": None, "legend": {"title": None}},
            },
        }
    )


def stacked(rows: Sequence[Row], label: str, series: str, value: str) -> Spec:
    """Lying bars of per cents, each cut into its series, in the order of the rows."""
    names = list(dict.fromkeys(row[series] for row in rows))
    return on_page(
        {
            "height": 26 * len({row[label] for row in rows}) + 90,
            "data": {"values": [{**row, "place": names.index(row[series])} for row in rows]},
            "mark": {"type": "bar", "cornerRadiusEnd": 0},
            "encoding": {
                "y": {"field": label, "type": "nominal", "sort": None, "axis": {"title": None, "ticks": False}},
                "x": {
                    "field": value,
                    "type": "quantitative",
                    "scale": {"domain": [0, 100]},
                    "axis": {"title": value, "tickCount": 5},
                },
                "color": {
                    "field": series,
                    "type": "nominal",
                    "scale": {"domain": names},
                    "legend": {"title": None},
                },
                "order": {"field": "place", "type": "quantitative"},
                "tooltip": [{"field": name} for name in (label, series, value)],
            },
        }
    )


_LONG_LABEL = 12


def grouped(
    rows: Sequence[Row], x: str, series: str, y: str, *, percent: bool = True, x_title: str | None = None
) -> Spec:
    """Bars side by side: one for each series in each group, in the order of the rows."""
    order = list(dict.fromkeys(row[x] for row in rows))
    names = list(dict.fromkeys(row[series] for row in rows))
    scale = {"domain": [0, 100]} if percent else {}
    angle = -30 if max((len(str(label)) for label in order), default=0) > _LONG_LABEL else 0
    return on_page(
        {
            "data": {"values": [dict(row) for row in rows]},
            "mark": {"type": "bar", "tooltip": True},
            "encoding": {
                "x": {"field": x, "type": "nominal", "sort": order, "axis": {"title": x_title, "labelAngle": angle}},
                "xOffset": {"field": series, "sort": names},
                "y": {"field": y, "type": "quantitative", "scale": scale, "axis": {"title": y, "tickCount": 5}},
                "color": {"field": series, "type": "nominal", "sort": names, "legend": {"title": None}},
            },
        }
    )


def curves(
    rows: Sequence[Row],
    x: str,
    series: str,
    y: str,
    *,
    x_range: tuple[float, float],
    x_step: int | None = None,
    log: bool = False,
) -> Spec:
    """Lines, one for each series.

    Parameters
    ----------
    rows
        What is drawn, in order.
    x, series, y
        Names of the fields.
    x_range, x_step
        Ends of the axis, and whole numbers from tick to tick; None for round ones.
    log
        Whether y reaches over several powers of ten; drawn so where it is nowhere 0.
    """
    names = list(dict.fromkeys(row[series] for row in rows))
    # Equal to the last letter: then there is one legend for both.
    told_apart = {"field": series, "type": "nominal", "scale": {"domain": names}, "legend": {"title": None}}
    ticks = {"values": list(range(int(x_range[0]), int(x_range[1]) + 1, x_step))} if x_step else {"tickCount": 6}
    upwards: dict[str, Any] = {"axis": {"title": y, "tickCount": 5}}
    if log and all(row[y] > 0 for row in rows):
        upwards = {"scale": {"type": "log"}, "axis": {"title": y, "values": round_steps([row[y] for row in rows])}}
    return on_page(
        {
            "data": {"values": [{**row, "place": place} for place, row in enumerate(rows)]},
            "mark": {"type": "line", "clip": True},
            "encoding": {
                "x": {
                    "field": x,
                    "type": "quantitative",
                    "scale": {"domain": list(x_range), "nice": False},
                    "axis": {"title": x, **ticks},
                },
                "y": {"field": y, "type": "quantitative", **upwards},
                "color": told_apart,
                "strokeDash": told_apart,
                # As the rows go: by x alone, what rises at one value would turn back on itself.
                "order": {"field": "place", "type": "quantitative"},
                "tooltip": [{"field": name} for name in (series, x, y)],
            },
        }
    )


def round_steps(values: Sequence[float]) -> list[float]:
    """Return round numbers around some positive ones, for an axis of powers of ten.

    >>> round_steps([0.3, 4]), round_steps([3, 70_000])
    ([0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0], [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0])
    """
    low, high = floor(log10(min(values, default=1))), ceil(log10(max(values, default=1)))
    steps = (1, 2, 5) if high - low <= _FEW_DECADES else (1,)
    found = (float(f"{step}e{power}") for power in range(low, high + 1) for step in steps)
    return [step for step in found if step <= 10.0**high]


_FEW_DECADES = 3


def map_of(rows: Sequence[Row], colour: str, order: Sequence[str]) -> Spec:
    """Square tiles: rows have ``west, east, south, north`` in km, a shade by ``colour`` and ``people``."""
    spans = [[min(r[low] for r in rows), max(r[high] for r in rows)] for low, high in _SIDES] if rows else [[0, 1]] * 2
    half = max(span[1] - span[0] for span in spans) / 2
    ends = [[sum(span) / 2 - half, sum(span) / 2 + half] for span in spans]
    across = _Axis("west", "east", "km to the east", ends[0]), _Axis("south", "north", "km to the north", ends[1])
    return _squares(rows, *across, colour, order)


_SIDES = (("west", "east"), ("south", "north"))


def heat(rows: Sequence[Row], x: str, y: str, step: float, colour: str, order: Sequence[str]) -> Spec:
    """Cells of a plane that is cut into squares; the shade is how many people are in one."""
    cells = [{**row, "x end": row[x] + step, "y end": row[y] + step} for row in rows]
    ends = [0, max((max(row["x end"], row["y end"]) for row in cells), default=1.0)]
    return _squares(cells, _Axis(x, "x end", x, ends), _Axis(y, "y end", y, ends), colour, order)


class _Axis(NamedTuple):
    """Fields of where squares begin and end, a title, and where the axis does."""

    low: str
    high: str
    title: str
    ends: Sequence[float]

    def encoding(self) -> dict[str, Any]:
        scale = {"domain": list(self.ends), "nice": False, "zero": False}
        axis = {"title": self.title, "tickCount": 6}
        return {"field": self.low, "type": "quantitative", "scale": scale, "axis": axis}


def _squares(rows: Sequence[Row], x: _Axis, y: _Axis, colour: str, order: Sequence[str]) -> Spec:
    """Squares in six shades at most, both axes of one scale."""
    return on_page(
        {
            "usermeta": SQUARE,
            "autosize": "pad",
            "data": {"values": [dict(row) for row in rows]},
            "mark": {"type": "rect", "tooltip": {"content": "data"}},
            "encoding": {
                "x": x.encoding(),
                "x2": {"field": x.high},
                "y": y.encoding(),
                "y2": {"field": y.high},
                "color": {
                    "field": colour,
                    "type": "ordinal",
                    "scale": {"domain": list(order)},
                    "legend": {"title": colour},
                },
            },
        }
    )


def ranged(rows: Sequence[Row], x: str, y: str, low: str, high: str) -> Spec:
    """Bars with a line over the range in which each may lie."""
    order = [row[x] for row in rows]
    across = {"field": x, "type": "nominal", "sort": order, "axis": {"title": None, "labelAngle": -30}}
    return on_page(
        {
            "data": {"values": [dict(row) for row in rows]},
            "encoding": {"x": across},
            "layer": [
                {
                    "mark": {"type": "bar", "tooltip": {"content": "data"}},
                    "encoding": {"y": {"field": y, "type": "quantitative", "axis": {"title": y, "tickCount": 5}}},
                },
                {
                    "mark": {"type": "rule", "strokeWidth": 2},
                    "encoding": {"y": {"field": low, "type": "quantitative"}, "y2": {"field": high}},
                },
            ],
        }
    )


def matrix(
    rows: Sequence[Row], x: str, y: str, number: str, order: Sequence[str], colour: str, shades: Sequence[str]
) -> Spec:
    """Squares of a table with a number in each, in six shades at most; ``order`` is that of both sides."""

    def side(field: str, angle: int) -> dict[str, Any]:
        axis = {"title": field, "grid": False, "labelAngle": angle}
        return {"field": field, "type": "nominal", "sort": list(order), "axis": axis}

    dark = {"test": {"field": colour, "oneOf": list(shades[3:])}, "value": "var(--paper)"}
    return on_page(
        {
            "height": 320,
            "data": {"values": [dict(row) for row in rows]},
            "encoding": {"x": side(x, -35), "y": side(y, 0)},
            "layer": [
                {
                    "mark": {"type": "rect", "tooltip": {"content": "data"}},
                    "encoding": {
                        "color": {
                            "field": colour,
                            "type": "ordinal",
                            "scale": {"domain": list(shades)},
                            "legend": {"title": colour},
                        }
                    },
                },
                {
                    "mark": {"type": "text", "tooltip": {"content": "data"}},
                    "encoding": {
                        "text": {"field": number, "type": "quantitative"},
                        "color": {"condition": dark, "value": "var(--ink)"},
                    },
                },
            ],
        }
    )


def against(rows: Sequence[Row], x: str, y: str, series: str) -> Spec:
    """Points joined by lines, one line for each series."""
    names = list(dict.fromkeys(row[series] for row in rows))
    told_apart = {"field": series, "type": "nominal", "scale": {"domain": names}, "legend": {"title": None}}
    return on_page(
        {
            "data": {"values": [dict(row) for row in rows]},
            "mark": {"type": "line", "point": {"size": 60}},
            "encoding": {
                "x": {
                    "field": x,
                    "type": "quantitative",
                    "axis": {"title": x, "tickCount": 6, "tickMinStep": 1},
                },
                "y": {"field": y, "type": "quantitative", "axis": {"title": y, "tickCount": 5}},
                "color": told_apart,
                "strokeDash": told_apart,
                "tooltip": [{"field": name} for name in (series, x, y)],
            },
        }
    )


def tradeoff(rows: Sequence[Row], x: str, y: str, series: str) -> Spec:
    """A point for each row; what it stands for is told beside it by touch or mouse."""
    return on_page(
        {
            "height": 360,
            "data": {"values": [dict(row) for row in rows]},
            "mark": {"type": "point", "filled": True, "size": 130, "opacity": 0.9, "tooltip": {"content": "data"}},
            "encoding": {
                "x": {
                    "field": x,
                    "type": "quantitative",
                    "scale": {"domain": [0, 100]},
                    "axis": {"title": x, "tickCount": 6},
                },
                "y": {
                    "field": y,
                    "type": "quantitative",
                    "scale": {"domain": [0, 100]},
                    "axis": {"title": y, "tickCount": 6},
                },
                "color": {"field": series, "type": "nominal", "legend": {"title": None}},
                "shape": {"field": series, "type": "nominal", "legend": {"title": None}},
            },
        }
    )
