"""``shoal demo``: the whole job on synthetic people, and where to look afterwards."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import audit as audit_command
from shoal.cli import inspect as inspect_command
from shoal.cli import measure as measure_command
from shoal.cli import protect as protect_command
from shoal.cli import report as report_command
from shoal.cli import talk
from shoal.cli import utility as utility_command
from shoal.cli.flags import Json
from shoal.errors import OutputError

_USERS, _DAYS, _SHARE = 2_000, 14, 0.05


def demo(
    *,
    out: Annotated[Path, typer.Option(help="Directory to write; must not exist.")] = Path("shoal-demo"),
    json: Json = False,
) -> None:
    """Run the whole job on built-in synthetic data: make, inspect, measure, protect, audit, a page to look at.

    Every step prints the command that does the same. The ledger is neither read nor written. Exits with 3 where the
    audit finds a broken promise.

    Example: shoal demo --out shoal-demo
    """
    import pyarrow.parquet as pq

    from shoal import synth
    from shoal.auditor import audit
    from shoal.data import read_with_report
    from shoal.measurement.directory import write
    from shoal.measurement.kgap import measure
    from shoal.measurement.overview import overview
    from shoal.mechanisms.glove import Glove
    from shoal.mechanisms.run import protect
    from shoal.usefulness import utility

    if out.exists():
        raise OutputError(f"'{out.name}' exists", expected="a new directory", hint="remove it, or choose another --out")
    out.mkdir(parents=True)
    events, release = out / "events.parquet", out / "release"
    told = _Told(as_json=json)

    told.step(f"shoal synth cdr --preset civ --users {_USERS} --days {_DAYS} --out {events}")
    with talk.progress_bars(quiet=json) as progress:
        pq.write_table(synth.cdr(_USERS, _DAYS, preset="civ", progress=progress), events)

    told.step(f"shoal inspect {events}")
    traces, report = read_with_report(events)
    found = overview(traces, report)
    told.result("inspect", found.to_dict(), lambda _: inspect_command.show(found))

    measured = out / "measured"
    told.step(f"shoal measure {events} --k 2,5 --out {measured}")
    with talk.progress_bars(quiet=json) as progress:
        result = measure(traces, (2, 5), progress=progress)
    write(result, measured)
    told.result("measure", result.summary, measure_command.show)

    told.step(f"shoal protect glove {events} --k 2 --suppress-share {_SHARE} --out {release}")
    mechanism, secret = Glove(k=2, suppress_share=_SHARE), release.with_name("release.secret")
    with talk.progress_bars(quiet=json) as progress:
        written = protect(traces, mechanism, release, secret=secret, record=False, progress=progress)
    words = mechanism.promise.holds
    told.result("protect", protect_command.result_of(written), lambda _: talk.out.print(f"{words}\n", markup=False))

    told.step(f"shoal utility {release} --original {events} --secret {secret}")
    useful = utility(release, original=traces, secret=secret)
    useful.keep(secret)
    told.result("utility", useful.to_dict(), utility_command.show)

    told.step(f"shoal audit {release} --original {events} --secret {secret}")
    with talk.progress_bars(quiet=json) as progress:
        verdict = audit(release, original=events, secret=secret, progress=progress)
    told.result("audit", verdict.to_dict(), audit_command.show)

    told.step(f"shoal report {release}")
    page = _page(release, secret)
    told.result("report", page, lambda made: talk.out.print(f"{made.get('page') or made['missing']}\n", markup=False))

    told.end(
        {
            **({page["page"]: "START HERE: one page to look at, in a browser"} if "page" in page else {}),
            f"{measured}/": "how hard each of them is to hide: about people, keep it",
            str(release / "data.parquet"): "what strangers would get",
            str(release / "manifest.json"): "what is said and promised about it",
            f"{secret}/": "who is who, and the audit: keep it to yourself",
        }
    )
    if not verdict.ok:
        raise typer.Exit(audit_command.BROKEN)


def _page(release: Path, secret: Path) -> dict[str, str]:
    """Make the page, or say what is missing for it."""
    from shoal.pages.tools import INSTALL, available
    from shoal.report.results import Results

    if not available():
        return {"missing": f"no page: nothing here that draws charts. {INSTALL}"}
    return {"page": str(report_command.release_page(Results.of(release, secret), None))}


class _Told:
    """What is printed as it comes, or all at once for programs."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._results: dict[str, Any] = {}

    def step(self, command: str) -> None:
        if not self._as_json:
            talk.out.print(f"[bold cyan]$[/] [bold]{command}[/]", soft_wrap=True)

    def result(self, name: str, result: dict[str, Any], show: Callable[[dict[str, Any]], None]) -> None:
        self._results[name] = result
        if not self._as_json:
            show(result)

    def end(self, places: dict[str, str]) -> None:
        if self._as_json:
            talk.print_json(self._results | {"look": places})
            return
        talk.out.print("[bold]Where to look[/]")
        for path, words in places.items():  # whole, so that it can be copied
            talk.out.print(f"{path}\n    {words}", markup=False, soft_wrap=True)
