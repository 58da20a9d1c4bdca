"""A document as one HTML file that asks nobody for anything: style, script and data are in it.

The policy in its head lets a browser run the two scripts whose digests it names, and load nothing.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import Any

from shoal.pages.document import Block, Code, Document, Figure, List, Section, Table, Text

FACTS_START, SCRIPT_END = '<script type="application/json" id="facts">', "</script>"


def written(document: Document, script: str) -> bytes:
    """Write a page; ``script`` draws the charts."""
    before, after = around(document, hashlib.sha256(script.encode()).hexdigest())
    return before + script.encode() + after


def around(document: Document, script_sha256: str) -> tuple[bytes, bytes]:
    """Write what stands before and after the script that draws, of which the digest is enough."""
    numbers = _Numbers()
    before = [
        _head(document, script_sha256),
        _top(document),
        *(_section(part, numbers) for part in document.sections),
        "</main>\n<footer><p>Made by Shoal. This file asks no network for anything. "
        "A failed attack proves nothing; whether to publish is a decision of people.</p></footer>",
    ]
    if document.facts is not None:
        before.append(f"{FACTS_START}{spelled(document.facts)}{SCRIPT_END}")
    after = f"{SCRIPT_END}\n<script>{_asset('page.js')}{SCRIPT_END}\n</body>\n</html>\n"
    return ("\n".join(before) + "\n<script>").encode(), after.encode()


def _head(document: Document, script_sha256: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(script_sha256)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{escape(document.title)}</title>
<style>{_asset("page.css")}</style>
</head>"""


def _top(document: Document) -> str:
    """What is seen first: who may read it, the verdict, and what is below."""
    verdict = document.verdict
    more = "".join(f"<p>{escape(words)}</p>" for words in verdict.more)
    links = "".join(f'<li><a href="#{part.name}">{escape(part.title)}</a></li>' for part in document.sections)
    return f"""<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="standing">{escape(document.standing)}</p>
<h1>{escape(document.title)}</h1>
<div class="verdict {verdict.tone}" role="note" aria-label="Verdict">
<p class="sentence">{escape(verdict.sentence)}</p>{more}
</div>
</header>
<nav aria-label="On this page"><ol>{links}</ol></nav>
<main id="main">"""


def spelled(values: Mapping[str, Any]) -> str:
    """Spell JSON in the one way in which it stands in a page: nothing in it can end the script around it."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


class _Numbers:
    """Counts the figures of a page."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        self._last += 1
        return self._last


@cache
def _asset(name: str) -> str:
    return (files("shoal.pages") / name).read_text(encoding="utf-8").strip()


def _policy(script_sha256: str) -> str:
    hashes = (bytes.fromhex(script_sha256), hashlib.sha256(_asset("page.js").encode()).digest())
    scripts = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in hashes)
    return f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _section(part: Section, numbers: _Numbers) -> str:
    name, blocks = part.name, "\n".join(_in_runs(part.blocks, numbers))
    heading = f'<h2 id="{name}-title">{escape(part.title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">\n{heading}\n{blocks}\n</section>'


def _in_runs(blocks: tuple[Block, ...], numbers: _Numbers) -> Iterator[str]:
    """Charts that follow each other stand side by side where there is room."""
    for drawn, run in groupby(blocks, key=lambda block: isinstance(block, Figure)):
        html = [_block(block, numbers) for block in run]
        yield '<div class="figures">\n' + "\n".join(html) + "\n</div>" if drawn else "\n".join(html)


def _block(block: Block, numbers: _Numbers) -> str:
    match block:
        case Text(words):
            return f"<p>{escape(words)}</p>"
        case List(items):
            return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"
        case Code(lines):
            text = "\n".join(lines)
            return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'
        case Table(folded=True):
            return f'<details class="folded"><summary>{escape(block.caption)}</summary>{_table(block)}</details>'
        case Table():
            return _table(block)
        case Figure():
            return _figure(block, numbers.next())


def _table(table: Table) -> str:
    def cell(words: str, column: int, scope: str | None) -> str:
        number = ' class="number"' if column >= table.numbers_from else ""
        text = breakable(words)
        # An empty heading would be read aloud as one.
        return f'<th scope="{scope}"{number}>{text}</th>' if scope and words else f"<td{number}>{text}</td>"

    def row(cells: tuple[str, ...]) -> str:
        # What begins with words is named by them; where all are numbers, no cell stands for the row.
        named = "row" if table.numbers_from else None
        return "".join(cell(words, i, None if i else named) for i, words in enumerate(cells))

    head = "".join(cell(words, i, "col") for i, words in enumerate(table.columns)) if any(table.columns) else ""
    body = "".join(f"<tr>{row(cells)}</tr>" for cells in table.rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.caption)}"><table>'
        f"<caption>{escape(table.caption)}</caption>"
        + (f"<thead><tr>{head}</tr></thead>" if head else "")
        + f"<tbody>{body}</tbody></table></div>"
    )


def breakable(words: str) -> str:
    """Escape a cell; names of checks break at their joints, which phones need, and options do not at theirs.

    >>> breakable("attack_points"), breakable("glove --suppress-share 0.05")
    ('attack_<wbr>points', 'glove <span class="option">--suppress-share</span> 0.05')
    """
    text = escape(words)
    return _OPTION.sub(r'<span class="option">\g<0></span>', text) if " " in words else text.replace("_", "_<wbr>")


_OPTION = re.compile(r"--[a-z][a-z-]*")


def _figure(figure: Figure, number: int) -> str:
    aloud = escape(f"{figure.title} {figure.words}")
    return (
        f"<figure>\n<figcaption><strong>{escape(figure.title)}</strong> {escape(figure.words)}</figcaption>\n"
        # The drawing library gives its own element another role, hence two.
        f'<div role="img" aria-label="{aloud}"><div class="chart" id="chart-{number}" aria-hidden="true"></div></div>\n'
        f"<details><summary>{escape(figure.title.rstrip('.'))}, as a table</summary>{_table(figure.table)}</details>\n"
        f'<script type="application/json" id="chart-{number}-data">{spelled(figure.spec)}{SCRIPT_END}\n</figure>'
    )
