"""What measures of millions of rows hold beside them: a column or two, and what some people take."""

import tracemalloc

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.contract.kinds import BOXES
from shoal.data import Grid, Projection
from shoal.data.traces import traces_from_samples
from shoal.usefulness.box_file import BoxFile
from shoal.usefulness.measures import figures_of
from shoal.usefulness.pictures import pictures_of
from shoal.usefulness.run import beside

PEOPLE, EACH = 200, 2_000
ROWS = PEOPLE * EACH
OF_A_ROW = 32
"""Bytes: two columns of fractions, and as much again for masks, whole numbers and what some people take."""

MEASURES = ("samples", "accuracy", "jump_length", "time_of_day", "within", "thirds", "pictures")


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    out, rng = tmp_path_factory.mktemp("memory") / "r", np.random.default_rng(1)
    t = np.arange(ROWS, dtype=np.int32) % EACH
    x, y = (rng.integers(0, 300, ROWS, np.int32) for _ in range(2))
    people = pa.array([f"p{i:03}" for i in range(PEOPLE)])
    traces = traces_from_samples(people, np.arange(ROWS) // EACH, t, x, y, Projection(1, 2), Grid())
    shoal.Uniform(cell_m=200, minutes=1).protect(traces).write(out, record=False)
    found = beside(out, original=traces)[1]
    assert found.boxes.t.size == ROWS
    return found


@pytest.mark.parametrize(
    "measure", ["samples", "accuracy", "jump_length", "time_of_day", "within", "thirds", "pictures"]
)
def test_a_measure_holds_little_beside_the_rows(compared, measure, monkeypatch):
    monkeypatch.setattr("shoal.attacks.parts.ROWS", 2 * EACH)
    monkeypatch.setattr("shoal.usefulness.hours._CHUNK", 2 * EACH)
    tracemalloc.start()
    try:
        if measure == "pictures":
            pictures_of(BOXES, compared)
        else:
            figures_of(BOXES, compared, only=[measure])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < OF_A_ROW * ROWS


def test_the_uids_of_a_file_do_not_hold_on_to_its_rows(tmp_path):
    name = "a uid of more than twelve letters"
    pq.write_table(pa.table({"uid": [name] * 100_000}), tmp_path / "data.parquet")
    uids = BoxFile(tmp_path).uids
    assert uids.to_list() == [name]
    assert uids.to_arrow(compat_level=pl.CompatLevel.newest()).get_total_buffer_size() < 1_000
