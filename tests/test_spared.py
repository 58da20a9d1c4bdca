"""What commands do not wait for."""

import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from shoal import synth

SPARED = """
import sys
from shoal.spared import spare_imports
spare_imports()
import numpy as np, pyarrow as pa
exec("pa.array(np.zeros(3)), pa.array(['a'])", {"__name__": "shoal.somewhere", "pa": pa, "np": np})
print("pandas" in sys.modules)
import numba
numba.njit(lambda values: values.sum())(np.ones(3))
print("scipy" in sys.modules)
"""

ALLOWED = """
import sys
from shoal.spared import spare_imports
spare_imports()
import scipy.linalg
import polars as pl
exec("import pandas", {"__name__": "elsewhere"})
print(pl.DataFrame({"a": [1]}).to_pandas().shape)
"""

OTHERS = """
import sys
from shoal.spared import spare_imports
from shoal.mechanisms import base, registry
spare_imports()
registry.homes = lambda: {"theirs": "json:Theirs"} | registry.BUILT_IN
import json
import numpy as np, pyarrow as pa
exec("pa.array(np.zeros(3))", {"__name__": "shoal.somewhere", "pa": pa, "np": np})
print("pandas" in sys.modules)
"""

LATER = """
import sys
from shoal.cli.app import ended
from shoal.spared import spare_imports
spare_imports()
assert ended() == 0
late = ("pydantic", "rich.progress", "scipy", "pandas", "numba.np.linalg", "shoal.attacks", "shoal.pages")
print([name for name in late if name in sys.modules])
"""
"""Runs a command that is given, and tells what it loaded of what it should not need once its kernels are compiled."""


def run(script, *arguments):
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[:-1]


@pytest.fixture(autouse=True)
def _pandas_is_there():
    pytest.importorskip("pandas")


def test_arrow_finds_no_pandas_and_numba_no_scipy():
    assert run(SPARED) == ["False", "False"]


def test_whoever_asks_for_them_by_name_gets_them():
    assert run(ALLOWED) == ["(1, 1)"]


def test_nothing_is_spared_where_a_mechanism_of_others_is_at_work():
    assert run(OTHERS) == ["True"]


@pytest.mark.parametrize("command", [["measure"], ["protect", "glove", "--k", "2", "--again"]], ids=" ".join)
def test_what_compiles_converts_and_attacks_is_not_loaded_where_nothing_is_to_do(command, tmp_path):
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("nothing is compiled")
    events = tmp_path / "events.parquet"
    pq.write_table(synth.cdr(20, 3, seed=1), events)
    for out in ("first", "second"):  # the first may have to compile
        told = run(LATER, *command, str(events), "--out", str(tmp_path / out), "-q")
    assert told[-1] == "[]"
