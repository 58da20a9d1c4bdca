"""The page of a measure directory: how hard these people are to hide, and why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.pages import charts
from shoal.pages.document import Block, Code, Document, Figure, Section, Table, Text, Verdict

Values = Mapping[str, Any]

_ANATOMY = {
    "temporal_above_spatial": "time costs more than place",
    "temporal_at_least_80_percent": "time is 80 % of the cost or more",
    "temporal_is_all": "time is all of the cost",
}
_END = 0.6
"""No k-gap of real people is much beyond it."""


def measure_page(summary: Values, binned: Values, meanings: Sequence[str]) -> Document:
    """Make the page.

    Parameters
    ----------
    summary
        What ``summary.json`` holds.
    binned
        Shares and counts of people in public bins.
    meanings
        What the k-gaps mean, a sentence for each k.
    """
    sections = (
        Section("gaps", "How hard people are to hide", tuple(_gaps(binned, meanings))),
        Section("why", "Why: place or time", tuple(_why(summary, binned))),
        *(
            [Section("levels", "If everything is made coarser", tuple(_levels(summary["levels"])))]
            if "levels" in summary
            else []
        ),
        Section("repeat", "How to repeat it", (Code((_command(summary), "shoal report DIR --out FILE.html")),)),
    )
    title = f"How hard {summary['people']:,} people are to hide"
    return Document(title, "Shoal · About people: do not hand this page on", _verdict(summary), sections)


def _command(summary: Values) -> str:
    levels = " --levels" if "levels" in summary else ""
    return f"shoal measure DATA --k {','.join(summary['kgap'])}{levels} --out DIR"


def _verdict(summary: Values) -> Verdict:
    k, deciles = next(iter(summary["kgap"].items()))
    others = "another person" if k == "2" else f"{int(k) - 1} others"
    alone = sum(value > 0 for value in deciles[:10]) * 10
    who = "Nearly everybody here looks" if alone == 100 else f"About {alone} % of the people here look"
    words = f"{who} like nobody else: as they are, these data single people out."
    if alone < 50:
        words = f"Most people here look exactly like {others} already."
    more = "Removing names is not enough; the k-gap below says how much the data would have to be blurred."
    return Verdict("careful" if alone else "fine", words, (more,))


def _gaps(binned: Values, meanings: Sequence[str]) -> Iterator[Block]:
    yield Text(
        "The k-gap says how far a person's data must be stretched to look like k - 1 others: "
        "0 is hidden already, 1 cannot be hidden."
    )
    for words in meanings:
        yield Text(words)
    rows = [
        {"k-gap": step, "k": f"k = {k}", "% of people": round(100 * share, 2)}
        for k, shares in binned["shares"].items()
        for step, share in zip(binned["steps"], shares, strict=True)
        if step <= _END
    ]
    table = tuple(
        (f"{step:g}", *(f"{100 * shares[i]:.1f}" for shares in binned["shares"].values()))
        for i, step in enumerate(binned["steps"])
        if i % 5 == 0 and step <= _END
    )
    title = "People with a k-gap of at most so much."
    words = "The farther to the left a curve rises, the easier it is to hide people among k."
    spec = charts.curves(rows, "k-gap", "k", "% of people", x_range=(0, _END))
    yield Figure(title, words, spec, Table(title, ("k-gap", *(f"k = {k}, %" for k in binned["shares"])), table))


def _why(summary: Values, binned: Values) -> Iterator[Block]:
    k = next(iter(binned["parts"]))
    rows = [{_PLACE: x, _TIME: y, "people": _shade(n), "number": n} for x, y, n in binned["parts"][k]]
    title = f"What the stretch is made of, k = {k}."
    words = (
        "Each cell holds people with so much of the stretch in place (to the right) and in time (upwards). "
        "Above the diagonal it is time that gives them away."
    )
    most = sorted(binned["parts"][k], key=lambda cell: -cell[2])[:15]
    table = tuple((f"{x:g}", f"{y:g}", f"{n:,}") for x, y, n in most)
    spec = charts.heat(rows, _PLACE, _TIME, 0.05, "people", _SHADES)
    yield Figure(
        title,
        words,
        spec,
        Table("The cells of most people", ("place from", "time from", "people"), table, numbers_from=0),
    )
    sizes = list(summary["anatomy"])
    shares = tuple((words, *(f"{summary['anatomy'][k][key]:.1%}" for k in sizes)) for key, words in _ANATOMY.items())
    yield Table("Share of people for whom", ("", *(f"k = {k}" for k in sizes)), shares)


_PLACE, _TIME = "part of the k-gap from place", "part of the k-gap from time"
_LEAST = (1, 3, 10, 30, 100, 300)
_SHADES = tuple(f"{n} or more" for n in _LEAST)


def _shade(people: int) -> str:
    return next(f"{n} or more" for n in reversed(_LEAST) if people >= n)


def _levels(levels: Sequence[Values]) -> Iterator[Block]:
    yield Text("Each level is a grid that everything is snapped to. Coarser data hide more people, and are worth less.")
    named = [{**level, "grid": f"{level['cell_m'] / 1000:g} km, {level['minutes']} min"} for level in levels]
    first = min(level["k"] for level in named)
    rows = [
        {"k-gap": value, "grid": level["grid"], "% of people": 10 * i}
        for level in named
        if level["k"] == first
        for i, value in enumerate(level["deciles"])
    ]
    title = f"k-gap on coarser grids, k = {first}."
    spec = charts.curves(rows, "k-gap", "grid", "% of people", x_range=(0, _END))
    table = tuple((level["grid"], str(level["k"]), f"{level['share_anonymous']:.1%}") for level in named)
    yield Figure(
        title,
        "Share of people with a k-gap of at most so much.",
        spec,
        Table("People who are hidden at each level", ("grid", "k", "hidden"), table),
    )
