"""Each page in a real browser: it asks nobody, paints its charts, and can be used by eye, keyboard, phone and paper."""

import base64
from contextlib import contextmanager

import pytest

from browser.conftest import SHOTS

pytestmark = pytest.mark.slow

NAMES = ("release", "published", "points", "profiles", "census", "measure", "comparison")
WIDE, PHONE = {"width": 1100, "height": 900}, {"width": 390, "height": 844}
PAPER = {"width": 680, "height": 1000}
"""What is printed on of A4, within its margins."""

COLOURS = """async (picture) => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const seen = new Map(), pixels = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  for (const pixel of pixels) seen.set(pixel, (seen.get(pixel) || 0) + 1);
  return [...seen.values()].sort((a, b) => b - a).map((n) => n / pixels.length);
}"""
"""Shares of the pixels of a picture, by colour."""


@contextmanager
def opened(browser, path, **how):
    """Open a page and wait until it is drawn; it must not ask for anything nor complain."""
    page, asked, said = browser.new_page(**how), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda fault: said.append(str(fault)))
    try:
        page.goto(path.as_uri())
        if path.stem != "dossier":
            page.wait_for_selector("html[data-drawn]", timeout=120_000)
        yield page
        assert asked == [path.as_uri()]
        assert said == []
    finally:
        page.close()


@pytest.mark.parametrize("name", NAMES)
def test_charts_are_painted_and_nobody_is_asked(browser, pages, name):
    assert pages[name].stat().st_size <= 5_000_000
    with opened(browser, pages[name], viewport=WIDE) as page:
        page.screenshot(path=SHOTS / f"{name}-light.png", full_page=True)
        charts = page.query_selector_all(".chart[data-drawn] svg")
        assert len(charts) == len(page.query_selector_all("figure")) > 0
        blank = browser.new_page()
        for chart in charts:
            shares = blank.evaluate(COLOURS, base64.b64encode(chart.screenshot()).decode())
            assert len(shares) > 10, "letters and shapes have many colours"
            assert shares[0] < 0.995, "something is drawn on the ground"
            assert sum(shares[1:4]) > 0.002, "and it is no mere hair line"
        blank.close()


@pytest.mark.parametrize("name", NAMES)
def test_on_a_phone_nothing_runs_out_of_the_side(browser, pages, name):
    with opened(browser, pages[name], viewport=PHONE) as page:
        page.screenshot(path=SHOTS / f"{name}-phone.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        widths = page.evaluate(
            "[...document.querySelectorAll('.chart svg')].map((s) => s.getBoundingClientRect().right)"
        )
        assert max(widths) <= PHONE["width"]


@pytest.mark.parametrize("name", ["release", "comparison"])
def test_in_the_dark_letters_are_light(browser, pages, name):
    light = "(colour) => colour.match(/\\d+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 3"
    with opened(browser, pages[name], viewport=WIDE, color_scheme="dark") as page:
        page.screenshot(path=SHOTS / f"{name}-dark.png", full_page=True)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        letters = page.evaluate("getComputedStyle(document.querySelector('.chart svg text')).fill")
        assert page.evaluate(light, ground) < 60
        assert page.evaluate(light, letters) > 130


def test_by_keyboard_alone(browser, pages):
    with opened(browser, pages["release"], viewport=WIDE) as page:
        focused = "document.activeElement.textContent"
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("location.hash") == "#main"
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.tagName") == "SUMMARY":
                break
        assert page.evaluate("document.activeElement.parentElement.open") is False
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.parentElement.open") is True
        assert page.evaluate("document.activeElement.parentElement.querySelector('table').offsetHeight") > 0


def test_read_aloud_every_chart_has_words_and_numbers(browser, pages):
    with opened(browser, pages["published"], viewport=WIDE) as page:
        words = page.evaluate("[...document.querySelectorAll('[role=img]')].map((c) => c.getAttribute('aria-label'))")
        assert all(len(aloud) > 20 for aloud in words)
        tables = page.evaluate("[...document.querySelectorAll('figure table')].map((t) => t.rows.length)")
        assert len(tables) == len(words)
        assert min(tables) > 1
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((h) => h.tagName)")
        assert levels == ["H1", *["H2"] * (len(levels) - 1)]


def test_on_paper(browser, pages):
    with opened(browser, pages["release"], viewport=WIDE, color_scheme="dark") as page:
        paper = page.pdf(format="A4")
        (SHOTS / "release.pdf").write_bytes(paper)
        assert paper.startswith(b"%PDF")
        assert paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") + paper.count(b"/Type/Page") > 1
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"


@pytest.mark.parametrize("name", ["release", "comparison", "dossier"])
def test_no_table_or_chart_is_cut_off_on_paper(browser, pages, name):
    with opened(browser, pages[name], viewport=PAPER) as page:
        page.emulate_media(media="print")
        seen = "[...document.querySelectorAll('table, .scroll, svg, pre')].filter((e) => e.checkVisibility())"
        assert max(page.evaluate(f"{seen}.map((e) => e.getBoundingClientRect().right)")) <= PAPER["width"]
        assert page.evaluate(f"{seen}.filter((e) => e.scrollWidth > e.clientWidth + 1).length") == 0


def test_a_chart_alone_is_as_wide_as_the_paper(browser, pages):
    with opened(browser, pages["release"], viewport=PAPER) as page:
        page.emulate_media(media="print")
        alone = "[...document.querySelectorAll('.figures figure:only-child')].map((f) => f.offsetWidth)"
        widths = page.evaluate(alone)
        assert widths
        assert min(widths) > 0.9 * PAPER["width"]


def test_a_dossier_on_a_phone(browser, pages):
    with opened(browser, pages["dossier"], viewport=PHONE) as page:
        page.screenshot(path=SHOTS / "dossier-phone.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((h) => h.tagName)")
        assert levels == ["H1", *["H2"] * (len(levels) - 1)]
