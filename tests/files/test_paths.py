"""Where something new may be written."""

import pytest

from shoal.cli.talk import as_options
from shoal.errors import OutputError
from shoal.files.paths import new_target


def test_a_free_name_is_returned_without_links_and_dots(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert new_target(tmp_path / "link" / ".." / "link" / "file") == tmp_path / "real" / "file"


@pytest.mark.parametrize("taken", ["file", "folder", "link", "dangling"])
def test_a_taken_name_is_refused_in_the_words_of_whoever_asked(tmp_path, taken):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(OutputError, match="exists already") as caught:
        new_target(tmp_path / taken)
    assert "`path`" in caught.value.hint
    assert "--out" in as_options(caught.value.hint)


@pytest.mark.parametrize("given", ["", "/", "a\0b", "missing/file", "file/file"])
def test_what_cannot_be_written_is_refused(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError):
        new_target(given)
