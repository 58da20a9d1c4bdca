"""Lines and marks over common axes: what figures of papers and of the docs are made of."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.pages.theme import COLOURS, on_paper
from shoal.pages.tools import available, svg

DASHES: tuple[list[int], ...] = ([], [6, 3], [2, 3])
_DIGITS = 5
"""Of the numbers in a picture: no eye sees more, and more would differ from machine to machine."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line, or marks where ``marks`` is set.

    Attributes
    ----------
    dots
        Marks on the line, for lines through few points.
    colour, dashed
        For lines that belong together: the number of a colour, by default that of the series.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    marks: bool = False
    dots: bool = False
    colour: int | None = None
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Some series over common axes.

    Attributes
    ----------
    x_range, y_range
        Ends of the axes; taken from the data where None.
    log_x, log_y
        A logarithmic axis; values that are not positive are left out.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    log_x: bool = False
    log_y: bool = False

    def to_svg(self) -> str:
        """Draw; needs the extra ``report``."""
        return svg(self.to_spec())

    def to_spec(self) -> dict[str, Any]:
        """Return the chart as a Vega-Lite specification, on white.

        >>> [layer["mark"]["type"] for layer in Chart("t", "x", "y", (Series("a", [1], [2]),)).to_spec()["layer"]]
        ['line']
        """
        colours = {s.name: COLOURS[_colour(s, i) % len(COLOURS)] for i, s in enumerate(self.series)}
        named = {"field": "series", "type": "nominal", "legend": {"title": None, "orient": "right", "columns": 1}}
        layers = [layer for i, s in enumerate(self.series) for layer in self._layers(s, i)]
        return on_paper(
            {
                "title": self.title,
                "encoding": {
                    "x": self._axis("x", self.x_label, self.x_range, log=self.log_x),
                    "y": self._axis("y", self.y_label, self.y_range, log=self.log_y),
                    "color": {**named, "scale": {"domain": list(colours), "range": list(colours.values())}},
                },
                "layer": layers or [{"data": {"values": []}, "mark": {"type": "line"}}],
            }
        )

    def _layers(self, series: Series, index: int) -> Iterator[dict[str, Any]]:
        rows = [{"series": series.name, "x": x, "y": y, "i": i} for i, (x, y) in enumerate(self._shown(series))]
        if not series.marks:
            # Where colours run out, dashes go on; lines of a colour that was asked for are meant to look alike.
            own = index // len(COLOURS) % len(DASHES) if series.colour is None else 0
            mark = {"type": "line", "clip": True, "strokeDash": DASHES[1] if series.dashed else DASHES[own]}
            # In the order given: a way may turn back.
            order = {"field": "i", "type": "quantitative"}
            yield {"data": {"values": rows}, "mark": mark, "encoding": {"order": order}}
        if series.marks or series.dots:
            yield {"data": {"values": rows}, "mark": {"type": "point", "clip": True, "filled": True, "size": 35}}

    def _shown(self, series: Series) -> Iterator[tuple[float, float]]:
        for x, y in zip(series.x, series.y, strict=True):
            if math.isfinite(x) and math.isfinite(y) and (x > 0 or not self.log_x) and (y > 0 or not self.log_y):
                yield _short(x), _short(y)

    def _axis(self, field: str, title: str, ends: tuple[float, float] | None, *, log: bool) -> dict[str, Any]:
        scale: dict[str, Any] = {"type": "log"} if log else {}
        if ends is not None:
            scale |= {"domain": [_short(end) for end in ends], "nice": False}
        return {"field": field, "type": "quantitative", "scale": scale, "axis": {"title": title, "tickCount": 6}}


def in_notebook(chart: Chart) -> str:
    """Return the chart for a notebook, no wider than its place; nothing where nothing draws."""
    return chart.to_svg().replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1) if available() else ""


def _colour(series: Series, index: int) -> int:
    return index if series.colour is None else series.colour


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
