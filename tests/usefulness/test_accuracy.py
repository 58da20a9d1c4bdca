"""The accuracy of a release, against a plain loop over samples and boxes."""

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.data import Grid, Projection
from shoal.data.traces import traces_from_samples
from shoal.errors import DataError

samples = st.tuples(st.integers(-300, 300), st.integers(-30, 30), st.integers(-30, 30))
crowds = st.lists(st.lists(samples, min_size=1, max_size=8, unique=True), min_size=1, max_size=4)


def traces_of(people):
    owner = np.repeat(np.arange(len(people)), [len(p) for p in people])
    t, x, y = (np.array([s[i] for p in people for s in p], np.int32) for i in range(3))
    return traces_from_samples(
        pa.array([f"p{i}" for i in range(len(people))]), owner, t, x, y, Projection(1, 2), Grid()
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(crowds, st.integers(1, 7), st.integers(1, 90))
def test_figures_equal_a_plain_loop(tmp_path_factory, people, cells, minutes):
    out = tmp_path_factory.mktemp("release") / "r"
    traces = traces_of(people)
    shoal.Uniform(cell_m=100 * cells, minutes=minutes).protect(traces).write(out, record=False)
    found = shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict()

    position, time = [], []
    for person in people:
        for t, x, y in set(person):
            middle = [v // size * size + size / 2 for v, size in ((t, minutes), (x, cells), (y, cells))]
            time.append(60 * abs(t + 0.5 - middle[0]))
            position.append(100 * float(np.hypot(x + 0.5 - middle[1], y + 0.5 - middle[2])))
    assert found["people_published"] == len(people)
    assert (found["people_suppressed"], found["samples_created"], found["samples_deleted_share"]) == (0, 0, 0)
    per_sample = found["per_sample"]
    assert per_sample["span_max_m"]["mean"] == 100 * cells
    assert per_sample["span_sum_m"]["median"] == 200 * cells
    assert per_sample["span_s"]["q75"] == 60 * minutes
    assert per_sample["position_error_m"]["mean"] == pytest.approx(np.mean(position))
    assert per_sample["time_error_s"]["median"] == pytest.approx(np.median(time))


def test_what_is_withheld_and_what_is_made_up_are_counted(tmp_path):
    traces = traces_of([[(0, 0, 0), (500, 3, 3)], [(1, 1, 1)], [(900, 9, 9)]])
    out = tmp_path / "r"
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(out, record=False)
    mapping = {row["original_uid"]: row["uid"] for row in pq.read_table(f"{out}.secret/mapping.parquet").to_pylist()}
    rows = [r for r in pq.read_table(out / "data.parquet").to_pylist() if r["uid"] != mapping["p2"]]
    rows[0] = rows[0] | {"x_min": 70_000, "x_max": 70_100}
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(out / "data.parquet")), out / "data.parquet")
    found = shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict()
    assert (found["people_published"], found["people_suppressed"], found["samples_created"]) == (2, 1, 1)
    assert found["samples_deleted_share"] == 0.5


def test_the_wrong_original_or_secret_is_refused(tmp_path):
    traces, other = traces_of([[(0, 0, 0)], [(1, 1, 1)]]), traces_of([[(0, 0, 0)]])
    out = tmp_path / "r"
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(out, record=False)
    with pytest.raises(DataError, match="does not know"):
        shoal.utility(out, original=other, secret=f"{out}.secret")
    with pytest.raises(DataError, match=r"mapping\.parquet"):
        shoal.utility(out, original=traces, secret=tmp_path)
    with pytest.raises(DataError, match=r"manifest\.json"):
        shoal.utility(tmp_path, original=traces, secret=f"{out}.secret")
    shutil.copytree(out, tmp_path / "moved")
    manifest = json.loads((out / "manifest.json").read_text()) | {"crs": Projection(3, 4).proj}
    (tmp_path / "moved" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match="another map"):
        shoal.utility(tmp_path / "moved", original=traces, secret=f"{out}.secret")
