"""Compiled code is kept, and found again."""

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


def run(folder, **environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_says_whether_kernels_were_compiled_before(tmp_path):
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("nothing is compiled")
    assert run(tmp_path) == ["False", "True"]
    assert run(tmp_path) == ["True", "True"]


def test_kernels_run_as_plain_python(tmp_path):
    assert run(tmp_path, NUMBA_DISABLE_JIT="1") == ["False", "False"]
