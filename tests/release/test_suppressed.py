from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.grid import Grid
from shoal.data.projection import Projection
from shoal.data.traces import traces_from_samples
from shoal.release import suppressed

TRACES = traces_from_samples(
    pa.array(["a", "b", "empty", "c"]),
    np.array([0, 0, 1, 3]),
    np.array([0, 60, 1, -1], np.int32),
    np.array([-3, 4, 0, 7], np.int32),
    np.array([5, -6, 0, 7], np.int32),
    Projection(0, 0),
    Grid(50, 120),
)


def test_samples_give_the_start_of_the_cell_and_its_lower_corner():
    table = suppressed.samples(TRACES, np.array([False, True, False, True]), "share")
    assert table.schema == suppressed.SCHEMA
    assert table.to_pylist() == [
        {"original_uid": "a", "t": datetime(1970, 1, 1, 2, tzinfo=UTC), "x": 200, "y": -300, "reason": "share"},
        {
            "original_uid": "c",
            "t": datetime(1969, 12, 31, 23, 58, tzinfo=UTC),
            "x": 350,
            "y": 350,
            "reason": "share",
        },
    ]


def test_no_samples():
    assert suppressed.samples(TRACES, np.zeros(4, np.bool_), "share") == suppressed.none()


@pytest.mark.parametrize("ids", [["a", "01"], pa.array(["a", "01"]), pa.chunked_array([["a"], ["01"]])])
def test_whole_people_have_no_time_and_place(ids):
    table = suppressed.whole_people(ids, "leftover")
    assert table.schema == suppressed.SCHEMA
    assert table.to_pylist() == [
        {"original_uid": name, "t": None, "x": None, "y": None, "reason": "leftover"} for name in ("a", "01")
    ]


def test_whole_people_of_large_strings_or_nobody():
    assert suppressed.whole_people(pa.array(["a"], pa.large_string()), "emptied").schema == suppressed.SCHEMA
    assert suppressed.whole_people([], "screened") == suppressed.none()


def test_concat():
    one, two = suppressed.whole_people(["a"], "screened"), suppressed.whole_people(["b"], "leftover")
    both = suppressed.concat(one, two)
    assert both["original_uid"].to_pylist() == ["a", "b"]
    assert both["reason"].to_pylist() == ["screened", "leftover"]
    assert suppressed.concat() == suppressed.none()


def test_unknown_reason():
    with pytest.raises(AssertionError, match=r"screened, leftover, share, threshold, .*emptied"):
        suppressed.whole_people(["a"], "whim")
