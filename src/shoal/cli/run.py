"""``shoal run``: follow a recipe, and print as the single commands do."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.auditor import Verdict
from shoal.cli import audit as audit_command
from shoal.cli import measure as measure_command
from shoal.cli import protect as protect_command
from shoal.cli import talk
from shoal.cli import utility as utility_command
from shoal.cli.flags import Json, Quiet
from shoal.data import ReadReport
from shoal.mechanisms.run import Written
from shoal.recipes import Recipe, load
from shoal.recipes.plan import Plan, plan
from shoal.recipes.sections import AUDIT, MEASURE, PROTECT, UTILITY
from shoal.recipes.spelling import as_keys
from shoal.recipes.steps import Listener, follow

_STEPS = {"read": "reading", MEASURE: "measuring", PROTECT: "protecting", AUDIT: "auditing"}


def run(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE.toml", help="The recipe; shoal init writes a first one.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and check everything, say what would be done; write nothing.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Release people again whom the ledger knows at that time.")
    ] = False,
    update_lock: Annotated[
        bool, typer.Option("--update-lock", help="Accept an input that is not the one of the lock.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Follow a recipe from data to an audited release; exit 3 where a promise is broken or a demand is not met.

    A private lock beside the recipe tells the next run whether the input changed.

    Example: shoal run recipe.toml --dry-run
    """
    asked, quiet = load(recipe), quiet or json
    told = _Told(asked, as_json=json, quiet=quiet)
    options: dict[str, Any] = {"again": again, "update_lock": update_lock, "listener": told.listener()}
    if dry_run:
        with talk.progress_bars(quiet=quiet) as progress:
            found = plan(asked, **options, progress=progress)
        talk.print_json(found.to_dict()) if json else _show(found, quiet=quiet)
        return
    protect_command.tell_what_was_left_behind(asked.output.release, asked.output.secret, quiet=quiet)
    with talk.progress_bars(quiet=quiet) as progress:
        followed = follow(asked, **options, progress=progress)
    told.end()
    if followed.verdict is not None:
        audit_command.conclude(followed.verdict)


class _Told:
    """Print each result as it comes, or all of them at the end for programs."""

    def __init__(self, recipe: Recipe, *, as_json: bool, quiet: bool) -> None:
        self._recipe, self._as_json, self._quiet = recipe, as_json, quiet
        self._results: dict[str, Any] = {}

    def listener(self) -> Listener:
        return Listener(self._step, self._read, self._result, lambda words: self._say(as_keys(words)))

    def end(self) -> None:
        if self._as_json:
            talk.print_json(self._results)

    def _say(self, words: str) -> None:
        talk.say(words, quiet=self._quiet)

    def _step(self, name: str) -> None:
        if name in _STEPS:
            self._say(_STEPS[name])

    def _read(self, report: ReadReport) -> None:
        talk.say_left_out(report.ignored_columns, report.dropped, quiet=self._quiet)

    def _result(self, step: str, result: Any) -> None:
        if isinstance(result, Written):
            self._results[step] = protect_command.result_of(result)
            protect_command.tell(result, quiet=self._quiet)
            return
        self._results[step] = result.to_dict() if isinstance(result, Verdict) else result
        if not self._as_json:
            _SHOW[step](self._results[step])


_SHOW: dict[str, Callable[[dict[str, Any]], None]] = {
    MEASURE: measure_command.show,
    AUDIT: audit_command.show,
    UTILITY: utility_command.show,
}


def _show(found: Plan, *, quiet: bool) -> None:
    table = talk.table("What would be done", "", "", "how long", numbers_from=9)
    for step in found.steps:
        table.add_row(step.name, step.what, step.about)
    talk.out.print(table, "")
    talk.out.print(f"{found.basis}.", "", markup=False)
    for path in found.writes:
        talk.out.print(f"would write: {path}", markup=False, soft_wrap=True)
    for remark in found.remarks:
        talk.say(remark, quiet=quiet)
    talk.say("nothing was written", quiet=quiet)
