"""A page comes with its digest, or not at all."""

import hashlib
import json
import os

import pytest

from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.errors import DataError, OutputError
from shoal.release.page import publish_page


@pytest.fixture
def written(tmp_path):
    return sound_boxes(groups=12, boxes=2, seed=1).write(tmp_path)


def content(written):
    return {path.name: path.read_bytes() for folder in written[:2] for path in folder.iterdir()}


def test_the_manifest_knows_the_page_and_the_secret_the_manifest(written):
    before = json.loads((written.release / "manifest.json").read_bytes())
    for page in (b"one", b"two"):
        path = publish_page(written.release, written.secret, page)
        assert path.read_bytes() == page
        manifest = (written.release / "manifest.json").read_bytes()
        said = json.loads(manifest)
        assert said["sha256"].pop("report.html") == hashlib.sha256(page).hexdigest()
        assert said == before
        line = (written.secret / "manifest.sha256").read_text()
        assert line == f"{hashlib.sha256(manifest).hexdigest()}  manifest.json\n"
    assert oct(path.stat().st_mode)[-3:] == "644"
    assert oct((written.secret / "manifest.sha256").stat().st_mode)[-3:] == "600"


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_where_a_step_fails_all_is_as_before(written, monkeypatch, failing):
    publish_page(written.release, written.secret, b"old page")
    before, renames = content(written), []
    real = os.replace

    def replace(source, target):
        renames.append(target)
        if len(renames) == failing + 1:
            raise OSError(5, "no")
        return real(source, target)

    monkeypatch.setattr("pathlib.Path.replace", lambda self, target: replace(self, target))
    with pytest.raises(OutputError):
        publish_page(written.release, written.secret, b"new page")
    assert content(written) == before


def test_a_manifest_that_somebody_changed_gets_no_page(written):
    (written.release / "manifest.json").write_bytes(b"{}")
    before = content(written)
    with pytest.raises(DataError, match="not the one"):
        publish_page(written.release, written.secret, b"page")
    assert content(written) == before
