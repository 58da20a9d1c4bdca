"""Pages as the house makes them, of every kind of release, with something planted: the audit rejects each of them.

What is planted stands in a page that is otherwise right, byte for byte. The self-test has a release for each condition;
here are many places.
"""

import copy
import hashlib
import json
import re

import pytest

import shoal
from shoal.auditor.case import Case
from shoal.auditor.conditions import COMPLETED
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.auditor.selftest.sound_cells import sound_cells
from shoal.auditor.selftest.sound_smoothing import sound_smoothing
from shoal.contract import page as allowed
from shoal.contract.files import PAGE
from shoal.pages.html import written as page_written
from shoal.pages.release import release_page
from shoal.report.release import public_page
from shoal.report.results import Results

SCRIPT = "void 'draws';"
RAW = "6.1234567,-5.2345678"
ELSEWHERE = "https://collect.example/?home"


@pytest.fixture(autouse=True)
def _known_script(monkeypatch):
    monkeypatch.setitem(allowed.SCRIPTS, hashlib.sha256(SCRIPT.encode()).hexdigest(), "made up")


class Published:
    """A release whose page can be exchanged; opened once."""

    def __init__(self, written):
        shoal.audit(written.release, original=written.original, secret=written.secret)
        shoal.utility(written.release, original=written.original, secret=written.secret).keep(written.secret)
        self.results = Results.of(written.release, written.secret)
        self.document = public_page(self.results)
        self.page = page_written(self.document, SCRIPT).decode()
        self._path, self._case = written.release / PAGE, Case(written.release)

    def audited(self, page):
        """What the audit says about another page."""
        self._path.write_bytes(page if isinstance(page, bytes) else page.encode())
        found = run_checks(self._case, only={"page"})[-1]
        assert COMPLETED not in found.broken
        return found

    def telling(self, facts):
        """The page that is made of other numbers, everywhere on it."""
        floor = allowed.floor_of(self.results.manifest["promise"]["claim"])
        return page_written(release_page(self.results.manifest, facts, floor), SCRIPT)


@pytest.fixture(scope="module", params=[sound_boxes, sound_smoothing, sound_cells], ids=["boxes", "points", "profiles"])
def published(request, tmp_path_factory):
    return Published(request.param(seed=1).write(tmp_path_factory.mktemp("release")))


def let_through(published, planted, condition=None):
    """Names of what was planted and not rejected, by this very condition if there is one."""
    assert published.audited(published.page).status == "pass", "the page itself is fine"
    assert all(page != published.page for page in planted.values())
    found = {name: published.audited(page) for name, page in planted.items()}
    return [
        name
        for name, check in found.items()
        if check.status != "fail" or (condition is not None and condition not in check.broken)
    ]


def put(page, before, words):
    """Put something in front of the first place where a page says so."""
    assert before in page, before
    return page.replace(before, words + before, 1)


def charts_of(page):
    """The data of each chart, as they stand in the page."""
    found = re.findall(r'id="chart-\d+-data">(.*?)</script>', page)
    assert found
    return found


def spelled_again(spec):
    text = json.dumps(spec, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def in_each_chart(page, change):
    """The page with one chart changed, for each chart."""
    for number, text in enumerate(charts_of(page), start=1):
        spec = json.loads(text)
        assert spelled_again(spec) == text
        change(spec)
        yield number, page.replace(text, spelled_again(spec), 1)


# ------------------------------------------------------------------------------------------------------- small counts


def test_no_count_below_k_in_any_bin_or_tile(published):
    floor = allowed.floor_of(published.results.manifest["promise"]["claim"])
    planted = {}
    for few in (1, floor - 1):
        for name, counts in published.document.facts["people_by"].items():
            for place in range(len(counts)):
                facts = copy.deepcopy(published.document.facts)
                facts["people_by"][name][place] = few
                planted[f"{few} people, {name} {place}"] = published.telling(facts)
        if published.document.facts["map"]:
            facts = copy.deepcopy(published.document.facts)
            facts["map"]["tiles"] = [[0, 0, few, 1]]
            planted[f"{few} people in a tile"] = published.telling(facts)
    assert planted
    assert let_through(published, planted, "people") == []


def test_no_count_that_is_exact(published):
    planted = {}
    for name, counts in published.document.facts["people_by"].items():
        place = next(place for place, count in enumerate(counts) if count)
        facts = copy.deepcopy(published.document.facts)
        facts["people_by"][name][place] += 7
        planted[name] = published.telling(facts)
    assert let_through(published, planted, "rounded") == []


def test_numbers_of_the_page_and_of_its_charts_are_the_same(published):
    counted = re.search(r'"people":(\d+)', published.page)
    assert counted
    few = published.page.replace(counted[0], '"people":3', 1)
    assert let_through(published, {"3 people in a chart": few}) == []


# --------------------------------------------------------------------------------------------------------- raw values


def test_no_raw_value_in_the_data_of_any_chart(published):
    def row(spec):
        spec["data"]["values"].append({"uid": "ann", "at": RAW})

    def field(spec):
        spec["data"]["values"][0]["at"] = RAW

    def beside(spec):
        spec["datasets"] = {"more": [{"at": RAW}]}

    planted = {
        f"{change.__name__}, chart {number}": page
        for change in (row, field, beside)
        for number, page in in_each_chart(published.page, change)
    }
    assert let_through(published, planted) == []


def test_no_raw_value_in_any_tooltip(published):
    def tooltip(spec):
        marks = [layer["mark"] for layer in spec.get("layer", [spec])]
        for mark in marks:
            mark["tooltip"] = {"content": RAW}

    def encoded(spec):
        spec.setdefault("encoding", {})["tooltip"] = {"value": RAW}

    def described(spec):
        spec["description"] = RAW

    planted = {
        f"{change.__name__}, chart {number}": page
        for change in (tooltip, encoded, described)
        for number, page in in_each_chart(published.page, change)
    }
    assert let_through(published, planted) == []


COMMENTED = ("<!doctype", "<html", "<head>", "<style>", "<body>", "<p>", "<main", "<table>", "</main>", "</html>")
TAGS = ("html", "meta", "body", "main", "section", "p", "a", "table", "td", "th", "script")
ATTRIBUTES = ("title", "data-home", "style", "onclick", "aria-label")


def test_no_raw_value_in_a_comment(published):
    planted = {before: put(published.page, before, f"<!-- {RAW} -->") for before in COMMENTED}
    planted["in the style"] = put(published.page, ":root", f"/* {RAW} */")
    planted["at the end"] = published.page + f"<!-- {RAW} -->"
    assert let_through(published, planted) == []


def test_no_raw_value_in_an_attribute(published):
    ends = {tag: re.search(rf"<{tag}(?=[ >])", published.page).end() for tag in TAGS}
    planted = {
        f"{tag} {name}": published.page[:end] + f' {name}="{RAW}"' + published.page[end:]
        for tag, end in ends.items()
        for name in ATTRIBUTES
    }
    assert let_through(published, planted) == []


def test_no_raw_value_in_a_script(published):
    page = published.page
    planted = {
        "a further script": put(page, "</body>", f"<script>/*{RAW}*/</script>"),
        "further data": put(page, "</body>", f'<script type="application/json">["{RAW}"]</script>'),
        "in the one that draws": put(page, SCRIPT, f"/*{RAW}*/"),
        "in our own": put(page, '"use strict";', f"/*{RAW}*/"),
        "among the facts": page.replace('id="facts">{', f'id="facts">{{"at":"{RAW}",', 1),
        "facts twice": put(page, "</body>", page[page.index('<script type="application/json" id="facts">') :][:60]),
    }
    assert let_through(published, planted) == []


def test_no_word_that_nobody_sees(published):
    page = published.page
    planted = {
        "letters of no width": page.replace("<p>", "<p>\u200b\u200c\u200b", 1),
        "spaces": page.replace("<p>", "<p>  ", 1),
        "another spelling": page.replace("<p>", "<P>", 1),
        "an entity": page.replace("people", "p&#101;ople", 1),
        "a line at the end": page + "\n",
        "bytes at the end": page.encode() + b"\x00\x01",
        "a mark at the start": b"\xef\xbb\xbf" + page.encode(),
        "another end of lines": page.replace("\n", "\r\n"),
        "no title": re.sub("<title>.*?</title>", f"<title>{RAW}</title>", page),
    }
    assert let_through(published, planted) == []


# -------------------------------------------------------------------------------------------------------- the network


ASKING = (
    f'<img src="{ELSEWHERE}">',
    f'<img srcset="{ELSEWHERE} 2x">',
    f'<link rel="stylesheet" href="{ELSEWHERE}">',
    f'<link rel="preconnect" href="{ELSEWHERE}">',
    f'<link rel="dns-prefetch" href="{ELSEWHERE}">',
    f'<script src="{ELSEWHERE}"></script>',
    f'<iframe src="{ELSEWHERE}"></iframe>',
    f'<object data="{ELSEWHERE}"></object>',
    f'<embed src="{ELSEWHERE}">',
    f'<video poster="{ELSEWHERE}"></video>',
    f'<svg><image href="{ELSEWHERE}"/></svg>',
    f'<form action="{ELSEWHERE}"><button>more</button></form>',
    f'<a href="{ELSEWHERE}">more</a>',
    f'<a href="#main" ping="{ELSEWHERE}">more</a>',
    f'<base href="{ELSEWHERE}">',
    f'<meta http-equiv="refresh" content="0;url={ELSEWHERE}">',
    f'<style>@import "{ELSEWHERE}";</style>',
    f'<p style="background:url({ELSEWHERE})">more</p>',
    f"<script>fetch('{ELSEWHERE}')</script>",
    f"<p onclick=\"location='{ELSEWHERE}'\">more</p>",
)


def test_nothing_that_asks_the_network(published):
    planted = {
        f"{tag} before {place}": put(published.page, place, tag) for tag in ASKING for place in ("</head>", "</main>")
    }
    assert let_through(published, planted) == []


def test_no_chart_that_asks_the_network_and_no_looser_policy(published):
    def data(spec):
        spec["data"]["url"] = ELSEWHERE

    def image(spec):
        spec["mark"] = {"type": "image", "url": ELSEWHERE}

    def link(spec):
        spec.setdefault("encoding", {})["href"] = {"value": ELSEWHERE}

    planted = {
        f"{change.__name__}, chart {number}": page
        for change in (data, image, link)
        for number, page in in_each_chart(published.page, change)
    }
    policy = re.search(r'<meta http-equiv="Content-Security-Policy".*?>', published.page)[0]
    planted["no policy"] = published.page.replace(policy, "")
    planted["a loose policy"] = published.page.replace("default-src 'none'", "default-src *")
    assert let_through(published, planted) == []
    another = {
        "another script, and a policy that lets it run": page_written(published.document, f"fetch('{ELSEWHERE}')")
    }
    assert let_through(published, another, "script") == []
