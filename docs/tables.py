"""Write the tables of the docs that follow from declarations; with --check only say which are out of date.

A table stands between two marks in a page, `<!-- table: NAME -->` and `<!-- end -->`.
"""

import json
import re
import sys
from dataclasses import MISSING, fields
from pathlib import Path

from shoal.mechanisms import registry
from shoal.mechanisms.base import Mechanism
from shoal.mechanisms.options import options_of
from shoal.recipes.sections import ALL, COMPARE, KEYS, REQUIRED

DOCS = Path(__file__).parent
MARKED = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def mechanisms() -> str:
    """What each mechanism takes, gives and claims."""
    rows = ["| Mechanism | Works on | Publishes | What it does |", "| --- | --- | --- | --- |"]
    for name in sorted(registry.BUILT_IN):
        found = registry.find(name)
        rows.append(f"| `{name}` | `{found.takes.__name__}` | {found.gives.name} | {found.summary} |")
    return "\n".join(rows) + "\n"


def options() -> str:
    """The options of each mechanism, with defaults and limits."""
    of_all = {field.name for field in fields(Mechanism)}
    parts = []
    for name in sorted(registry.BUILT_IN):
        rows = [f"`shoal protect {name}`", "", "| Option | Default | | Allowed |", "| --- | --- | --- | --- |"]
        for parameter, option, default in options_of(registry.find(name)):
            if parameter in of_all:
                continue
            shown = "required" if default is MISSING else "off" if default is None else f"`{_plain(default)}`"
            typed = f"`--{parameter.replace('_', '-')} {option.unit}`".replace("|", "\\|")
            rows.append(f"| {typed} | {shown} | {option.help} | {option.expected} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def recipe() -> str:
    """The sections of a recipe and their keys."""
    parts = []
    for section in ALL:
        heading = f"`[[{section}]]`, any number of them" if section == COMPARE else f"`[{section}]`"
        rows = [f"{heading}, {'needed' if section in REQUIRED else 'may be left out'}"]
        if KEYS[section]:
            rows += ["", "| Key | Default | | A value |", "| --- | --- | --- | --- |"]
        for key in KEYS[section]:
            default = "needed" if key.required else "" if key.default is None else f"`{json.dumps(key.default)}`"
            rows.append(f"| `{key.name}` | {default} | {key.help} | {key.kind.words} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


TABLES = {"mechanisms": mechanisms, "options": options, "recipe": recipe}


def main() -> int:
    check, stale = "--check" in sys.argv, []
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        made = MARKED.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)
        if made != text:
            stale.append(str(page.relative_to(DOCS)))
            if not check:
                page.write_text(made, encoding="utf-8")
    for name in stale:
        print(f"{'out of date' if check else 'written'}: {name}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
