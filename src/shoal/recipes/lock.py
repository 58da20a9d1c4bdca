"""The lock beside a recipe: what it was followed with, so that the next run notices when that has changed.

It holds digests of the input, which would let strangers confirm a guess about it. So it is for the owner alone, and
never goes where a release goes.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from shoal.data.paths import files_at
from shoal.errors import DataError, counted
from shoal.files.durable import whole_file
from shoal.progress import Progress, silent
from shoal.recipes.recipe import Recipe
from shoal.release.manifest import versions

FORMAT = 1

_ABOUT = "private: keep it beside the recipe, never publish it; it tells whether the input changed"


class Pinned(NamedTuple):
    """What a recipe is followed with: digests of its files by name and of itself, versions."""

    inputs: dict[str, str]
    recipe: str
    versions: dict[str, str]


def lock_of(recipe: Path) -> Path:
    """Return where the lock of a recipe lies.

    >>> lock_of(Path("here/june.toml")).as_posix(), lock_of(Path("june.v2")).as_posix()
    ('here/june.lock.json', 'june.v2.lock.json')
    """
    return recipe.with_name(recipe.name.removesuffix(".toml") + ".lock.json")


def pin(recipe: Recipe, progress: Progress | None = None) -> Pinned:
    """Look at every file that the recipe reads."""
    files = input_files(recipe)
    tell, total, done = progress or silent, sum(file.stat().st_size for file in files), 0
    found = {}
    for file in files:
        tell("looking for changes", done, total)
        with file.open("rb") as opened:
            found[_name(file, recipe.path)] = hashlib.file_digest(opened, "sha256").hexdigest()
        done += file.stat().st_size
    tell("looking for changes", total, total)
    return Pinned(found, hashlib.sha256(recipe.content).hexdigest(), versions())


def input_files(recipe: Recipe) -> list[Path]:
    """Return the files that a recipe reads, patterns and directories written out, the table of cells too."""
    cells = recipe.input.options.cells
    return files_at((*recipe.input.paths, *([cells] if cells is not None else [])), lambda _: True)


def read(recipe: Recipe) -> Pinned | None:
    """Read the lock of a recipe; None where there is none."""
    try:
        found = json.loads(lock_of(recipe.path).read_bytes())
        assert found["format"] == FORMAT
        inputs, made_with = dict(found["inputs"]), dict(found["versions"])
        return Pinned(inputs, str(found["recipe_sha256"]), made_with)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AssertionError):
        raise DataError(
            f"a lock that cannot be read ({lock_of(recipe.path).name})",
            expected="the file as an earlier run left it",
            hint="`update_lock=True` writes it anew, for the input as it is now",
        ) from None


def check(before: Pinned, now: Pinned) -> list[str]:
    """Refuse an input that changed; say what else did, in sentences."""
    old, new = before.inputs, now.inputs
    changes = {
        "changed": sum(old[name] != new[name] for name in old.keys() & new.keys()),
        "came": len(new.keys() - old.keys()),
        "went": len(old.keys() - new.keys()),
    }
    if any(changes.values()):
        words = ", ".join(f"{counted(n, 'file', 'files')} {what}" for what, n in changes.items() if n)
        raise DataError(
            f"an input that is not the one of the lock ({words})",
            expected="the data that this recipe was followed with before",
            hint="bring the old data back; if the new ones are meant, `update_lock=True` accepts them",
        )
    remarks = [] if before.recipe == now.recipe else ["the recipe changed since the lock was written"]
    other = sorted(name for name in now.versions if before.versions.get(name) != now.versions[name])
    if other:
        words = ", ".join(f"{name} {before.versions.get(name, 'unknown')} → {now.versions[name]}" for name in other)
        remarks.append(f"other versions than in the lock, groups may differ: {words}")
    return remarks


def write(recipe: Recipe, pinned: Pinned) -> Path:
    """Write the lock, whole or not at all, in place of an older one."""
    path = lock_of(recipe.path)
    content = {
        "about": _ABOUT,
        "format": FORMAT,
        "inputs": pinned.inputs,
        "recipe_sha256": pinned.recipe,
        "versions": pinned.versions,
        "resolved": _relative(recipe.resolved(), recipe.path),
    }
    with whole_file(path, replace=True) as file:
        file.write((json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode())
    return path


def _relative(value: Any, recipe: Path) -> Any:
    """Paths as seen from the recipe, so that the whole folder can move."""
    if isinstance(value, Path):
        return _name(value, recipe)
    if isinstance(value, Mapping):
        return {key: _relative(one, recipe) for key, one in value.items()}
    return [_relative(one, recipe) for one in value] if isinstance(value, list | tuple) else value


def _name(file: Path, recipe: Path) -> str:
    return os.path.relpath(file, recipe.parent)
