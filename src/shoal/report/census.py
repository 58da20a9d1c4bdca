"""The page of a census from call profiles: how many of each class there are, where, and how sure that is."""

from collections.abc import Iterator
from typing import Any

from shoal.pages.census import Census, beside_the_original, classes, towns, words
from shoal.pages.document import Block, Code, Document, Section, Text, Verdict


def census_page(census: Census) -> Document:
    """Make the page from what :meth:`shoal.usefulness.sociometer.Census.told` gives."""
    summary = census["summary"]
    title = f"A census of {summary['profiles']:,} call profiles in {summary['municipalities']:,} municipalities"
    sections = [
        Section("counts", "How many there are", (classes(summary), towns(census["counts"]))),
        Section("sure", "How sure that is", tuple(_sure(census))),
        Section("repeat", "How to repeat it", (Code(("shoal sociometer DATA --out DIR", "shoal report DIR")),)),
    ]
    standing = "Shoal · About people, and some counts are of few: do not hand this page on"
    return Document(title, standing, _verdict(summary), tuple(sections))


def _verdict(summary: dict[str, Any]) -> Verdict:
    most = max(summary["classes"], key=lambda name: summary["classes"][name]["profiles"])
    share = summary["classes"][most]["share"]
    sentence = f"The largest class is “{words(most)}”, with {share:.0%} of the profiles."
    beside = next((summary[name] for name in ("release_against_truth", "against_truth") if name in summary), None)
    beside, than = (beside, "the truth") if beside else (summary.get("against_original"), "the original")
    found = f"{beside['accuracy']:.0%} of the profiles have the same class as in {than}." if beside else _NOTHING_BESIDE
    counts = "Counts are of customers of one operator who called: weigh them before you compare them with registers."
    return Verdict("careful", sentence, (found, counts))


_NOTHING_BESIDE = "Nothing was set beside it: how many of the classes are right is unknown."


def _sure(census: Census) -> Iterator[Block]:
    yield Text(
        "Classes come out of a clustering that ends elsewhere when it starts elsewhere. "
        "Where least and most are far apart, do not publish the class."
    )
    yield from beside_the_original(census)
