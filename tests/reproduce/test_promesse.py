"""Promesse's tables: the pre-processing against plain loops, and a small run as a user starts it."""

import csv
import json
import os
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal import synth
from shoal.data import read_fixes
from shoal.errors import DataError, ParameterError
from shoal.progress import silent
from shoal.reproduce.promesse import run
from shoal.reproduce.promesse.findings import LATER, PAPER, PATH, findings_of, judged
from shoal.reproduce.promesse.plan import Job, jobs
from shoal.reproduce.promesse.prepared import prepared
from shoal.reproduce.promesse.printed import DATA_SETS

SHOAL = Path(sysconfig.get_path("scripts")) / "shoal"
DAY_S, START_S = 86_400, 1_577_836_800


def naive_prepared(people, days):
    """Traces of (t, lat) of each person, from Promesse §V-A by plain loops; times in seconds from the first day."""
    first_day = min(t for rows in people.values() for t, _ in rows) // DAY_S
    traces = []
    for uid in sorted(people):
        rows = sorted(people[uid])
        dates = sorted({t // DAY_S for t, _ in rows})
        if len(dates) < days + 1:
            continue
        moved = [((first_day + dates.index(t // DAY_S)) * DAY_S + t % DAY_S, lat) for t, lat in rows]
        kept = [(t, lat) for t, lat in moved if t - moved[0][0] < days * DAY_S]
        last = None
        for t, lat in kept:
            if last is None or t - last >= 4 * 3600:
                traces.append((uid, []))
            traces[-1][1].append((t, lat))
            last = t
    return traces


crowds = st.lists(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 23)), min_size=1, max_size=12), min_size=1, max_size=4
)


@settings(max_examples=80, deadline=None)
@given(crowds, st.integers(1, 3))
@example(
    [[(0, 5), (3, 4), (3, 5), (3, 6)]], 1
)  # empty days are removed, and 24 hours are counted from the first record
@example([[(0, 0), (0, 4), (1, 0)]], 1)  # a gap of 4 hours cuts
def test_prepared_equals_plain_loops(crowd, days):
    people = {
        f"p{i}": [(START_S + d * DAY_S + h * 3600, 40 + n / 100) for n, (d, h) in enumerate(rows)]
        for i, rows in enumerate(crowd)
    }
    flat = [(uid, t, lat) for uid, rows in people.items() for t, lat in rows]
    fixes = read_fixes(
        {
            "uid": [uid for uid, _, _ in flat],
            "datetime": np.array([t for _, t, _ in flat]).astype("M8[s]"),
            "lat": [lat for _, _, lat in flat],
            "lng": [5.0] * len(flat),
        },
        tz="UTC",
    )
    expected = naive_prepared(people, days)
    if not expected:
        with pytest.raises(DataError, match="more than"):
            prepared(fixes, days)
        return
    found = prepared(fixes, days)
    lengths = [len(rows) for _, rows in expected]
    assert found.traces.lengths.tolist() == lengths
    assert (found.traces.t_us // 1_000_000).tolist() == [t for _, rows in expected for t, _ in rows]
    assert sorted(found.traces.lat) == pytest.approx(sorted(lat for _, rows in expected for _, lat in rows))
    assert [f"p{i}" for i in found.person_of] == [uid for uid, _ in expected]


def test_table_1_and_glitches():
    lat = np.array([40, 40.001, 41, 40.002])  # 111 m, then 111 km there and back, a minute each
    times = (START_S + np.array([0, 60, 120, DAY_S])).astype("M8[s]")
    fixes = read_fixes({"uid": ["a"] * 4, "datetime": times, "lat": lat, "lng": [5.0] * 4}, tz="UTC")
    found = prepared(fixes, 1).table_1()
    assert (found["records"], found["traces"], found["people"]) == (3, 1, 1)
    assert (found["mean_duration_s"], found["sampling_s"]) == (120, 60)
    assert found["way_km"] == pytest.approx(111.04, abs=0.1)
    assert found["way_in_glitches_share"] == pytest.approx(0.999, abs=0.001)


def test_all_rows_of_the_paper_are_run():
    assert [job.name for job in jobs("cabspotting") if job.way != "path"] == [
        "promesse-100-chord",
        "promesse-200-chord",
        "promesse-500-chord",
        "geoind-ln10-100",
        "geoind-ln6-200",
        "geoind-ln4-200",
        "geoind-ln2-200",
        "w4m",
    ]
    for one in DATA_SETS:
        for job in jobs(one):
            assert not job.known or job.made().name == job.mechanism


def test_what_comes_later_has_its_rows():
    pieces = {Job("w4m", "w4m"): None}
    table = {"records": 1, "traces": 1, "mean_duration_s": 1, "longest_duration_s": 1, "sampling_s": 1}
    rows = {row.where: row for row in findings_of("cabspotting", table, pieces, {})}
    assert rows["III"].measured == {PAPER: LATER, PATH: ""}
    assert (rows["III"].printed, rows["III"].note) == ("13,046 m", "")
    assert (rows["V"].printed, rows["V"].measured[PAPER]) == ("36,300 s", LATER)


@pytest.mark.parametrize(
    ("printed", "measured", "error", "verdict"),
    [
        (6.33, 6.6, 0, "as printed"),
        (6.33, 6.9, 0, "near: x"),
        (6.33, 7.1, 0, "not met: x"),
        (6.33, 7.1, 0.4, "as printed"),
        (0, 0.49, 0, "as printed"),
        (0, 0.6, 0, "not met: x"),
        (1.49, 1.3, 0, "not met: x"),
    ],
)
def test_verdicts(printed, measured, error, verdict):
    assert judged(printed, measured, error, "x") == verdict


def reproduced(folder, *arguments):
    return subprocess.run(
        [SHOAL, "reproduce", "promesse", *arguments],
        cwd=folder,
        env=os.environ | {"COLUMNS": "100"},
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )


def test_the_command_makes_tables_and_goes_on(tmp_path):
    pq.write_table(synth.gps(5, 3, seed=1).points, tmp_path / "gps.parquet")
    few = (
        "--data",
        "gps.parquet",
        "--printed",
        "cabspotting",
        "--days",
        "2",
        "--only",
        "promesse,geoind",
        "--out",
        "out",
        "-q",
    )
    done = reproduced(tmp_path, *few)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    rows = {row["what"]: row for row in csv.DictReader((out / "findings.csv").open())}
    assert rows["error, Promesse 200 m"]["printed"] == "0 m"
    assert float(rows["error, Promesse 200 m"][PATH].split()[0]) < 0.05, "rounding of degrees alone"
    assert float(rows["error, Promesse 200 m"][PAPER].split()[0]) > 1, "corners are cut"
    assert rows["F-score, Geo-I ln10/100"]["printed"] == "30.72 %"
    assert rows["size, Geo-I ln2/200"][PAPER] == "100 %"
    assert "Not measured yet" not in (out / "README.md").read_text()
    piece = json.loads((out / "geoind-ln2-200.json").read_text())
    assert piece["figures"]["poi_per_trace"]["counted"] > 0
    assert (out / "spatial-error.svg").exists()
    marked = out / "geoind-ln2-200.json"
    piece["figures"]["spatial_error_m"] = 4321.0
    marked.write_text(json.dumps(piece))
    again = reproduced(tmp_path, *few)
    assert "4,321" in again.stdout, "finished pieces are taken from the disk"
    piece["made_from"]["seed"] = 5
    marked.write_text(json.dumps(piece))
    again = reproduced(tmp_path, *few)
    assert _but_times(again.stdout) == _but_times(done.stdout)


def _but_times(text):
    return [line for line in text.splitlines() if not line.startswith("V ")]


def test_what_cannot_be_is_told(tmp_path):
    for arguments, hint in (
        (("--scale", "paper"), "--data"),
        (("--printed", "cabspoting"), "cabspotting"),
        (("--only", "promess"), "promesse"),
        (("--days", "0"), "1 or more"),
    ):
        done = reproduced(tmp_path, *arguments)
        assert done.returncode == 1
        assert hint in done.stderr
    with pytest.raises(ParameterError, match="without data"):
        run.reproduce(tmp_path, scale="paper", progress=silent)
