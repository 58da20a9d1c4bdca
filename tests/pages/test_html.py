"""A page asks nobody for anything, is the same each time, and nothing that it quotes can end what is around it."""

import re
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.pages import Code, Document, Figure, List, Section, Table, Text, Verdict, charts
from shoal.pages.html import around, spelled, written

SCRIPT = "void 0;"
NASTY = "</script><script>alert(1)</script> & \" ' <!-- "


def page(words="words", facts=None):
    table = Table(words, (words, "n"), ((words, "1"),))
    figure = Figure(f"{words}.", words, charts.histogram([words, "b"], [10, None], words), table)
    blocks = (
        Text(words),
        List((words,)),
        Code((words,)),
        table,
        Table(words, ("a",), ((words,),), folded=True),
        figure,
    )
    return Document(words, words, Verdict("fine", words, (words,)), (Section("one", words, blocks),), facts)


class Seen(HTMLParser):
    """Collects tags, and what may ask for something."""

    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "action", "srcset", "poster", "data")]


def seen(content):
    parser = Seen()
    parser.feed(content.decode())
    return parser


def test_a_page_asks_nobody_for_anything():
    content = written(page(), SCRIPT)
    assert all(link.startswith("#") for link in seen(content).links)
    assert not re.search(rb"@import|url\(", content)
    policy = re.search(rb'Content-Security-Policy" content="([^"]+)"', content)[1].decode()
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "http" not in policy


def test_it_is_the_same_each_time_and_falls_apart_around_the_script():
    content = written(page(facts={"a": 1}), SCRIPT)
    assert content == written(page(facts={"a": 1}), SCRIPT)
    before, after = around(page(facts={"a": 1}), sha256(SCRIPT.encode()).hexdigest())
    assert content == before + SCRIPT.encode() + after


def test_what_is_quoted_stays_quoted():
    plain, nasty = seen(written(page(), SCRIPT)), seen(written(page(NASTY), SCRIPT))
    assert nasty.tags == plain.tags
    assert b"<script>alert" not in written(page(NASTY), SCRIPT)


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5)))
def test_json_in_a_page_cannot_end_its_script(values):
    assert not set("<>&") & set(spelled(values))


def test_landmarks_and_captions():
    tags = seen(written(page(), SCRIPT)).tags
    assert [tag for tag in tags if tag in ("header", "nav", "main", "footer", "h1", "h2")] == [
        *("header", "h1", "nav", "main", "h2", "footer"),
    ]
    assert tags.count("caption") == tags.count("table")
    assert tags.count("figcaption") == tags.count("figure") == 1


def test_tables_have_headings_for_columns_and_rows_and_none_that_is_empty():
    def body(table):
        document = Document("t", "s", Verdict("fine", "v"), (Section("one", "t", (table,)),))
        return written(document, SCRIPT).decode().partition("</caption>")[2].partition("</table>")[0]

    named = body(Table("c", ("", "n"), (("a", "1"),)))
    assert named.startswith('<thead><tr><td></td><th scope="col" class="number">n</th></tr></thead>')
    assert '<tr><th scope="row">a</th><td class="number">1</td></tr>' in named
    assert "<thead>" not in body(Table("c", ("", ""), (("a", "1"),)))
    assert 'scope="row"' not in body(Table("c", ("x", "y"), (("1", "2"),), numbers_from=0))


ROWS = [{"a": 1.0, "b": 2.0, "c": "x", "west": 0, "east": 1, "south": 0, "north": 1, "people": 10}]
SPECS = {
    "histogram": charts.histogram(["x", "y"], [10, None], "t"),
    "bars": charts.bars(ROWS, "c", "c", "a"),
    "grouped": charts.grouped(ROWS, "c", "c", "a"),
    "curves": charts.curves(ROWS, "a", "c", "b", x_range=(0, 1)),
    "map": charts.map_of(ROWS, "c", ["x", "y"]),
    "no map": charts.map_of([], "c", ["x"]),
    "heat": charts.heat(ROWS, "a", "b", 0.05, "c", ["x"]),
    "tradeoff": charts.tradeoff(ROWS, "a", "b", "c"),
    "stacked": charts.stacked(ROWS, "c", "c", "a"),
    "ranged": charts.ranged(ROWS, "c", "a", "a", "b"),
    "matrix": charts.matrix(ROWS, "c", "c", "a", ["x"], "c", ["x"]),
    "against": charts.against(ROWS, "a", "b", "c"),
    "curves, logarithmic": charts.curves([{"a": 1, "b": 2, "c": "x"}], "a", "c", "b", x_range=(0, 1), log=True),
}


@pytest.mark.parametrize("name", SPECS)
def test_every_chart_is_what_vega_lite_calls_one(name):
    alt = pytest.importorskip("altair")
    alt.Chart.from_dict(SPECS[name])
