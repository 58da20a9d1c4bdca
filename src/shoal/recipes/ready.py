"""Everything that can be refused before the long work is refused here: places that are taken, inputs that changed."""

import os
from pathlib import Path
from typing import NamedTuple

from shoal.contract.files import MANIFEST
from shoal.data.paths import inputs_in
from shoal.engines.local import Local
from shoal.errors import DataError, OutputError
from shoal.files.paths import clean, new_target
from shoal.progress import Progress
from shoal.recipes import lock
from shoal.recipes.recipe import Output, Recipe
from shoal.release import Ledger, Targets, check_targets


class Ready(NamedTuple):
    """A recipe that may be followed.

    Attributes
    ----------
    targets
        Where the release and its secret directory go.
    pinned
        What it is followed with.
    book
        The ledger, unless nothing is recorded.
    engine
        Where the work is done.
    remarks
        What changed since the lock and is no reason to stop.
    """

    targets: Targets
    pinned: lock.Pinned
    book: Ledger | None
    engine: Local
    remarks: list[str]


def check(recipe: Recipe, *, update_lock: bool = False, progress: Progress | None = None) -> Ready:
    """Refuse a recipe that cannot be followed to its end; nothing is written."""
    protect, output = recipe.protect, recipe.output
    book = None if protect.not_for_release else Ledger(protect.ledger, protect.population)
    engine = Local(protect.threads)
    files = lock.input_files(recipe)
    inputs = [*inputs_in(recipe.input.source), *files, recipe.path, lock.lock_of(recipe.path)]
    targets = check_targets(output.release, output.secret, inputs=inputs, ledger=book.path if book else None)
    _check_others(output, targets)
    for release, secret in recipe.audit.earlier if recipe.audit else []:
        if not (release / MANIFEST).is_file() or not secret.is_dir():
            raise DataError(
                "no earlier release where [audit] says",
                expected="a release directory and its secret directory",
                hint="paths are relative to the recipe",
            )
    pinned = lock.pin(recipe, progress)
    before = None if update_lock else lock.read(recipe)
    return Ready(targets, pinned, book, engine, lock.check(before, pinned) if before else [])


def _check_others(output: Output, targets: Targets) -> None:
    """The other outputs have places of their own: none is published with the release, none replaces another."""
    taken: list[Path] = [targets.release, targets.secret]
    for name in ("measured", "utility"):
        path = getattr(output, name)
        if path is None:
            continue
        place = clean(path, f"{name} in [output]")
        for other in taken:
            if place == other or other in place.parents or place in other.parents:
                raise OutputError(
                    f"{name} in [output] where another output goes",
                    expected="a place of its own, outside of the release",
                    hint="choose another name",
                )
        new_target(path, f"{name} in [output]")
        taken.append(place)


def unchanged(recipe: Recipe) -> tuple[object, ...]:
    """Return what would differ if somebody wrote to the input meanwhile."""
    states = (os.stat(file) for file in lock.input_files(recipe))  # noqa: PTH116
    return tuple((state.st_ino, state.st_size, state.st_mtime_ns) for state in states)
