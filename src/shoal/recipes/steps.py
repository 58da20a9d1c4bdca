"""Follow a recipe: read, measure, protect, audit, tell what is left, each as its own command does it.

Traces, points or profiles are read once for all steps but the audit, which believes nobody and reads by itself.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from shoal.auditor import Verdict, audit
from shoal.data import Profiles, ReadReport, Traces, read_as
from shoal.errors import DataError
from shoal.files.durable import whole_file
from shoal.mechanisms.run import Written, protect
from shoal.progress import Progress, silent
from shoal.recipes import lock
from shoal.recipes.ready import Ready, check, unchanged
from shoal.recipes.recipe import Recipe
from shoal.recipes.sections import AUDIT, MEASURE, PROTECT, UTILITY
from shoal.recipes.spelling import said_of_keys
from shoal.release.known import other_releases


class Listener(NamedTuple):
    """Who is told while a recipe is followed.

    Attributes
    ----------
    step
        Called with the name of a step before it begins.
    read
        Called with what was read.
    result
        Called with the name of a step and its result: the summary of [measure], :class:`Written` of [protect], the
        :class:`Verdict` of [audit], the figures of [utility].
    remark
        Called with sentences.
    """

    step: Callable[[str], None] = lambda _: None
    read: Callable[[ReadReport], None] = lambda _: None
    result: Callable[[str, Any], None] = lambda *_: None
    remark: Callable[[str], None] = lambda _: None


class Followed(NamedTuple):
    """What came of a recipe."""

    written: Written
    verdict: Verdict | None


NOBODY = Listener()


def follow(
    recipe: Recipe,
    *,
    again: bool = False,
    update_lock: bool = False,
    listener: Listener = NOBODY,
    progress: Progress | None = None,
) -> Followed:
    """Do what a recipe says.

    Until the release is complete nothing is written; it appears with its secret directory and the ledger's entry or not
    at all. What was measured, and the lock, follow at once.

    Parameters
    ----------
    recipe
        From :func:`shoal.recipes.load`.
    again
        Publish people a second time for an overlapping time, and record that.
    update_lock
        Accept an input that is not the one of the lock.
    listener, progress
        Told what happens.
    """
    with said_of_keys():
        ready = check(recipe, update_lock=update_lock, progress=progress)
        for remark in ready.remarks:
            listener.remark(remark)
        source = Source(recipe, listener, progress)
        measured = _measure(recipe, source, listener, progress)
        written = _protect(recipe, ready, source, again=again, progress=progress)
        if measured is not None and recipe.output.measured is not None:
            from shoal.measurement.directory import write

            write(measured, recipe.output.measured)
        lock.write(recipe, ready.pinned)
        listener.result(PROTECT, written)
        verdict = _audit(recipe, written, source, listener, progress)
        _utility(recipe, written, source, listener)
        return Followed(written, verdict)


class Source:
    """The input, read once as each kind of data that a step takes."""

    def __init__(self, recipe: Recipe, listener: Listener = NOBODY, progress: Progress | None = None) -> None:
        self._recipe, self._listener, self._progress = recipe, listener, progress
        self._before = unchanged(recipe)
        self._read: dict[type, Any] = {}
        self.report: ReadReport | None = None

    def as_(self, takes: type[Any]) -> Any:
        """Return the input as traces, points or profiles."""
        if takes not in self._read:
            given = self._recipe.input
            self._listener.step("read")
            self._read[takes], report = read_as(takes, given.source, given.grid, given.options, self._progress)
            if unchanged(self._recipe) != self._before:
                raise DataError(
                    "an input that changed while it was read",
                    expected="files that nobody writes to",
                    hint="wait until whoever writes them is done",
                )
            if self.report is None:
                self._listener.read(report)
            self.report = report
        return self._read[takes]

    def for_audit(self, takes: type[Any]) -> dict[str, Any]:
        """What the auditor reads: the files; the profiles where the files are the calls that they are made of."""
        if takes is Profiles and self.report is not None and self.report.kind == "calls":
            return {"original": self.as_(takes).to_arrow()}
        return {"original": self._recipe.input.source, "options": self._recipe.input.options}


def _measure(recipe: Recipe, source: Source, listener: Listener, progress: Progress | None) -> Any:
    if recipe.measure is None:
        return None
    from shoal.measurement.kgap import measure

    asked, traces = recipe.measure, source.as_(Traces)
    listener.step(MEASURE)
    result = measure(
        traces,
        asked.k,
        levels=asked.levels,
        min_per_day=asked.min_per_day,
        threads=recipe.protect.threads,
        progress=progress,
    )
    listener.result(MEASURE, result.summary)
    return result


def _protect(recipe: Recipe, ready: Ready, source: Source, *, again: bool, progress: Progress | None) -> Written:
    asked = recipe.protect
    people = source.as_(recipe.mechanism.takes)
    source._listener.step(PROTECT)
    return protect(
        people,
        recipe.mechanism,
        recipe.output.release,
        secret=recipe.output.secret,
        ledger=asked.ledger,
        population=asked.population,
        again=again,
        not_for_release=asked.not_for_release,
        seed=asked.seed,
        engine=ready.engine,
        progress=progress or silent,
    )


def _audit(
    recipe: Recipe, written: Written, source: Source, listener: Listener, progress: Progress | None
) -> Verdict | None:
    if recipe.audit is None:
        listener.remark("not audited: a section [audit] checks what the release promises")
        return None
    listener.step(AUDIT)
    verdict = audit(
        written.path,
        secret=written.secret,
        require_k=recipe.audit.require_k,
        earlier=recipe.audit.earlier,
        ledger=other_releases(recipe.protect.ledger, written.secret),
        progress=progress,
        **source.for_audit(recipe.mechanism.takes),
    )
    listener.result(AUDIT, verdict)
    return verdict


def _utility(recipe: Recipe, written: Written, source: Source, listener: Listener) -> None:
    if not recipe.utility:
        return
    from shoal.usefulness import utility

    listener.step(UTILITY)
    data = source.as_(recipe.mechanism.takes)
    figures = utility(written.path, original=data, secret=written.secret, options=None).to_dict()
    if recipe.output.utility is not None:
        with whole_file(recipe.output.utility) as file:
            file.write((json.dumps(figures, indent=2, ensure_ascii=False) + "\n").encode())
    listener.result(UTILITY, figures)
