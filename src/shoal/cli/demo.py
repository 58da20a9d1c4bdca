"""``shoal demo``: the whole job on synthetic people, and where to look afterwards."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import audit as audit_command
from shoal.cli import inspect as inspect_command
from shoal.cli import measure as measure_command
from shoal.cli import talk
from shoal.cli import utility as utility_command
from shoal.errors import OutputError

_USERS, _DAYS, _SHARE = 2_000, 14, 0.05


def demo(
    *, out: Annotated[Path, typer.Option(help="Directory to write; must not exist.")] = Path("shoal-demo")
) -> None:
    """Run the whole job on built-in synthetic data: make, inspect, measure, protect, audit; where to look.

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

    _step(f"shoal synth cdr --preset civ --users {_USERS} --days {_DAYS} --out {events}")
    with talk.progress_bars(quiet=False) as progress:
        pq.write_table(synth.cdr(_USERS, _DAYS, preset="civ", progress=progress), events)

    _step(f"shoal inspect {events}")
    traces, report = read_with_report(events)
    inspect_command.show(overview(traces, report))

    measured = out / "measured"
    _step(f"shoal measure {events} --k 2,5 --out {measured}")
    talk.say_compiling(quiet=False)
    with talk.progress_bars(quiet=False) as progress:
        result = measure(traces, (2, 5), progress=progress)
    write(result, measured)
    measure_command.show(result.summary)

    _step(f"shoal protect glove {events} --k 2 --suppress-share {_SHARE} --out {release}")
    mechanism, secret = Glove(k=2, suppress_share=_SHARE), release.with_name("release.secret")
    with talk.progress_bars(quiet=False) as progress:
        protect(traces, mechanism, release, secret=secret, record=False, progress=progress)
    talk.out.print(f"{mechanism.promise.holds}\n", markup=False)

    _step(f"shoal utility {release} --original {events} --secret {secret}")
    utility_command.show(utility(release, original=traces, secret=secret).to_dict())

    _step(f"shoal audit {release} --original {events} --secret {secret}")
    with talk.progress_bars(quiet=False) as progress:
        verdict = audit(release, original=events, secret=secret, progress=progress)
    audit_command.show(verdict.to_dict())

    looks = talk.table("Where to look", "", "", numbers_from=9)
    looks.add_row(f"{measured}/", "how hard each of them is to hide: about people, keep it")
    looks.add_row(str(release / "data.parquet"), "what strangers would get")
    looks.add_row(str(release / "manifest.json"), "what is said and promised about it")
    looks.add_row(f"{secret}/", "who is who, and the audit: keep it to yourself")
    talk.out.print("", looks)
    if not verdict.ok:
        raise typer.Exit(audit_command.BROKEN)


def _step(command: str) -> None:
    talk.out.print(f"[bold cyan]$[/] [bold]{command}[/]", soft_wrap=True)
