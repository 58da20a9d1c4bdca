import json
import os
import platform
import re
import socket
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.contract.claims import KAnonymity
from shoal.contract.files import spelled
from shoal.data.grid import Grid
from shoal.release import manifest, suppressed, with_digest

KEYS = {
    *("format_version", "mechanism", "parameters", "promise", "budgets", "kind", "schema", "crs", "grid"),
    *("base_grid", "sha256", "versions", "counts", "date"),
}


def strings_of(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)
    else:
        yield str(value)


def test_what_is_in_it(make_release):
    release = make_release(13, parameters={"k": np.int64(2), "publish": "kmerge", "suppress_share": np.float64(0.0)})
    assert set(release.manifest) == KEYS
    assert release.manifest["format_version"] == 2
    assert release.manifest["mechanism"] == "some"
    assert release.manifest["kind"] == "boxes"
    assert release.manifest["parameters"] == {"k": 2, "publish": "kmerge", "suppress_share": 0.0}
    assert release.manifest["crs"] == "+proj=laea +lat_0=6 +lon_0=-5 +datum=WGS84 +units=m +no_defs"
    assert release.manifest["grid"] == {"cell_m": 1000, "dt_s": 3600}
    assert release.manifest["base_grid"] == {"cell_m": 100, "dt_s": 60}
    assert release.manifest["promise"] == KAnonymity(2).promise(release.manifest["parameters"]).to_dict()
    assert release.manifest["promise"]["claim"] == {"name": "k-anonymity", "k": 2}
    assert release.manifest["date"] == datetime.now(UTC).date().isoformat()
    assert release.manifest["versions"]["python"] == platform.python_version()
    assert release.manifest["schema"] == [
        {"name": "uid", "type": "string"},
        {"name": "t_start", "type": "timestamp[us, UTC]"},
        {"name": "t_end", "type": "timestamp[us, UTC]"},
        {"name": "x_min", "type": "int32"},
        {"name": "x_max", "type": "int32"},
        {"name": "y_min", "type": "int32"},
        {"name": "y_max", "type": "int32"},
        {"name": "lat", "type": "float64"},
        {"name": "lng", "type": "float64"},
    ]


def test_counts_are_rounded_to_ten(make_release):
    people = [f"x{i}" for i in range(13)]
    withheld = suppressed.concat(
        suppressed.whole_people([f"gone{i}" for i in range(26)], "leftover"),
        # Somebody published of whom single samples are missing is not suppressed.
        pa.table(
            {
                "original_uid": ["x1"] * 8,
                "t": pa.array([0] * 8, pa.timestamp("us", "UTC")),
                "x": pa.array([0] * 8, pa.int32()),
                "y": pa.array([0] * 8, pa.int32()),
                "reason": ["share"] * 8,
            }
        ),
    )
    assert make_release(people, withheld=withheld).manifest["counts"] == {
        "people_published": 10,
        "people_suppressed": 30,
        "rows": 40,
        "samples_suppressed": 10,
    }


def test_nobody(make_release):
    assert set(make_release([]).manifest["counts"].values()) == {0}


def test_nothing_forbidden_on_disk(make_release, tmp_path):
    people = [f"person-{i:06d}" for i in range(40)]
    parameters = {"k": 2, "seed": 987654321, "threads": 7, "out": str(tmp_path), "cells": "/data/cells.parquet"}
    release = make_release(people, parameters=parameters, run={"seed": 987654321, "input": "/data/in.parquet"})
    release.write(tmp_path / "out", record=False)
    text = (tmp_path / "out" / "manifest.json").read_text()
    content = json.loads(text)
    assert text == json.dumps(content, sort_keys=True, indent=2) + "\n"
    assert set(content) == KEYS
    for forbidden in ("seed", "987654321", "threads", "/data", str(tmp_path), str(Path.home()), "person-0", os.sep):
        assert forbidden not in text.replace(content["crs"], "")
    assert len(socket.gethostname()) < 4 or socket.gethostname() not in text
    assert not any(re.search(r"\d\d:\d\d", value) for value in strings_of(content)), "a time of day"
    digests = [value for value in strings_of(content) if re.fullmatch("[0-9a-f]{64}", value)]
    assert digests == [content["sha256"]["data.parquet"]]


@pytest.mark.parametrize(
    "name", ["seed", "Seed", "threads", "path", "secret", "ledger", "noise_seed", "cells-path", "master", "person"]
)
def test_names_that_never_go_in(name):
    assert manifest.public_parameters({name: 1, "k": 2}) == {"k": 2}
    assert manifest.public_parameters({"nested": {name: 1, "k": 2}}) == {"nested": {"k": 2}}


def test_paths_never_go_in_whatever_their_name():
    assert manifest.public_parameters({"a": Path("/x"), "b": [Path("/x"), 1]}) == {"b": [1]}


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "é", "a/b"]),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=5,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["k", "tau", "epsilon", "seed", "threads", "out"]), values))
def test_parameters_survive_json(parameters):
    public = manifest.public_parameters(parameters)
    assert set(public) == set(parameters) - {"seed", "threads", "out"}
    assert json.loads(spelled(public)) == public


def test_other_types():
    given_ = {"flag": np.bool_(True), "grid": Grid(50, 30), "known": ("w1_weekday_day",)}
    assert manifest.public_parameters(given_) == {
        "flag": True,
        "grid": {"cell_m": 50, "dt_s": 30},
        "known": ["w1_weekday_day"],
    }
    with pytest.raises(AssertionError, match="object"):
        manifest.public_parameters({"k": object()})
    with pytest.raises(ValueError):
        spelled({"k": float("inf")})


def test_digests_of_data_and_page_only(make_release):
    before = make_release().manifest
    assert before["sha256"] == {}
    both = with_digest(with_digest(before, "data.parquet", "a"), "report.html", "b")
    assert both["sha256"] == {"data.parquet": "a", "report.html": "b"}
    assert before["sha256"] == {}
    with pytest.raises(AssertionError):
        with_digest(before, "mapping.parquet", "c")


def test_stamp(make_release):
    assert make_release(seed=0).manifest["not_for_release"] is True
    assert "not_for_release" not in make_release().manifest
