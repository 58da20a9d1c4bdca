"""Compiled code is kept, and found again; it gives memory back."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from shoal.kernels.jit import compiled_before
before = compiled_before()
from shoal.kernels.people import pack
from shoal.kernels.scale import scale_of
one = np.zeros(1, np.int32)
pack(np.array([0, 1]), one, one, one, scale_of(200, 480))
print(before, compiled_before())
"""


def run(script, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_says_whether_kernels_were_compiled_before(tmp_path):
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("nothing is compiled")
    assert run(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path)) == ["False", "True"]
    assert run(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path)) == ["True", "True"]


def test_kernels_run_as_plain_python(tmp_path):
    assert run(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="1") == ["False", "False"]


LEAKS = """
import gc
import shoal
from numba.core.runtime import rtsys
from shoal import synth
from shoal.mechanisms.glove import Glove
traces = shoal.read(synth.cdr(60, 3, seed=1))
for k in (2, 3):
    Glove(k=k).protect(traces)
    Glove(k=k, publish="merge").protect(traces)
shoal.measure(traces, k=3)
del traces
gc.collect()
arrays = rtsys.get_allocation_stats()
print(arrays.mi_alloc, arrays.mi_free)
"""


def test_every_array_that_kernels_make_is_given_back():
    """A helper counts no references: what a maker gave it would never be freed, what it gave away twice."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("nothing is compiled")
    made, freed = run(LEAKS, NUMBA_NRT_STATS="1")
    assert int(made) > 1000
    assert made == freed
