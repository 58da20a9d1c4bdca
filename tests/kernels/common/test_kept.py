"""Kernels are loaded as machine code alone, so nobody may link them."""

import importlib
import os
import pkgutil
import subprocess
import sys

import pytest
from numba.core.dispatcher import Dispatcher

from shoal import kernels

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

LINKED = """
import numpy as np
from numba import njit
from shoal.kernels.common.people import first_disorder
one = np.zeros(1, np.int16)
print(first_disorder(np.array([0, 1]), one, one, one))
try:
    njit(lambda offsets, t: first_disorder(offsets, t, t, t))(np.array([0, 1]), one)
except RuntimeError as problem:
    print("unfit for linking" in str(problem))
"""

RAISED = """
import numpy as np
from shoal.kernels.common.jit import helper, kernel, maker

@helper
def checked(n):
    if n > 9:
        raise ValueError("too many")
    return n

@maker
def made(n):
    return np.empty(n, np.int64)

@kernel
def tried(n):
    return made(checked(n)).size
"""

TRIED = """
import sys
from shoal.kernels import common
common.__path__.append(sys.argv[1])
from shoal.kernels.common.raised import tried
for n in (7, 10, -1):
    try:
        print(tried(n))
    except ValueError as problem:
        print(problem)
print(sum(tried.stats.cache_hits.values()))
"""


def jitted():
    """All functions that are compiled, by where they are."""
    found = {}
    for module in pkgutil.walk_packages(kernels.__path__, "shoal.kernels."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Dispatcher):
                found[f"{module.name}.{name}"] = value
    return found


def test_no_kernel_is_called_by_another():
    functions = jitted()
    called = {}
    for name, function in functions.items():
        code, around = function.py_func.__code__, function.py_func.__globals__
        called |= {id(around[used]): name for used in code.co_names if isinstance(around.get(used), Dispatcher)}
    of_python = {name: f for name, f in functions.items() if not f.targetoptions.get("no_cpython_wrapper")}
    assert len(of_python) > 50
    assert len(called) > 100
    assert {name: called[id(f)] for name, f in of_python.items() if id(f) in called} == {}


def run(script, folder):
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_who_links_a_kernel_that_was_kept_is_told(tmp_path):
    assert run(LINKED, tmp_path) == ["-1"], "compiled just now"
    assert run(LINKED, tmp_path) == ["-1", "True"]


def test_what_helpers_raise_is_raised_from_kept_code_too(tmp_path):
    (tmp_path / "raised.py").write_text(RAISED)
    for hits in ("0", "1"):
        assert run(TRIED, tmp_path) == ["7", "too many", "negative dimensions not allowed", hits]
