"""``shoal protect MECHANISM``: from data to a release and its secret directory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import talk
from shoal.cli.flags import DataPath, Quiet, ReadFlags, expand, real_number, whole_number
from shoal.data.screen import active_enough
from shoal.errors import ParameterError
from shoal.mechanisms import Glove, Local, Mechanism, Uniform
from shoal.release import Ledger, Release, check_targets

app = typer.Typer(no_args_is_help=True, help="Make a release: choose a mechanism.")


@dataclass(frozen=True)
class ReleaseFlags:
    """Where the release goes and what is recorded about it."""

    out: Annotated[Path, typer.Option(help="Directory of the release; must not exist.", rich_help_panel="Output")]
    secret: Annotated[
        Path | None,
        typer.Option(
            help="Directory of what must not be published (default: RELEASE.secret).", rich_help_panel="Output"
        ),
    ] = None
    ledger: Annotated[
        Path | None,
        typer.Option(help="Ledger of earlier releases, instead of yours.", rich_help_panel="Output"),
    ] = None
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Release people again whom the ledger knows at that time.",
            rich_help_panel="Output",
        ),
    ] = False
    min_per_day: Annotated[
        str,
        typer.Option(help="Leave out people with fewer samples a day.", metavar="N", rich_help_panel="Input"),
    ] = "0"
    threads: Annotated[
        str | None,
        typer.Option(help="Threads to use (default: all processors).", metavar="N", rich_help_panel="Output"),
    ] = None
    not_for_release: Annotated[
        bool,
        typer.Option("--not-for-release", help="Stamp the manifest; allows --seed.", rich_help_panel="Output"),
    ] = False
    seed: Annotated[
        int | None, typer.Option(help="Repeatable; only with --not-for-release.", rich_help_panel="Output")
    ] = None

    def check(self, data: Path) -> None:
        """Refuse before any work what cannot end well."""
        if self.seed is not None and not self.not_for_release:
            raise ParameterError(
                "--seed on a release",
                expected="randomness that nobody can repeat",
                hint="for tests add --not-for-release, which stamps the manifest",
            )
        check_targets(self.out, self.secret, inputs=[data])


@app.command()
@expand(reading=ReadFlags, target=ReleaseFlags)
def glove(
    data: DataPath,
    *,
    k: Annotated[str, typer.Option(help="Least number of people in a group.", metavar="N")] = "2",
    publish: Annotated[str, typer.Option(help="kmerge, or the paper's own boxes: merge.")] = "kmerge",
    suppress_share: Annotated[
        str, typer.Option(help="Share of samples that may be left out where they cost most.", metavar="SHARE")
    ] = "0",
    suppress_km: Annotated[str | None, typer.Option(help="Leave out boxes wider than this.", metavar="KM")] = None,
    suppress_hours: Annotated[str | None, typer.Option(help="Leave out boxes longer than this.", metavar="H")] = None,
    leftover_limit: Annotated[
        str, typer.Option(help="Largest stretch at which a last group below k joins another.", metavar="0…1")
    ] = "1",
    align_m: Annotated[str | None, typer.Option(help="Snap boxes outward to cells of this side.", metavar="N")] = None,
    align_minutes: Annotated[str | None, typer.Option(help="Snap boxes outward to such steps.", metavar="N")] = None,
    partition: Annotated[
        str | None, typer.Option(help="Group within neighbourhoods of at most so many people.", metavar="N")
    ] = None,
    target: ReleaseFlags,
    reading: ReadFlags,
    quiet: Quiet = False,
) -> None:
    """Hide everybody among k people whose whole traces look the same.

    Example: shoal protect glove events.parquet --k 2 --suppress-share 0.05 --out release
    """
    mechanism = Glove(
        k=whole_number("--k", k, at_least=2),
        publish=publish,  # type: ignore[arg-type]  # checked by the class
        suppress_share=real_number("--suppress-share", suppress_share),
        suppress_km=None if suppress_km is None else real_number("--suppress-km", suppress_km),
        suppress_hours=None if suppress_hours is None else real_number("--suppress-hours", suppress_hours),
        leftover_limit=real_number("--leftover-limit", leftover_limit),
        align_m=None if align_m is None else whole_number("--align-m", align_m),
        align_minutes=None if align_minutes is None else whole_number("--align-minutes", align_minutes),
        partition=None if partition is None else whole_number("--partition", partition),
        min_per_day=real_number("--min-per-day", target.min_per_day),
    )
    talk.say_compiling(quiet=quiet)
    run(mechanism, data, reading, target, quiet=quiet)


@app.command()
@expand(reading=ReadFlags, target=ReleaseFlags)
def uniform(
    data: DataPath,
    *,
    cell_m: Annotated[str, typer.Option(help="Side of a cell, metres.", metavar="N")],
    minutes: Annotated[str, typer.Option(help="Length of a time step.", metavar="N")],
    target: ReleaseFlags,
    reading: ReadFlags,
    quiet: Quiet = False,
) -> None:
    """Snap everything to one coarser grid. Promises nothing: the baseline.

    Example: shoal protect uniform events.parquet --cell-m 1000 --minutes 60 --out release
    """
    mechanism = Uniform(
        cell_m=whole_number("--cell-m", cell_m),
        minutes=whole_number("--minutes", minutes),
        min_per_day=real_number("--min-per-day", target.min_per_day),
    )
    run(mechanism, data, reading, target, quiet=quiet)


def run(mechanism: Mechanism, data: Path, reading: ReadFlags, target: ReleaseFlags, *, quiet: bool) -> Release:
    """Read, protect, write, and tell."""
    target.check(data)
    engine = Local(None if target.threads is None else whole_number("--threads", target.threads))
    talk.say("reading", quiet=quiet)
    traces, report = reading.read(data)
    talk.say_left_out(report.ignored_columns, report.dropped, quiet=quiet)
    if not (target.again or target.not_for_release):
        # Once more when writing, under the lock; here it saves a long run that would end in a refusal.
        kept = traces.select(active_enough(traces, mechanism.min_per_day))
        Ledger(target.ledger).check(kept.people, kept.span_s)
    with talk.progress_bars(quiet=quiet) as progress:
        release = mechanism.protect(traces, engine=engine, progress=progress, seed=target.seed)
        if target.not_for_release:
            release = release.stamped()
        progress("writing", 0, 1)
        written = release.write(target.out, secret=target.secret, ledger=target.ledger, again=target.again)
        progress("writing", 1, 1)
    tell_what_was_withheld(release, quiet=quiet)
    talk.say(f"promise: {mechanism.promise.holds}", quiet=quiet)
    talk.say(f"release: {written}", quiet=quiet)
    talk.say(f"secret:  {target.secret or f'{written}.secret'} (keep it to yourself)", quiet=quiet)
    return release


def tell_what_was_withheld(release: Release, *, quiet: bool) -> None:
    withheld = release.secret.suppressed.group_by(["reason"]).aggregate(
        [("original_uid", "count_distinct"), ("t", "count")]
    )
    for row in withheld.to_pylist():
        what = f"{row['t_count']:,} samples of {row['original_uid_count_distinct']:,} people"
        if not row["t_count"]:
            what = f"{row['original_uid_count_distinct']:,} people"
        talk.say(f"withheld ({row['reason']}): {what}", quiet=quiet)
