import os
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.errors import OutputError
from shoal.release import check_targets


def refused(match: str, *args, **kwargs) -> None:
    with pytest.raises(OutputError, match=match):
        check_targets(*args, **kwargs)


def test_the_secret_lies_beside(tmp_path):
    assert check_targets(tmp_path / "out") == (tmp_path / "out", tmp_path / "out.secret")
    assert check_targets(f"{tmp_path}/out/") == (tmp_path / "out", tmp_path / "out.secret")
    assert check_targets(tmp_path / "out", f"{tmp_path}/s/").secret == tmp_path / "s"


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_targets("out", "s") == (tmp_path / "out", tmp_path / "s")
    assert check_targets("x/../out").release == tmp_path / "out"
    refused("exists already", ".")
    refused("exists already", "..")
    refused("no usable path", "/", "s")


def test_nothing_is_created(tmp_path):
    check_targets(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "directory", "full", "link", "dangling"])
@pytest.mark.parametrize("which", ["out", "out.secret", "elsewhere"])
def test_target_exists(tmp_path, kind, which):
    target = tmp_path / which
    if kind == "file":
        target.touch()
    elif kind == "link":
        (tmp_path / "other").mkdir()
        target.symlink_to(tmp_path / "other")
    elif kind == "dangling":
        target.symlink_to(tmp_path / "nowhere")
    else:
        target.mkdir()
        if kind == "full":
            (target / "file").touch()
    refused("exists already", tmp_path / "out", tmp_path / "elsewhere" if which == "elsewhere" else None)


def test_output_is_the_input(tmp_path):
    data = tmp_path / "data.parquet"
    data.touch()
    (tmp_path / "link").symlink_to(data)
    (tmp_path / "sub").mkdir()
    os.link(data, tmp_path / "hard")
    for same in (data, tmp_path / "link", tmp_path / "sub" / ".." / "data.parquet", tmp_path / "hard"):
        refused("output is the input", same, inputs=[data])
        refused("secret directory is the input", tmp_path / "out", same, inputs=[data])
    refused("output is the input", data, inputs=[str(tmp_path / "link")])


def test_output_inside_the_input_or_around_it(tmp_path):
    dataset = tmp_path / "dataset"
    dataset.mkdir()
    (dataset / "part.parquet").touch()
    (tmp_path / "link").symlink_to(dataset)
    refused("output lies inside the input", dataset / "out", inputs=[dataset])
    refused("output lies inside the input", tmp_path / "link" / "out", inputs=[dataset])
    refused("output lies inside the input", dataset / "out", inputs=[tmp_path / "link"])
    refused("output contains the input", dataset, inputs=[dataset / "part.parquet"])
    refused("secret directory lies inside the input", tmp_path / "out", dataset / "s", inputs=[dataset])
    # A sibling whose name begins alike is another place.
    check_targets(tmp_path / "dataset2", inputs=[dataset])


def test_frames_among_the_inputs_are_passed_over(tmp_path):
    check_targets(tmp_path / "out", inputs=[pa.table({"a": [1]}), None])


def test_secret_and_release_must_be_apart(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    out = tmp_path / "out"
    refused("secret directory lies inside the release", out, out / "secret")
    refused("secret directory lies inside the release", out, tmp_path / "link" / "out" / "a" / "b")
    refused("secret directory contains the release", tmp_path / "s" / "out", tmp_path / "s")
    refused("secret directory is the release", out, out)
    refused("secret directory is the release", out, tmp_path / "link" / "x" / ".." / "out")


def test_the_ledger_lies_outside(tmp_path):
    for ledger in (tmp_path / "out" / "ledger", tmp_path / "out.secret" / "l", tmp_path / "out"):
        refused("a ledger inside", tmp_path / "out", ledger=ledger)
    check_targets(tmp_path / "out", ledger=tmp_path / "ledger")


def test_parent_is_missing_or_a_file(tmp_path):
    refused("is missing", tmp_path / "no" / "out")
    refused("is missing", tmp_path / "out", tmp_path / "no" / "s")
    (tmp_path / "file").touch()
    refused("not a directory", tmp_path / "file" / "out")


def test_parent_is_not_writable(tmp_path, monkeypatch):
    if os.geteuid() == 0:  # root may write everywhere
        monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != tmp_path / "closed")
    (tmp_path / "closed").mkdir(0o500)
    refused("not writable", tmp_path / "closed" / "out")
    refused("not writable", tmp_path / "out", tmp_path / "closed" / "out")


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_no_path_at_all(path, tmp_path):
    refused("no usable path", path)
    refused("no usable path", tmp_path / "out", path)
