"""Pictures of a census: how many of each class there are and where, and who is taken for what."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.pages import charts
from shoal.pages.document import Block, Figure, Table, Text

Census = Mapping[str, Any]
"""``summary`` and ``counts``, as :meth:`shoal.usefulness.sociometer.Census.told` gives them."""

BESIDE: Mapping[str, tuple[str, str, str]] = {
    "against_original": ("Classes of the release beside those of the original.", "original", "release"),
    "against_truth": ("Classes of the profiles beside the true ones.", "truth", "profiles"),
    "release_against_truth": ("Classes of the release beside the true ones.", "truth", "release"),
}
"""What two labellings are set side by side, and what each of them is called."""

_TOWNS = 20
_SHADES = (5, 20, 40, 60, 80)


def beside_the_original(census: Census) -> Iterator[Block]:
    """Draw what a release keeps of a census: counts of each class, and who is taken for what."""
    summary = census["summary"]
    for name in BESIDE:
        if name in summary:
            yield counts_beside(name, summary[name])
            yield confusion(name, summary[name], summary.get("reseeding") or {})
    if "reseeding" in summary:
        yield Text(_CEILING)


_CEILING = (
    "Kept: found again as what they were. Reseeded: what is kept of the very same raw profiles when the clustering "
    "starts elsewhere. No release can be asked to keep more than that."
)


def classes(summary: Mapping[str, Any]) -> Figure:
    """Draw how many profiles there are of each class, and the range over all starts."""
    found = summary["classes"]
    rows = [
        {"class": words(name), "profiles": one["profiles"], "least": one["low"], "most": one["high"]}
        for name, one in found.items()
    ]
    table = tuple(
        (words(name), f"{one['profiles']:,}", f"{one['share']:.1%}", f"{one['low']:,}", f"{one['high']:,}")
        for name, one in found.items()
    )
    title = "How many there are of each class."
    aloud = f"Bars are of the first start of the clustering, lines reach over all {summary['seeds']}."
    columns = ("class", "profiles", "share", "least", "most")
    return Figure(title, aloud, charts.ranged(rows, "class", "profiles", "least", "most"), Table(title, columns, table))


def towns(counts: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the shares of the classes in the largest municipalities."""
    sizes: dict[str, int] = {}
    for one in counts:
        sizes[one["municipality"]] = sizes.get(one["municipality"], 0) + one["profiles"]
    largest = sorted(sizes, key=lambda town: (-sizes[town], town))[:_TOWNS]
    known = {(one["municipality"], one["label"]): one for one in counts}
    names = list(dict.fromkeys(one["label"] for one in counts))
    rows, table = [], []
    for town in largest:
        found = [known[town, name] for name in names]
        rows += [
            {
                "municipality": f"{town} ({sizes[town]:,})",
                "class": words(one["label"]),
                "% of profiles": round(100 * one["profiles"] / max(sizes[town], 1), 1),
            }
            for one in found
        ]
        table.append((town, *(f"{one['profiles']:,} ({one['low']:,}–{one['high']:,})" for one in found)))
    title = "Who is where."
    aloud = "Shares of the classes in each municipality; its profiles stand beside its name."
    if len(sizes) > len(largest):
        aloud += f" These are the largest {len(largest)} of {len(sizes):,}."
    spec = charts.stacked(rows, "municipality", "class", "% of profiles")
    return Figure(title, aloud, spec, Table(title, ("municipality", *map(words, names)), tuple(table)))


def counts_beside(name: str, found: Mapping[str, Any]) -> Figure:
    """Draw how many there are of each class by one labelling and by the other."""
    _, before, after = BESIDE[name]
    matrix = found["matrix"]
    true = {one: sum(row.values()) for one, row in matrix.items()}
    now = {one: sum(row[one] for row in matrix.values()) for one in matrix}
    rows = [
        {"class": words(one), "counted in": data, "profiles": by[one]}
        for one in matrix
        for data, by in ((before, true), (after, now))
    ]
    title = f"Counts of each class: {before} and {after}."
    aloud = "The same people by both. Where bars differ, a census made from the second is off by that much."
    table = tuple((words(one), f"{true[one]:,}", f"{now[one]:,}") for one in matrix)
    spec = charts.grouped(rows, "class", "counted in", "profiles", percent=False)
    return Figure(title, aloud, spec, Table(title, ("class", before, after), table))


def confusion(name: str, found: Mapping[str, Any], ceiling: Mapping[str, Any]) -> Figure:
    """Draw a confusion matrix: of each true class, which share is found as what."""
    title, before, after = BESIDE[name]
    x, y = f"in the {after}", f"in the {before}"
    rows = []
    for one, row in found["matrix"].items():
        total = sum(row.values())
        for other, count in row.items():
            share = 100 * count / total if total else 0.0
            rows.append(
                {x: words(other), y: words(one), "%": round(share), "profiles": count, "% of the row": _shade(share)}
            )
    names = list(found["matrix"])
    kept, reseeded = found["kept"], ceiling.get("kept", {})
    table = tuple(
        (
            words(one),
            *(f"{found['matrix'][one][other]:,}" for other in names),
            _percent(kept[one]),
            _percent(reseeded.get(one)),
            _percent(found["f_score"][one]),
        )
        for one in names
    )
    aloud = (
        f"Of each row the shares in per cent; what stays what it was lies on the diagonal: "
        f"{found['accuracy']:.0%} of {found['profiles']:,} profiles."
    )
    columns = (f"{before} ↓, {after} →", *map(words, names), "kept", "reseeded", "F-score")
    order = [words(one) for one in names]
    return Figure(
        title, aloud, charts.matrix(rows, x, y, "%", order, "% of the row", SHADES), Table(title, columns, table)
    )


SHADES = (*(f"≤ {edge}" for edge in _SHADES), f"> {_SHADES[-1]}")


def _shade(share: float) -> str:
    return next((f"≤ {edge}" for edge in _SHADES if share <= edge), SHADES[-1])


def words(name: str) -> str:
    return name.replace("_", " ")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"
