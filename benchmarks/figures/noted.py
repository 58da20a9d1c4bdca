"""A benchmark notes what it found: a line of JSON for each piece of work, which `show.py` makes a table of."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTED = ROOT / "build" / "bench.jsonl"


def note(
    work: str, *, ratio: float | None = None, to: str = "", cpu_s: float | None = None, gb: float | None = None
) -> None:
    """Append a line.

    Parameters
    ----------
    work
        What was done, with its size: the same name is the same work at the next tag.
    ratio, to
        How many times something known, measured in the same run, and what that is.
    cpu_s, gb
        CPU seconds, and peak memory of a process that did nothing else.
    """
    figures: dict[str, Any] = {"ratio": ratio, "to": to, "cpu_s": cpu_s, "gb": gb}
    NOTED.parent.mkdir(exist_ok=True)
    with NOTED.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"work": work, **{name: value for name, value in figures.items() if value}}) + "\n")


def noted(path: Path) -> dict[str, dict[str, Any]]:
    """Read the figures of each work; the last line of a work counts."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line.pop("work"): line for line in lines}
