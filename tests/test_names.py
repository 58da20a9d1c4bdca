"""No room asks for a mechanism's name: kinds and claims decide."""

import ast
import re
from pathlib import Path

import pytest

from shoal.mechanisms.registry import BUILT_IN

SOURCE = Path(__file__).resolve().parents[1] / "src" / "shoal"
TO_COME = ("kte", "promesse", "geoind", "w4m", "primule", "laplace")
NAMES = re.compile(rf"(?<!\.)({'|'.join([*BUILT_IN, *TO_COME])})(?!istinguish)", re.IGNORECASE)
"""Not behind a dot: numpy draws uniform numbers. Nor the claim of geo-indistinguishability, which any may make."""

ABOUT_ONE_MECHANISM = {
    "contract/parameters.py": "lists what each of the built-in ones publishes",
    "cli/demo.py": "the demo shows one of them",
    "cli/reproduce.py": "a command per paper, and a paper is about one",
}


def code_without_words(path: Path) -> str:
    """The source without comments and docstrings: those are for people."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)] or [ast.Pass()]
    return ast.unparse(tree)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@pytest.mark.parametrize(
    "room",
    ["auditor", "usefulness", "release", "cli", "contract", "attacks", "engines", "recipes", "exports", "dossiers"],
)
def test_no_mechanism_is_asked_for_by_name(room):
    asked = {
        str(path.relative_to(SOURCE)): found.group()
        for path in sorted((SOURCE / room).rglob("*.py"))
        if str(path.relative_to(SOURCE)) not in ABOUT_ONE_MECHANISM
        and (found := NAMES.search(code_without_words(path)))
    }
    assert not asked
