"""The one table at the end of `make bench`.

    python benchmarks/figures/show.py [--keep TAG] [--then build/bench.jsonl of another checkout]

Work, ratio, CPU seconds and gigabytes, and the same at the last tag, or as another checkout has noted them on this
machine. `--keep` makes the figures of this run those of a tag, in `last.json`: works not run keep what they had.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from noted import NOTED, noted

LAST = Path(__file__).resolve().parent / "last.json"


def rows(now: dict[str, dict[str, Any]], last: dict[str, dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Return cells of the table: what is not known is a dash."""
    for work, figures in now.items():
        before = last.get(work, {})
        pairs = (
            (_shown(figures.get(name)), _shown(before.get(name)), times)
            for name, times in (("ratio", "×"), ("cpu_s", ""), ("gb", ""))
        )
        cells = [cell for here, then, times in pairs for cell in (_with(here, times), _with(then, times))]
        yield (work, *cells, figures.get("to", ""))


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _with(shown: str, times: str) -> str:
    return shown if shown == "–" else shown + times


def kept(tag: str, now: dict[str, dict[str, Any]], before: dict[str, Any]) -> dict[str, Any]:
    """Return what `last.json` holds after a tag."""
    return {"tag": tag, "figures": dict(sorted((before["figures"] | now).items()))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="TAG", help="make these the figures of a tag")
    parser.add_argument("--then", metavar="FILE", type=Path, help="what another checkout has noted")
    args = parser.parse_args()
    now, last = noted(NOTED), json.loads(LAST.read_text(encoding="utf-8"))
    if args.keep:
        LAST.write_text(json.dumps(kept(args.keep, now, last), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    if args.then:
        last = {"tag": args.then, "figures": noted(args.then)}
    head = ("work", "ratio", "then", "CPU s", "then", "GB", "then", "ratio to")
    table = [head, *rows(now, last["figures"])]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    print(f"\nthen: at {last['tag']}" if last["tag"] else "\nthen: no tag has figures yet")
    for row in table:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True))
        print("  ".join((row[0].ljust(widths[0]), *numbers, row[-1])).rstrip())


if __name__ == "__main__":
    main()
