"""What a page is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Spec = Mapping[str, Any]
"""A Vega-Lite specification with its data."""

Tone = Literal["fine", "careful", "bad"]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    words: str


@dataclass(frozen=True, slots=True)
class List:
    """Points, one below the other."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to be typed."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes
    ----------
    caption
        What it tells.
    columns
        Headings.
    rows
        Cells, spelled.
    numbers_from
        The first column that holds numbers.
    folded
        Shown only when asked for, and in print.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers_from: int = 1
    folded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A chart, in words and as a table too: nobody needs eyes or a mouse for what it tells.

    Attributes
    ----------
    title
        What is drawn.
    words
        What it says: read aloud in place of the picture.
    spec
        The drawing.
    table
        Its numbers.
    """

    title: str
    words: str
    spec: Spec
    table: Table


Block = Text | List | Code | Table | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with a heading of its own; ``name`` is for links."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a manager has to know, in a sentence; ``more`` says what follows from it."""

    tone: Tone
    sentence: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A page.

    Attributes
    ----------
    title
        Its heading.
    standing
        Who may read it.
    verdict
        The first that is read.
    sections
        The rest, in order.
    facts
        The numbers that the page is a function of, for machines; None where it is for the publisher alone.
    """

    title: str
    standing: str
    verdict: Verdict
    sections: tuple[Section, ...]
    facts: Mapping[str, Any] | None = field(default=None)
