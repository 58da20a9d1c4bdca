"""What built pages would ask a network for when they are opened: nothing. Links that somebody follows are fine."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

_ELSEWHERE = re.compile(r"\s*(?:https?:|wss?:)?//", re.IGNORECASE)
_LOADING = ("src", "srcset", "data", "poster", "background", "action")
_STYLES = re.compile(r"(?:@import\s+|url\()\s*[\"']?\s*(?:https?:)?//[^\"')\s]+", re.IGNORECASE)
_CALLS = r"fetch|import|importScripts|XMLHttpRequest|open|sendBeacon|WebSocket|EventSource|Worker"
_SCRIPTS = re.compile(rf"(?:{_CALLS})\s*\(\s*(?:[\"'][A-Z]+[\"'],\s*)?[\"'`](?:(?:https?|wss?):)?//[^\"'`]+")


class _Page(HTMLParser):
    """Finds what a page loads: addresses elsewhere in attributes that load, in styles and in scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        loading = (*_LOADING, "href", "xlink:href") if tag in ("link", "image", "use", "script") else _LOADING
        for name, value in attrs:
            if name in loading and any(_ELSEWHERE.match(part) for part in (value or "").split(",")):
                self.found.append(f"<{tag} {name}={value}>")
            if name == "style":
                self.found += _STYLES.findall(value or "")

    def handle_data(self, data: str) -> None:
        self.found += _STYLES.findall(data) if self.lasttag == "style" else []
        self.found += _SCRIPTS.findall(data) if self.lasttag == "script" else []


def asked_for(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every page, style, script and picture of a site that would load something from elsewhere, and what."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".html", ".css", ".js", ".svg"):
            continue
        for found in requests_in(path.suffix, path.read_text(encoding="utf-8")):
            yield path.relative_to(folder), found


def requests_in(suffix: str, text: str) -> list[str]:
    if suffix == ".css":
        return _STYLES.findall(text)
    if suffix == ".js":
        return _SCRIPTS.findall(text)
    page = _Page()
    page.feed(text)
    return page.found
