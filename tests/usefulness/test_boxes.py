"""The accuracy of a release of boxes, against a plain loop over samples and boxes."""

import json
import shutil
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.data import Grid, Projection
from shoal.data.traces import traces_from_samples
from shoal.engines.local import Local
from shoal.errors import DataError
from shoal.mechanisms.base import Run
from shoal.progress import silent
from shoal.release import build_release
from shoal.usefulness.boxes import _means

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
    finer = replace(traces, grid=Grid(50, 60))
    with pytest.raises(DataError, match="another grid"):
        shoal.utility(out, original=finer)


def test_the_secret_directory_lies_beside_the_release(tmp_path, monkeypatch):
    traces, out = traces_of([[(0, 0, 0)], [(1, 1, 1)]]), tmp_path / "r"
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(out, record=False)
    told = shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict()
    assert shoal.utility(str(out) + "/", original=traces).to_dict() == told
    monkeypatch.chdir(out)
    assert shoal.utility(".", original=traces).to_dict() == told


def test_tokens_and_the_order_of_rows_change_nothing(tmp_path):
    traces = shoal.read(synth.cdr(30, 2, preset="abidjan", seed=4))
    told = []
    for name in "ab":
        shoal.Glove(k=2).protect(traces).write(tmp_path / name, record=False)
        told.append(shoal.utility(tmp_path / name, original=traces).to_dict())
    shuffled = pl.read_parquet(tmp_path / "a" / "data.parquet").sample(fraction=1, shuffle=True, seed=1)
    schema = pq.read_schema(tmp_path / "a" / "data.parquet")
    pq.write_table(shuffled.to_arrow().cast(schema), tmp_path / "a" / "data.parquet")
    told.append(shoal.utility(tmp_path / "a", original=traces).to_dict())
    assert told[0] == told[1] == told[2]


def test_a_person_with_two_uids_is_refused(tmp_path):
    traces, out = traces_of([[(0, 0, 0)], [(1, 1, 1)]]), tmp_path / "r"
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(out, record=False)
    path = tmp_path / "r.secret" / "mapping.parquet"
    mapping = pq.read_table(path)
    pq.write_table(mapping.set_column(0, "original_uid", pa.array(["p0", "p0"])), path)
    with pytest.raises(DataError, match="several uids"):
        shoal.utility(out, original=traces)


def plain_figures(traces, release_rows, mapping, withheld):
    """The contract's figures by a loop over samples and boxes; ``withheld`` holds (uid, t, x, y) in cells."""
    figures = ("span_max_m", "span_sum_m", "span_s", "position_error_m", "time_error_s")
    per_sample, per_box = {name: [] for name in figures}, {name: [] for name in figures}
    deleted = created = 0
    for person, uid in enumerate(traces.people.to_pylist()):
        lo, hi = traces.offsets[person], traces.offsets[person + 1]
        samples = list(zip(traces.t[lo:hi].tolist(), traces.x[lo:hi].tolist(), traces.y[lo:hi].tolist(), strict=True))
        left = [s for s in samples if (uid, *s) not in withheld]
        covered = 0
        for row in (r for r in release_rows if r["uid"] == mapping.get(uid)):
            t0, t1 = (int(row[name].timestamp()) for name in ("t_start", "t_end"))
            x0, x1, y0, y1 = (row[name] for name in ("x_min", "x_max", "y_min", "y_max"))
            inside = [
                (60 * t, 100 * x, 100 * y)
                for t, x, y in left
                if t0 <= 60 * t < t1 and x0 <= 100 * x < x1 and y0 <= 100 * y < y1
            ]
            place = [float(np.hypot(x + 50 - (x0 + x1) / 2, y + 50 - (y0 + y1) / 2)) for _, x, y in inside]
            time = [abs(t + 30 - (t0 + t1) / 2) for t, _, _ in inside]
            spans = max(x1 - x0, y1 - y0), x1 - x0 + y1 - y0, t1 - t0
            for name, value in zip(figures, spans, strict=False):
                per_box[name].append(value)
                per_sample[name] += [value] * len(inside)
            for name, values in (("position_error_m", place), ("time_error_s", time)):
                per_sample[name] += values
                per_box[name] += [np.mean(values)] if values else []
            covered += len(inside)
            created += not inside
        deleted += len(samples) - covered
    return per_sample, per_box, deleted, created


GLOVES = [
    {"k": 2},
    {"k": 3, "suppress_share": 0.1},
    {"k": 2, "publish": "merge"},
    {"k": 2, "publish": "merge", "suppress_km": 3, "suppress_hours": 3},
    {"k": 2, "align_m": 500, "align_minutes": 30, "suppress_hours": 2},
]


@pytest.mark.parametrize("parameters", GLOVES)
def test_every_figure_of_table_2_equals_a_plain_loop(tmp_path, parameters):
    traces, out = shoal.read(synth.cdr(40, 2, preset="abidjan", seed=4)), tmp_path / "r"
    shoal.Glove(**parameters).protect(traces).write(out, record=False)
    found = shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict()
    mapping = {row["original_uid"]: row["uid"] for row in pq.read_table(f"{out}.secret/mapping.parquet").to_pylist()}
    listed = pq.read_table(f"{out}.secret/suppressed.parquet").to_pylist()
    withheld = {
        (row["original_uid"], int(row["t"].timestamp()) // 60, row["x"] // 100, row["y"] // 100)
        for row in listed
        if row["t"] is not None
    }
    rows = pq.read_table(out / "data.parquet").to_pylist()
    per_sample, per_box, deleted, created = plain_figures(traces, rows, mapping, withheld)

    assert list(found)[:7] == [
        "people_published",
        "people_suppressed",
        "samples_deleted_share",
        "samples_created",
        "per_sample",
        "per_box",
        "range_queries",
    ]
    assert found["people_published"] == len(mapping)
    assert found["people_suppressed"] == len(traces) - len(mapping)
    assert found["samples_deleted_share"] == deleted / traces.samples
    assert found["samples_created"] == created == 0
    for part, values in (("per_sample", per_sample), ("per_box", per_box)):
        assert list(found[part]) == list(values)
        for name, numbers in values.items():
            q25, median, q75 = np.percentile(numbers, (25, 50, 75))
            expected = {"mean": np.mean(numbers), "q25": q25, "median": median, "q75": q75}
            assert found[part][name] == pytest.approx(expected), (part, name)


def test_a_listed_sample_is_deleted_even_where_a_box_covers_it(tmp_path):
    # The far pair makes a long box that is withheld; the hull of the others' times and areas covers its samples.
    traces, out = shoal.read(synth.cdr(60, 4, preset="civ", seed=5)), tmp_path / "r"
    release = shoal.Glove(k=2, publish="merge", suppress_km=15, suppress_hours=2).protect(traces)
    release.write(out, record=False)
    found = shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict()
    rows = pq.read_table(f"{out}.secret/suppressed.parquet").to_pylist()
    lengths = dict(zip(traces.people.to_pylist(), traces.lengths.tolist(), strict=True))
    listed = sum(lengths[row["original_uid"]] if row["t"] is None else 1 for row in rows)
    assert found["samples_deleted_share"] == listed / traces.samples
    (Path(f"{out}.secret") / "suppressed.parquet").unlink()
    without = shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict()
    assert without["samples_deleted_share"] < found["samples_deleted_share"], "some are covered by chance"


def test_a_release_of_nothing(tmp_path):
    traces, out = traces_of([[(0, 0, 0)], [(5000, 300, 300)]]), tmp_path / "r"
    # None is made like this; somebody else's may be.
    mechanism = shoal.Glove(k=2, suppress_km=0.1)
    protected = mechanism._protect(traces, Run(Local(), silent))
    about = {"mechanism": "glove", "parameters": mechanism.parameters(), "claim": mechanism.claim}
    build_release(protected, span_s=traces.span_s, **about).write(out, record=False)
    result = shoal.utility(out, original=traces, secret=f"{out}.secret")
    assert repr(result) == "Accuracy(boxes of 0 people, 2 suppressed)"
    found = result.to_dict()
    assert (found["people_published"], found["people_suppressed"], found["samples_deleted_share"]) == (0, 2, 1)
    assert found["per_sample"]["span_s"] == {"mean": 0, "q25": 0, "median": 0, "q75": 0}


def test_a_life_through_several_row_groups_is_read_as_in_one(tmp_path):
    """Somebody has more boxes than a row group has rows, and others come before and after."""
    traces = traces_of([[(0, 0, 0)], [(60 * i, i, -i) for i in range(9)], [(5, 2, 2), (500, 3, 3)]])
    out = tmp_path / "r"
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(out, record=False)
    whole = shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict()
    table = pq.read_table(out / "data.parquet")
    for rows in (1, 2, 3):
        pq.write_table(table, out / "data.parquet", row_group_size=rows)
        assert shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict() == whole
    with pq.ParquetWriter(out / "data.parquet", table.schema) as writer:
        for part in (table[:0], table[:4], table[:0], table[4:]):
            writer.write_table(part)
    assert shoal.utility(out, original=traces, secret=f"{out}.secret").to_dict() == whole


def test_means_of_the_last_boxes_take_no_memory_for_those_before():
    tracemalloc.start()
    try:
        means = _means(np.array([10**7, 10**7, 10**7 + 2]), np.array([1.0, 3.0, 5.0]))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert means.tolist() == [2.0, 5.0]
    assert most < 1 << 20
    assert _means(np.empty(0, np.int64), np.empty(0)).size == 0


@pytest.mark.parametrize("column", ["uid", "t_end", "y_max", "lat", "lng"])
def test_an_empty_value_in_any_column_is_no_release(tmp_path, column):
    traces = traces_of([[(0, 0, 0), (500, 3, 3)], [(1, 1, 1)]])
    out = tmp_path / "r"
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(out, record=False)
    table = pq.read_table(out / "data.parquet")
    rows = table.to_pylist()
    rows[-1] |= {column: None}
    pq.write_table(pa.Table.from_pylist(rows, table.schema), out / "data.parquet")
    with pytest.raises(DataError, match="no kind of release"):
        shoal.utility(out, original=traces, secret=f"{out}.secret")
