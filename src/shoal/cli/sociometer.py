"""``shoal sociometer``: a census of residents, commuters and visitors from call profiles."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet, ReadFlags, expand, whole_number


@expand(reading=ReadFlags)
def sociometer(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Call profiles, call records with --cells and --tz, or a release.")
    ],
    *,
    original: Annotated[Path | None, typer.Option(help="The data that the release was made from.")] = None,
    secret: Annotated[
        Path | None, typer.Option(help="Secret directory of the release (default: RELEASE.secret).")
    ] = None,
    truth: Annotated[Path | None, typer.Option(help="True classes, as synth calls writes them.")] = None,
    prototypes: Annotated[str, typer.Option(help="Clusters in a municipality, at most.", metavar="N")] = "100",
    seeds: Annotated[str, typer.Option(help="Starts of k-means, for the uncertainty.", metavar="N")] = "3",
    out: Annotated[
        Path | None, typer.Option(help="Directory for all tables (about people: keep it); must not exist.")
    ] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count residents, dynamic residents, commuters, visitors and passers-by in each municipality.

    With --original, the result is kept in the secret directory of the release, for shoal report.

    Example: shoal sociometer profiles.parquet --truth calls/truth.parquet --out census
    """
    from shoal.files.paths import new_target, secret_beside
    from shoal.usefulness.sociometer import sociometer as run

    if out is not None:
        new_target(out)
    with talk.progress_bars(quiet=quiet or json) as progress:
        census = run(
            data,
            original=original,
            secret=secret,
            truth=truth,
            prototypes=whole_number("--prototypes", prototypes),
            seeds=whole_number("--seeds", seeds),
            options=reading.options(),
            progress=progress,
        )
    if out is not None:
        census.write(out)
    if original is not None:
        census.keep(secret or secret_beside(data))
    if json:
        talk.print_json(census.summary)
    else:
        show(census.summary)
    if out is not None:
        talk.say(f"written: {out} (about people: keep it to yourself)", quiet=quiet or json)


_BESIDE = {
    "against_original": "Classes of the release beside those of the original",
    "against_truth": "Classes of the profiles beside the true ones",
    "release_against_truth": "Classes of the release beside the true ones",
}


def show(summary: dict[str, Any]) -> None:
    """Print the counts, then a confusion matrix for whatever they were compared with."""
    title = f"{summary['profiles']:,} profiles in {summary['municipalities']:,} municipalities"
    table = talk.table(title, "", "profiles", "share", "least", "most")
    for name, figures in summary["classes"].items():
        numbers = (f"{figures[key]:,}" for key in ("low", "high"))
        table.add_row(_words(name), f"{figures['profiles']:,}", f"{figures['share']:.1%}", *numbers)
    talk.out.print(table)
    talk.out.print(f"least and most: over {summary['seeds']} starts of k-means", "", markup=False)
    share = summary.get("commuters_with_a_home_elsewhere")
    if share is not None:
        talk.out.print(f"commuters who are a dynamic resident elsewhere: {share:.1%}", "", markup=False)
    for key, words in _BESIDE.items():
        if key in summary:
            _show_matrix(words, summary[key], summary.get("reseeding") or {})


def _show_matrix(title: str, beside: dict[str, Any], ceiling: dict[str, Any]) -> None:
    names = list(beside["matrix"])
    table = talk.table(title, "actual ↓ found →", *map(_short, names), "kept", "reseeded", "F")
    for name in names:
        row = beside["matrix"][name]
        shares = (beside["kept"][name], ceiling.get("kept", {}).get(name), beside["f_score"][name])
        table.add_row(_words(name), *(f"{row[other]:,}" for other in names), *map(_share, shares))
    talk.out.print(table)
    talk.out.print(
        f"found as they are: {beside['accuracy']:.1%} of {beside['profiles']:,}. reseeded: kept when k-means "
        "starts elsewhere, on the raw profiles",
        "",
        markup=False,
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _short(name: str) -> str:
    return name[:4] + "."
