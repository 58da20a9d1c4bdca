"""Screening: who has enough records a day."""

import numpy as np
import pyarrow as pa
import pytest

from shoal.contract.kinds import cell_names
from shoal.data import Grid, Profiles, Projection
from shoal.data.fixes import fixes_from_points
from shoal.data.screen import active_enough
from shoal.data.traces import traces_from_samples
from shoal.errors import ParameterError

DAY = 24 * 60
# Two days and a minute: three days. Person 0 has three samples, person 1 two, person 2 one, person 3 none.
ROWS = [(0, 0, 0, 0), (0, 0, 1, 0), (0, 2 * DAY, 0, 0), (1, 5, 0, 0), (1, 6, 0, 0), (2, 0, 0, 0)]
# Without the last minute it is exactly two days.
SHORTER = [*ROWS[:2], (0, 2 * DAY - 1, 0, 0), *ROWS[3:]]
NAMES = pa.array([f"p{i}" for i in range(4)])


def traces_of(rows):
    """Wrap rows of person, minute and cell."""
    columns = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    return traces_from_samples(NAMES, *columns, Projection(6, -5), Grid())


def fixes_of(rows):
    """Wrap rows of person, minute and degrees."""
    owner, t, lat, lng = (np.array(column) for column in zip(*rows, strict=True))
    return fixes_from_points(NAMES, owner, t * 60_000_000, lat.astype(float), lng.astype(float))


@pytest.mark.parametrize("data_of", [traces_of, fixes_of])
def test_screening_counts_records_per_day_of_the_whole_span(data_of):
    data = data_of(ROWS)
    assert active_enough(data, 0).tolist() == [True] * 4
    assert active_enough(data, 0.5).tolist() == [True, True, False, False]
    assert active_enough(data, 1).tolist() == [True, False, False, False]
    assert active_enough(data_of(SHORTER), 1).tolist() == [True, True, False, False]


def test_points_that_are_equal_count_once():
    assert active_enough(fixes_of([*ROWS, ROWS[-1], ROWS[-1]]), 1).tolist() == [True, False, False, False]


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf")])
def test_screening_refuses_impossible_limits(limit):
    with pytest.raises(ParameterError, match=r"^`min_per_day="):
        active_enough(traces_of(ROWS), limit)


def test_profiles_do_not_say_how_often_somebody_was_seen():
    profiles = Profiles(pa.array(["b", "a", "b"]), pa.array(["x", "x", "y"]), np.zeros((3, len(cell_names(1)))), 1)
    assert active_enough(profiles, 0).tolist() == [True, True]
    with pytest.raises(ParameterError, match=r"^`min_per_day=0.5`.*profiles"):
        active_enough(profiles, 0.5)
