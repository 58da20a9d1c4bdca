"""Notebooks as plain Python: cells that start with ``# %%`` are run, and become a page with what they gave.

Editors and Jupyter (with jupytext) open the same files as notebooks. Only synthetic people are ever in them.
"""

import ast
import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

_CELL = re.compile(r"^# %%(?P<kind> \[markdown\])?\n", re.MULTILINE)


def page_of(notebook: Path) -> str:
    """Run a notebook in an empty directory, and write what it says, does and gives as Markdown."""
    parts, namespace = [], {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ["XDG_STATE_HOME"] = folder
        for is_text, cell in cells(notebook.read_text(encoding="utf-8")):
            parts.append(
                _text(cell) if is_text else f"```python\n{cell}\n```\n\n{_given(cell, notebook.name, namespace)}"
            )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def cells(source: str) -> Iterator[tuple[bool, str]]:
    """Find the cells, and whether each is text."""
    marks = list(_CELL.finditer(source))
    ends = [mark.start() for mark in marks[1:]] + [len(source)]
    for mark, end in zip(marks, ends, strict=True):
        yield mark["kind"] is not None, source[mark.end() : end].strip()


def _text(cell: str) -> str:
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in cell.splitlines())


def _given(cell: str, name: str, namespace: dict[str, Any]) -> str:
    """Run a cell; return what it printed, and what its last expression is."""
    tree = ast.parse(cell, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, name, "exec"), namespace)
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace) if last else None
    printed = f'<pre style="white-space:pre-wrap">{escape(said.getvalue())}</pre>' if said.getvalue() else ""
    shown = "" if value is None else value._repr_html_() if hasattr(value, "_repr_html_") else None
    html = printed + (f"<pre>{escape(repr(value))}</pre>" if shown is None else shown)
    return f'```{{raw}} html\n<div class="given" style="overflow-x:auto">{html}</div>\n```' if html else ""
