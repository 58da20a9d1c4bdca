"""How kernels are compiled, and where the machine code is kept.

Numba keeps compiled code per function and source file: it neither notices when a kernel in another file changes
nor survives a type that has moved. So each sub-package of kernels has a folder for its code, named after all its
sources and those of the sub-packages that it imports: either everything in it fits, or it is another folder. What was
compiled from sources that nobody uses any more is removed after some days.
"""

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba

from shoal.kernels.common.compilers import HelperCompiler, KernelCompiler
from shoal.kernels.common.kept import KernelCache
from shoal.kernels.common.rehearsal import watched

KERNELS = Path(__file__).parent.parent

UNUSED_S = 7 * 24 * 3600
"""Compiled code that no process has loaded for so long is removed."""

_IMPORTED = re.compile(rb"^from shoal\.kernels\.(\w+)", re.MULTILINE)

config: Any = numba.config
njit: Any = numba.njit


def sources(group: str) -> Iterator[tuple[Path, bytes]]:
    """The files of a sub-package and of those that it imports, however indirectly; those in sub-folders too."""
    todo, seen = [group], {group}
    while todo:
        for folder, inner, names in os.walk(KERNELS / todo.pop()):
            inner[:] = sorted(set(inner) - {"__pycache__"})  # compiled code may be there, a lot of it
            for path in (Path(folder, name) for name in sorted(names) if name.endswith(".py")):
                content = path.read_bytes()
                yield path, content
                fresh = sorted({name.decode() for name in _IMPORTED.findall(content)} - seen)
                seen.update(fresh)
                todo += fresh


def fingerprint(group: str) -> str:
    """A short name for the sources of a sub-package of kernels as they are."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path, content in sources(group):
        digest.update(path.relative_to(KERNELS).as_posix().encode() + b"\0" + content)
    return digest.hexdigest()[:16]


@cache
def cache_folder(group: str) -> Path | None:
    """Where a sub-package's code is kept, marked as in use.

    The first place that can be written to: numba's own setting, beside the sources, the user's cache. None if there is
    no such place: then kernels are compiled in every process.
    """
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    places = [KERNELS / "__pycache__", user / "shoal"]
    if config.CACHE_DIR:
        places.insert(0, Path(config.CACHE_DIR))
    for place in places:
        folder = place / f"kernels-{fingerprint(group)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        remove_unused(folder)
        return folder
    return None


def remove_unused(folder: Path) -> None:
    """Mark a folder as in use, and remove those beside it that have not been for `UNUSED_S`.

    The mark is the folder's own time: every process that loads the kernels sets it. Another installation, or a process
    that began before the sources changed, keeps its folder like that, and what it would miss is only compiled again.
    After an update the old code, some megabytes, goes within days. Whatever cannot be removed stays: nobody's
    work may fail for that.
    """
    try:
        os.utime(folder)
        for other in folder.parent.iterdir():
            ours = re.fullmatch("kernels-[0-9a-f]{16}", other.name) and other != folder
            if ours and other.is_dir() and time.time() - other.stat().st_mtime > UNUSED_S:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls: releases the interpreter lock, machine code is kept on disk."""
    if config.DISABLE_JIT:
        return watched(function)
    compiled = njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, pipeline_class=KernelCompiler)(function)
    folder = cache_folder(_group_of(function))
    if folder is not None:
        compiled._cache = _cache_in(folder, function)
    return compiled


def _cache_in(folder: Path, function: Callable[..., Any]) -> KernelCache:
    """The cache of a kernel, in a folder: numba asks its configuration for it when it makes a cache."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return KernelCache(function)
    finally:
        config.CACHE_DIR = before


def _group_of(function: Callable[..., Any]) -> str:
    """The sub-package that a kernel belongs to."""
    return function.__module__.split(".")[2]


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call: becomes part of their machine code, nothing of its own is kept.

    Python cannot call it. It borrows arrays and gives back numbers, so that nobody needs to count who refers to an
    array: counting, which is atomic, is dear in short functions, and more so where threads share an array.
    """
    return _inner(function, counts_references=False)


def maker(function: Callable[..., Any]) -> Any:
    """As `helper`, for a function that makes arrays. A helper may call it only if it gives back none of them."""
    return _inner(function, counts_references=True)


def _inner(function: Callable[..., Any], *, counts_references: bool) -> Any:
    return njit(
        nogil=True,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        _nrt=counts_references,
        pipeline_class=HelperCompiler,
    )(function)
