"""How kernels are compiled, and where the machine code is kept.

Numba keeps compiled code per function and source file: it neither notices when a kernel in another file changes
nor survives a type that has moved. So the kernels have a folder of their own, named after all their sources
together: either everything in it fits, or it is another folder.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

HERE = Path(__file__).parent

config: Any = numba.config
njit: Any = numba.njit


def fingerprint() -> str:
    """A short name for the sources of all kernels as they are."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path | None:
    """The first place that can be written to: numba's own setting, beside the sources, the user's cache.

    None if there is no such place: then kernels are compiled in every process.
    """
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    places = [HERE / "__pycache__", user / "shoal"]
    if config.CACHE_DIR:
        places.insert(0, Path(config.CACHE_DIR))
    for place in places:
        folder = place / f"kernels-{fingerprint()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    return None


CACHE = cache_folder()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls: releases the interpreter lock, machine code is kept on disk."""
    if CACHE is None:
        return njit(nogil=True, error_model="numpy")(function)
    before = config.CACHE_DIR
    # Numba looks where to keep the code when it meets the decorator.
    config.CACHE_DIR = str(CACHE)
    try:
        return njit(nogil=True, error_model="numpy", cache=True)(function)
    finally:
        config.CACHE_DIR = before


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function that kernels call: becomes part of their machine code, nothing of its own is kept.

    Python cannot call it: the wrappers for that would take a fifth of all compiling. It borrows arrays and gives back
    numbers, so that nobody needs to count who refers to an array: counting, which is atomic, is dear in short
    functions, and more so where threads share an array.
    """
    return njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function)


def maker(function: Callable[..., Any]) -> Any:
    """As `helper`, for a function that makes arrays. A helper may call it only if it gives back none of them."""
    return njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=True)(function)


def compiled_before() -> bool:
    """Whether this machine has compiled kernels from these sources before.

    False means that the first calls will take some seconds: a driver may want to say so. (True does not promise
    that each and every kernel is there: one for a width of integers not met so far is compiled on demand.)
    """
    return CACHE is not None and any(CACHE.rglob("*.nbc"))
