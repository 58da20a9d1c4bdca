"""The charts that figures are drawn with."""

import pytest

from shoal.errors import ParameterError
from shoal.pages.lines import Chart, Series

alt = pytest.importorskip("altair")


def spec_of(*series, **axes):
    return Chart("t <&>", "x", "y", series, **axes).to_spec()


def test_lines_that_belong_together_share_a_colour():
    spec = spec_of(Series("a", [1, 2], [1, 2], colour=3), Series("b", [1, 2], [2, 3], colour=3, dashed=True))
    one, other = spec["encoding"]["color"]["scale"]["range"]
    assert one == other
    assert [bool(layer["mark"]["strokeDash"]) for layer in spec["layer"]] == [False, True]


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show():
    spec = spec_of(Series("a", [1, 2, 3, float("inf")], [0, 5, 500, 7], dots=True), log_y=True)
    line, dots = spec["layer"]
    assert line["data"] == dots["data"]
    assert [row["y"] for row in dots["data"]["values"]] == [5, 500]
    assert spec["encoding"]["y"]["scale"]["type"] == "log"


@pytest.mark.parametrize(
    "series",
    [(), (Series("a", [1, 2], [1, 2], dots=True), Series("b", [1], [1], marks=True))],
)
def test_it_is_what_vega_lite_calls_a_chart(series):
    alt.LayerChart.from_dict(spec_of(*series, x_range=(0, 10), log_x=False))


def test_drawn_as_svg_the_same_each_time():
    pytest.importorskip("vl_convert")
    chart = Chart("t <&>", "x", "y", (Series("a", [1, 2, 30], [1, 2, 3], dots=True),), x_range=(0, 10))
    drawn = chart.to_svg()
    assert drawn == chart.to_svg()
    assert drawn.startswith("<svg")
    assert "t &lt;&amp;&gt;" in drawn
    assert "http" not in drawn.replace("http://www.w3.org/", "")


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr("shoal.pages.tools.find_spec", lambda _: None)
    with pytest.raises(ParameterError) as error:
        Chart("t", "x", "y", ()).to_svg()
    assert error.value.hint == "pip install 'shoal[report]'"
