"""How results show themselves in a notebook: small plain tables, in the colours of the page that they stand in."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

_CELL = "text-align:left;vertical-align:top;padding:0.1em 1em 0.1em 0"


def number(value: float) -> str:
    """Print a number with three digits that matter.

    >>> number(1234567.0), number(12.345), number(0.01234), number(float("nan"))
    ('1,234,567', '12.3', '0.0123', '–')
    """
    if value != value:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def percent(share: float | None) -> str:
    """Print a share.

    >>> percent(0.1234), percent(None)
    ('12.3%', '–')
    """
    return "–" if share is None else f"{share:.1%}"


def table(title: str, rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """Write a table: everything is escaped, nothing is coloured.

    >>> table("What is in it", [("people", 2)])[:34]
    '<table><caption style="text-align:'
    """
    lines = [f'<table><caption style="{_CELL};font-weight:bold">{escape(title)}</caption>']
    if head:
        lines.append(f"<thead>{_row(head, 'th')}</thead>")
    body = "".join(_row([_text(cell) for cell in row], "td") for row in rows)
    return "".join([*lines, f"<tbody>{body}</tbody></table>"])


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def spreads(title: str, figures: Mapping[str, Mapping[str, float]]) -> str:
    """Write figures that are spread, one per row, with the same quantiles for each."""
    names = list(next(iter(figures.values()), {}))
    rows = [(name, *(figure[q] for q in names)) for name, figure in figures.items()]
    return table(title, rows, ("", *names))


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag} style={_CELL!r}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _text(cell: object) -> str:
    if isinstance(cell, bool) or cell is None:
        return "–" if cell is None else str(cell).lower()
    return f"{cell:,}" if isinstance(cell, int) else number(cell) if isinstance(cell, float) else str(cell)
