"""Colours and letters of charts: by the page's own variables, so that they follow light, dark and print; or fixed."""

from collections.abc import Mapping
from typing import Any

PAGE_COLOURS = tuple(f"var(--c{i})" for i in range(1, 8))
PAGE_SHADES = tuple(f"var(--s{i})" for i in range(1, 7))

# Okabe and Ito's colours, told apart by nearly everybody; black last, as it draws the eye.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHADES = ("#dcebf7", "#b3d3ec", "#7fb4dc", "#4790c6", "#1f6aa5", "#0b4277")

_FONT = "system-ui, Liberation Sans, sans-serif"
_FONT_ON_PAPER = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Widths of words are fixed when a picture is drawn: these fonts have the same."""


def on_page(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chart as it stands in a page: as wide as its place, in the colours of the page."""
    look = _look("var(--ink)", "var(--soft)", "var(--line)", PAGE_COLOURS, PAGE_SHADES)
    return {"$schema": SCHEMA, "width": "container", "height": 260, "background": "transparent", **spec, "config": look}


def on_paper(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chart for a picture of its own, on white."""
    look = {**_look("#222", "#555", "#ddd", COLOURS, SHADES), "font": _FONT_ON_PAPER}
    return {"$schema": SCHEMA, "width": 600, "height": 320, "background": "white", **spec, "config": look}


SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""A name, never asked for."""


def _look(ink: str, soft: str, line: str, colours: tuple[str, ...], shades: tuple[str, ...]) -> dict[str, Any]:
    letters = {"labelFontSize": 12, "titleFontSize": 12, "labelColor": ink, "titleColor": soft, "titleFontWeight": 600}
    return {
        "aria": False,
        "font": _FONT,
        "autosize": {"type": "fit", "contains": "padding"},
        "view": {"stroke": None},
        "axis": {**letters, "gridColor": line, "domainColor": line, "tickColor": line, "labelLimit": 160},
        "legend": {**letters, "orient": "bottom", "direction": "horizontal", "columns": 3, "labelLimit": 280},
        "title": {"color": ink, "fontSize": 14, "anchor": "start"},
        "range": {"category": list(colours), "ordinal": list(shades)},
        "bar": {"color": colours[0], "cornerRadiusEnd": 2},
        "line": {"color": colours[0], "strokeWidth": 2},
        "point": {"color": colours[0], "filled": True, "size": 50},
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": soft},
    }
