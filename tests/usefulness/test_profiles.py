"""How far published profiles lie from the true ones, against plain loops."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from shoal.contract.claims import Nothing
from shoal.contract.kinds import cell_names
from shoal.data import Profiles
from shoal.data.layout import ALWAYS
from shoal.errors import DataError
from shoal.release import Protected, build_release
from usefulness import naive_figures as naive

shares = st.lists(st.integers(0, 28).map(lambda n: n / 28), min_size=12, max_size=12)
noisy = st.lists(st.floats(-2, 3), min_size=12, max_size=12)
crowds = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y"])),
    st.tuples(shares, st.none() | noisy),
    min_size=1,
    max_size=6,
)
"""By person and municipality: the true profile, and what is published of it."""


def profiles_of(rows, weeks):
    keys, cells = list(rows), len(cell_names(weeks))
    values = np.array([rows[key][:cells] for key in keys], np.float64).reshape(len(keys), cells)
    people, places = (pa.array([key[i] for key in keys], pa.string()) for i in range(2))
    return Profiles(people, places, values, weeks)


def publish(out, rows, weeks=2):
    release = build_release(
        Protected(payload=profiles_of(rows, weeks)), mechanism="toy", parameters={}, claim=Nothing(), span_s=ALWAYS
    )
    release.write(out, record=False)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(crowds, st.integers(1, 2))
@example({("a", "x"): ([0.5] * 12, None)}, 2)
@example({("a", "x"): ([0.5] * 12, [0.5] * 12)}, 1)
@example({("a", "x"): ([0.5] * 12, [0.58] + [0.5] * 11)}, 2)  # near, and not near enough
def test_figures_equal_plain_loops(tmp_path_factory, crowd, weeks):
    out, cells = tmp_path_factory.mktemp("release") / "r", cell_names(weeks)
    raw = {key: true for key, (true, _) in crowd.items()}
    published = {key: values[: len(cells)] for key, (_, values) in crowd.items() if values is not None}
    publish(out, published, weeks)
    expected = naive.profiles(raw, published, cells)
    true = profiles_of(raw, 2)
    for original in (true, true.to_arrow()):
        found = shoal.utility(out, original=original)
        assert found.kind == "profiles"
        told = found.to_dict()
        assert list(told) == list(expected)
        for name, value in expected.items():
            assert told[name] == pytest.approx(value), name


def test_tokens_change_nothing(tmp_path):
    rng = np.random.default_rng(3)
    raw = {(f"p{i}", town): rng.random(12) for i in range(20) for town in "xy"}
    rounded = {key: np.round(values, 1) for key, values in raw.items()}
    told = []
    for name in "ab":
        publish(tmp_path / name, rounded)
        told.append(shoal.utility(tmp_path / name, original=profiles_of(raw, 2)).to_dict())
    assert told[0] == told[1]


def test_what_does_not_fit_is_told(tmp_path):
    rows = {("a", "x"): [0.5] * 12, ("b", "y"): [0.0] * 12}
    publish(tmp_path / "r", rows)
    for other in ({("a", "x"): [0.5] * 12}, {("a", "x"): [0.5] * 12, ("b", "x"): [0.0] * 12}):
        with pytest.raises(DataError, match="does not know"):
            shoal.utility(tmp_path / "r", original=profiles_of(other, 2))
    with pytest.raises(DataError, match="more weeks"):
        shoal.utility(tmp_path / "r", original=profiles_of(rows, 1))
    with pytest.raises(DataError, match="municipality"):
        shoal.utility(tmp_path / "r", original=pa.table({"uid": ["a"]}))
    mapping = tmp_path / "r.secret" / "mapping.parquet"
    pq.write_table(pq.read_table(mapping).drop(["municipality"]), mapping)
    with pytest.raises(DataError, match=r"mapping\.parquet"):
        shoal.utility(tmp_path / "r", original=profiles_of(rows, 2))
