"""A dossier as a page: the same sections in Markdown and in HTML."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from shoal.dossiers.sections import Section, Table, sections
from shoal.pages.html import breakable

TITLE = "Release dossier"
FILL_IN = "…………"
"""Where a person writes."""

_NUMBER = re.compile(r"(–|[\d.,]+%?)( \(|$)")
"""A figure, or a figure with its interval: never broken across lines."""

_STYLE = """
:root { color-scheme: light dark; --line: #8888; --fill: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
.scroll { overflow-x: auto; margin: 0.5rem 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
tbody th { font-weight: normal; }
table.plain th { width: 22rem; min-width: 10rem; }
td.number { white-space: nowrap; }
td.fill { background: var(--fill); min-width: 6rem; height: 2rem; }
table.plain td { overflow-wrap: anywhere; }
@media (max-width: 30rem) { body { padding: 0.75rem; } td:not(.number, .fill) { min-width: 8rem; } }
h2 { margin-top: 2rem; border-bottom: 1px solid var(--line); }
@page { margin: 15mm; }
@media print {
  body { max-width: none; font-size: 9.5pt; padding: 0; }
  .scroll { overflow: visible; }
  table { font-size: 9pt; }
  th, td { padding: 0.2rem 0.35rem; }
  td.fill { min-width: 4rem; }
  h2, thead { break-after: avoid; }
  tr, table.plain { break-inside: avoid; }
}
"""


def markdown(content: Mapping[str, Any]) -> str:
    """Write the dossier as Markdown."""
    lines = [f"# {TITLE}", ""]
    for section in sections(content):
        lines += [f"## {section.title}", ""]
        for part in section.parts:
            lines += [*(_table_lines(part) if isinstance(part, Table) else _text_lines(part)), ""]
    return "\n".join(lines).rstrip() + "\n"


def html(content: Mapping[str, Any]) -> str:
    """Write the dossier as one page: no script, nothing from elsewhere."""
    body = "".join(_section(section) for section in sections(content))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{TITLE}</h1>\n{body}"
        "</main>\n</body>\n</html>\n"
    )


def _text_lines(part: str | Sequence[str]) -> list[str]:
    return [_plain(part)] if isinstance(part, str) else [f"- {_plain(line)}" for line in part]


def _table_lines(table: Table) -> list[str]:
    rows = [[FILL_IN if cell is None else _cell(cell) for cell in row] for row in table.rows]
    return [_line(table.head), _line(["---"] * len(table.head)), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Nothing of a manifest may become markup: a stranger may have written it."""
    return escape(" ".join(text.split()), quote=False).replace("[", "\\[").replace("`", "\\`")


def _section(section: Section) -> str:
    parts = "".join(_table(part) if isinstance(part, Table) else _text(part) for part in section.parts)
    return f"<section>\n<h2>{escape(section.title)}</h2>\n{parts}</section>\n"


def _text(part: str | Sequence[str]) -> str:
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>\n"
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in part)}</ul>\n"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    named = f"<thead><tr>{head}</tr></thead>\n" if any(table.head) else ""
    rows = "".join(f"<tr>{_first(row[0])}{''.join(map(_td, row[1:]))}</tr>\n" for row in table.rows)
    plain = "" if named else ' class="plain"'
    return f'<div class="scroll" tabindex="0"><table{plain}>\n{named}<tbody>\n{rows}</tbody>\n</table></div>\n'


def _first(cell: str | None) -> str:
    return _td(cell) if cell is None else f'<th scope="row">{escape(cell)}</th>'


def _td(cell: str | None) -> str:
    if cell is None:
        return '<td class="fill"></td>'
    number = ' class="number"' if _NUMBER.match(cell) else ""
    return f"<td{number}>{breakable(cell)}</td>"
