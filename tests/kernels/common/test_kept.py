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


def test_who_links_a_kernel_that_was_kept_is_told(tmp_path):
    for told in (["-1"], ["-1", "True"]):
        done = subprocess.run(
            [sys.executable, "-c", LINKED],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == told
