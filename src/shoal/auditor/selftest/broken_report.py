"""Broken on the page: counts of few people, and what is planted between the bytes that belong there."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from shoal.auditor.selftest.broken import Broken, Change, overwrite, say_more, set_
from shoal.auditor.selftest.broken_withheld import together
from shoal.contract.files import PAGE as REPORT
from shoal.contract.page import EDGES, FACTS, LIKENESS, OF_A_THIRD, PEOPLE_BY, THIRDS, floor_of
from shoal.pages.html import around
from shoal.pages.release import release_page

_SCRIPT = b"void 0;"
"""Stands for the one that draws: most of what is broken here is seen without it."""


def page_of(manifest: Mapping[str, Any], *, script: bytes = _SCRIPT, **facts: Any) -> bytes:
    """Write a page; facts that are not given are empty."""
    empty: dict[str, Any] = {name: None if name in ("map", "audit") else {} for name in FACTS}
    thirds = {name: dict.fromkeys(OF_A_THIRD, 50) for name in THIRDS}
    document = release_page(manifest, {**empty, "thirds": thirds, **facts}, floor_of(manifest["promise"]["claim"]))
    before, after = around(document, sha256(script).hexdigest())
    return before + script + after


def _telling(**facts: Any) -> Change:
    return set_("page", lambda manifest: page_of(manifest, **facts))


def _bins(count: int) -> dict[str, list[int | None]]:
    """Nothing told in any bin, except for one."""
    bins: dict[str, list[int | None]] = {name: [None] * (len(EDGES[name]) + 1) for name in PEOPLE_BY["boxes"]}
    bins["position_error_m"][3] = count
    return bins


def _elsewhere() -> dict[str, list[int | None]]:
    """People in boxes that nobody has."""
    bins = _bins(20)
    bins["width_m"][-1] = 40
    return bins


def _planted(old: bytes, new: bytes) -> Change:
    """Let a page say something in one more place."""

    def forged(manifest: Mapping[str, Any]) -> bytes:
        content = page_of(manifest)
        assert old in content
        return content.replace(old, new, 1)

    return set_("page", forged)


_RAW = b"6.1234567,-5.2345678"

PAGE = (
    Broken("a page without numbers", "page.readable", set_("page", b"<p>1,234 people</p>")),
    Broken("a page of a wrong length", "page.readable", set_("page", b"<!doctype html>" * 400_000)),
    Broken(
        "a message among the numbers",
        "page.facts",
        _planted(b'"likeness":{}', b'"likeness":{"near_200_m":"call 555 1234"}'),
    ),
    Broken("a raw value among the numbers", "page.facts", _telling(likeness={LIKENESS[0]: 6.1234567})),
    Broken("a number of another name", "page.facts", _telling(thirds={"sparse": {"left_out": 1, "near": 2, "ann": 3}})),
    Broken("a tile beyond the earth", "page.facts", _telling(map={"side_m": 1_000, "tiles": [[61_234, 0, 20, 1]]})),
    Broken(
        "a check that there is not",
        "page.facts",
        _telling(audit={"pass": ["ann"], "fail": [], "note": [], "not_run": []}),
    ),
    Broken("a count of few people on the page", "page.people", _telling(people_by=_bins(1))),
    Broken("an exact count on the page", "page.rounded", _telling(people_by=_bins(47))),
    Broken("more people on the page than there are", "page.totals", _telling(people_by=_bins(5_000))),
    Broken(
        "shares of few people on the page",
        "page.totals",
        together(say_more("promise", claim={"name": "k-anonymity", "k": 30}), _telling()),
    ),
    Broken("boxes on the page that nobody has", "page.recounted", _telling(people_by=_elsewhere())),
    Broken(
        "a tile on the page where nobody is",
        "page.recounted",
        _telling(map={"side_m": 1_000, "tiles": [[900, 900, 20, 1]]}),
    ),
    Broken("a page with a script of its own", "page.script", _telling(script=b"fetch('//ann')")),
    Broken("a raw value in the data of a chart", "page.written", _planted(b'"%":50', b'"%":50.1234567')),
    Broken(
        "a raw value in a tooltip", "page.written", _planted(b'"tooltip":true', b'"tooltip":{"value":"' + _RAW + b'"}')
    ),
    Broken("a raw value in a comment", "page.written", _planted(b"<main", b"<!-- " + _RAW + b" --><main")),
    Broken("a raw value in an attribute", "page.written", _planted(b"<main", b'<main title="' + _RAW + b'"')),
    Broken(
        "a raw value in a further script",
        "page.written",
        _planted(b"</body>", b"<script>/*" + _RAW + b"*/</script></body>"),
    ),
    Broken(
        "a page that asks the network",
        "page.written",
        _planted(b"</main>", b'<img src="https://ann.example/?x"></main>'),
    ),
    Broken("a page with a looser policy", "page.written", _planted(b"default-src 'none'", b"default-src *")),
    Broken("a wrong digest of the page", "digests.page", _telling(), overwrite(REPORT, b"x")),
)
