"""The way of every mechanism, once for all: read, screen, ask the ledger, protect, build, write.

What differs between mechanisms is in their own files; what is the same for command line and Python is here.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from shoal.data import Fixes, Grid, ReadOptions, ReadReport, Traces, read_as
from shoal.data.few import LARGEST_CROWD, few_people
from shoal.data.layout import Span
from shoal.data.paths import inputs_in
from shoal.data.screen import active_enough, refuse_to_screen
from shoal.engines.chosen import engine_for
from shoal.engines.local import Local
from shoal.engines.spark import Spark
from shoal.engines.spark.rows import can_be_read
from shoal.errors import DataError, ParameterError
from shoal.files.paths import AnyPath
from shoal.kernels.common.rehearsal import rehearsed
from shoal.mechanisms.alone import Alone
from shoal.mechanisms.base import Mechanism, Run
from shoal.progress import Progress, silent
from shoal.release import Ledger, Release, build_release, check_targets, suppressed
from shoal.release.ledger_file import DEFAULT_POPULATION

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.engines import Engine


class Screened(NamedTuple):
    """Who takes part, and the list of who does not."""

    people: Any
    left_out: pa.Table


class Written(NamedTuple):
    """A release on the disk, and what was written."""

    path: "Path"
    secret: "Path"
    release: Release


def protect(
    data: Any,
    mechanism: Mechanism,
    out: AnyPath,
    *,
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    on_read: Callable[[ReadReport], None] | None = None,
    secret: AnyPath | None = None,
    ledger: AnyPath | None = None,
    population: str = DEFAULT_POPULATION,
    again: bool = False,
    record: bool = True,
    not_for_release: bool = False,
    seed: int | None = None,
    engine: Any = None,
    progress: Progress | None = None,
) -> Written:
    """Protect people and publish the release: what ``shoal protect`` does.

    Whatever can be refused is refused before the long work: a place that is taken, and people whom the ledger knows.

    Parameters
    ----------
    data
        What the mechanism takes, or anything that can be read as such.
    grid, options
        How to read it, as in :func:`shoal.read`.
    on_read
        Called once the data are read, with what was found.
    mechanism
        How to protect them, for instance ``shoal.Glove(k=2)``.
    out, secret, ledger, population, again, record
        As in :meth:`Release.write`.
    not_for_release
        Stamp the manifest; no ledger is touched. Needed for a seed.
    seed, engine, progress
        As in :meth:`Mechanism.protect`.
    """
    if seed is not None and not not_for_release:
        raise ParameterError(
            "`seed` on a release",
            expected="randomness that nobody can repeat",
            hint="for tests add `not_for_release=True`, which stamps the manifest",
        )
    record = record and not not_for_release
    book = Ledger(ledger, population) if record else None
    if book:
        book.take_back()
    targets = check_targets(out, secret, inputs=inputs_in(data), ledger=book.path if book else None)
    tell = progress or silent
    # Once more when writing, under the lock; before the work it saves a long run that would end in a refusal.
    check = book.check if book and not again else None
    with engine_for(engine) as chosen:
        release = made(
            mechanism,
            data,
            engine=chosen,
            grid=grid,
            options=options,
            on_read=on_read,
            progress=tell,
            seed=seed,
            check=check,
        )
    if book:
        release = release.with_run(population=population)
    if not_for_release:
        release = release.stamped()
    tell("writing", 0, 1)
    written = release.write(out, secret=secret, ledger=ledger, population=population, again=again, record=record)
    tell("writing", 1, 1)
    return Written(written, targets.secret, release)


def made(
    mechanism: Mechanism,
    data: Any,
    *,
    engine: "Engine",
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    on_read: Callable[[ReadReport], None] | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
    check: Callable[[pa.Array, Span], None] | None = None,
) -> Release:
    """Make the release: people are read here and protected, or protected where they are.

    Parameters
    ----------
    mechanism, data, grid, options, on_read, progress, seed
        As in :func:`protect`.
    engine
        Where the work is done.
    check
        Told who takes part and the time covered before the work, where that is known; may refuse.
    """
    reading = options or ReadOptions()
    if isinstance(engine, Spark) and isinstance(mechanism, Alone) and can_be_read(data, reading):
        from shoal.mechanisms.spread import protect_spread

        return protect_spread(
            mechanism,
            data,
            engine=engine,
            grid=grid,
            options=reading,
            on_read=on_read,
            progress=progress,
            seed=seed,
        )
    taken = screened(mechanism, data, grid=grid, options=options, on_read=on_read, progress=progress)
    if check:
        check(taken.people.ids, taken.people.span_s)
    return run(mechanism, taken, engine=engine, progress=progress, seed=seed)


def screened(
    mechanism: Mechanism,
    data: Any,
    *,
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    on_read: Callable[[ReadReport], None] | None = None,
    progress: Progress | None = None,
) -> Screened:
    """Take the data as what the mechanism works on, and leave out who has too few samples; as in :func:`protect`."""
    refuse_to_screen(mechanism.takes, mechanism.min_per_day)
    people = data
    if not isinstance(data, mechanism.takes):
        people, report = read_as(mechanism.takes, data, grid, options, progress)
        if on_read:
            on_read(report)
    keep = active_enough(people, mechanism.min_per_day)
    if not keep.any():
        raise DataError("nobody left after screening", expected="people to protect", hint="lower `min_per_day`")
    left_out = suppressed.whole_people(people.ids.filter(pa.array(~keep)), "screened")
    return Screened(people if keep.all() else people.select(keep), left_out)


def run(
    mechanism: Mechanism,
    taken: Screened,
    *,
    engine: "Engine | None" = None,
    progress: Progress | None = None,
    seed: int | None = None,
) -> Release:
    """Protect those who take part, and build the release; parameters as in :meth:`Mechanism.protect`."""
    people, engine = taken.people, engine or Local()
    foreseen = rehearsed(partial(_rehearse, mechanism)) if _can_be_rehearsed(mechanism) else nullcontext()
    with foreseen:
        result = mechanism._protect(people, Run(engine, progress or silent, seed))
    release = build_release(
        result,
        mechanism=mechanism.name,
        parameters=mechanism.parameters(),
        claim=mechanism.claim_about(people),
        span_s=people.span_s,
        screened=taken.left_out,
        run={**_facts(mechanism, taken), **engine.facts()},
        seed=seed,
    )
    if not release.rows.num_rows:
        raise DataError(
            "nothing is left to publish: everybody was withheld",
            expected="a release of somebody",
            hint="withhold less: widen the thresholds or leave them out, or take a smaller crowd",
        )
    return release


def _can_be_rehearsed(mechanism: Mechanism) -> bool:
    return mechanism.compiles and mechanism.takes in (Traces, Fixes)


def _rehearse(mechanism: Mechanism) -> None:
    """Do the same for a few invented people, in crowds that they are enough for: the kernels are the same."""
    fitting = {"k": min(mechanism.k, LARGEST_CROWD)} if hasattr(mechanism, "k") else {}
    people, _ = read_as(mechanism.takes, few_people())
    replace(mechanism, **fitting)._protect(people, Run(Local(), silent))


def _facts(mechanism: Mechanism, taken: Screened) -> Mapping[str, object]:
    """Say what went in, exactly, for the publisher's own records."""
    people = taken.people
    grid = getattr(people, "grid", None)
    return {
        "mechanism": mechanism.name,
        "parameters": mechanism.parameters(),
        **({"grid": grid.to_dict()} if grid is not None else {}),
        "people": len(people.ids),
        "records": people.records,
        "screened": taken.left_out.num_rows,
        "span_s": list(people.span_s),
    }
