"""The charts that the figures are drawn with."""

import xml.etree.ElementTree as ET

from shoal.report import Chart, Series

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*series, **axes):
    return ET.fromstring(Chart("t <&>", "x", "y", series, **axes).to_svg())


def test_lines_that_belong_together_share_a_colour():
    root = drawn(Series("a", [1, 2], [1, 2], colour=3), Series("b", [1, 2], [2, 3], colour=3, dashed=True))
    lines = [p for p in root.iter(f"{SVG}path") if p.get("clip-path")]
    assert lines[0].get("stroke") == lines[1].get("stroke")
    assert [bool(p.get("stroke-dasharray")) for p in lines] == [False, True]


def test_dots_beyond_the_axes_are_not_drawn():
    root = drawn(Series("a", [1, 2, 30], [1, 2, 3], dots=True), x_range=(0, 10))
    legend = 1
    assert len(list(root.iter(f"{SVG}circle"))) == 2 + legend


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show():
    root = drawn(Series("a", [1, 2, 3], [0, 5, 500], dots=True), log_y=True)
    circles = [c for c in root.iter(f"{SVG}circle") if float(c.get("cx")) < 480]
    assert len(circles) == 2
    labels = {text.text for text in root.iter(f"{SVG}text")}
    assert {"10", "100"} <= labels
    heights = [float(c.get("cy")) for c in circles]
    assert heights[0] > heights[1], "more is higher"


def test_short_logarithmic_axes_have_more_ticks():
    labels = {text.text for text in drawn(Series("a", [1, 2], [60, 200]), log_y=True).iter(f"{SVG}text")}
    assert {"70", "100", "150", "200"} <= labels
