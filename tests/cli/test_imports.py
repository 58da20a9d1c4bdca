"""What commands do not wait for."""

import subprocess
import sys

import pytest

SPARED = """
import sys
from shoal.cli.imports import spare_imports
spare_imports()
import numpy as np, pyarrow as pa
exec("pa.array(np.zeros(3)), pa.array(['a'])", {"__name__": "shoal.somewhere", "pa": pa, "np": np})
print("pandas" in sys.modules)
import numba
numba.njit(lambda values: values.sum())(np.ones(3))
print("scipy.linalg" in sys.modules)
"""

ALLOWED = """
import sys
from shoal.cli.imports import spare_imports
spare_imports()
import scipy.linalg
import polars as pl
exec("import pandas", {"__name__": "elsewhere"})
print(pl.DataFrame({"a": [1]}).to_pandas().shape)
"""

OTHERS = """
import sys
from shoal.cli.imports import spare_imports
from shoal.mechanisms import registry
spare_imports()
registry.homes = lambda: {"theirs": "json:Theirs"} | registry.BUILT_IN
import json
import numpy as np, pyarrow as pa
exec("pa.array(np.zeros(3))", {"__name__": "shoal.somewhere", "pa": pa, "np": np})
print("pandas" in sys.modules)
"""


def run(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[:-1]


@pytest.fixture(autouse=True)
def _pandas_is_there():
    pytest.importorskip("pandas")


def test_arrow_finds_no_pandas_and_numba_no_linear_algebra():
    assert run(SPARED) == ["False", "False"]


def test_whoever_asks_for_them_by_name_gets_them():
    assert run(ALLOWED) == ["(1, 1)"]


def test_nothing_is_spared_where_a_mechanism_of_others_is_at_work():
    assert run(OTHERS) == ["True"]
