"""Compiled code is kept, and found again; it gives memory back."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.kernels.common import jit

SCRIPT = """
import numpy as np
from shoal.progress import told_of_compiling
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of
one, told = np.zeros(1, np.int32), []
with told_of_compiling(lambda phase, done, total: told.append((done, total))):
    pack(np.array([0, 1]), one, one, one, scale_of(200, 480))
print(*told, sep=";")
"""


def run(script, **environment):
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_what_is_compiled_is_told_and_kept(tmp_path):
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("nothing is compiled")
    assert "".join(run(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path))) == "(0,0);(1,1)"
    assert run(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path)) == []


def test_kernels_run_as_plain_python(tmp_path):
    assert run(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT="1") == []


MAPS = """
import sys
from shoal.kernels import common, glove, kgap, kmerge
print(*("numba" in sys.modules, *("drives" in part.__doc__ for part in (glove, kgap, kmerge))))
"""


def test_the_maps_are_read_without_numba():
    assert run(MAPS) == ["False", "True", "True", "True"]


WHERE = "from shoal.kernels.common.jit import cache_folder; print(cache_folder('common'))"


def test_old_folders_are_removed_and_those_in_use_stay(tmp_path):
    (current,) = run(WHERE, NUMBA_CACHE_DIR=str(tmp_path))
    made = {}
    for name in ("kernels-0123456789abcdef", "kernels-fedcba9876543210", "kernels-of-others", "numba-0123456789abcdef"):
        made[name] = tmp_path / name
        (made[name] / "inside").mkdir(parents=True)
        (made[name] / "inside" / "code.nbc").touch()
    for folder in (tmp_path / current, *made.values()):
        os.utime(folder, (0, 0))
    os.utime(made["kernels-fedcba9876543210"])
    assert run(WHERE, NUMBA_CACHE_DIR=str(tmp_path)) == [current]
    left = {folder.name for folder in tmp_path.iterdir()}
    assert left == {Path(current).name, *made} - {"kernels-0123456789abcdef"}
    assert Path(current).stat().st_mtime > time.time() - 600, "marked as in use"


def test_what_cannot_be_removed_stays(tmp_path, monkeypatch):
    current, old = tmp_path / "kernels-0123456789abcdef", tmp_path / "kernels-fedcba9876543210"
    for folder in (current, old):
        folder.mkdir()
    os.utime(old, (0, 0))
    monkeypatch.setattr(jit.os, "rmdir", lambda *_, **__: (_ for _ in ()).throw(PermissionError))
    jit.remove_unused(current)
    jit.remove_unused(tmp_path / "nowhere" / "kernels-0123456789abcdef")
    assert old.exists()


def test_the_fingerprint_covers_sub_folders_and_what_is_imported(tmp_path, monkeypatch):
    """Names and contents, not what was compiled, and not what others do."""
    monkeypatch.setattr(jit, "KERNELS", tmp_path)
    for folder in ("glove/inner", "kgap", "kmerge", "common"):
        (tmp_path / folder).mkdir(parents=True)
    seen = [jit.fingerprint("glove")]

    def changed():
        seen.append(jit.fingerprint("glove"))
        return seen[-1] not in seen[:-1]

    inner = tmp_path / "glove" / "inner" / "boxes.py"
    inner.write_text("from shoal.kernels.kgap import stretch")
    assert changed()
    inner.rename(tmp_path / "glove" / "boxes.py")
    assert changed()
    (tmp_path / "kgap" / "stretch.py").write_text("from shoal.kernels.common.jit import kernel")
    assert changed(), "imported"
    (tmp_path / "common" / "jit.py").write_text("a = 1")
    assert changed(), "imported by what is imported"
    (tmp_path / "kmerge" / "solve.py").write_text("a = 1")
    (tmp_path / "glove" / "__pycache__").mkdir()
    (tmp_path / "glove" / "__pycache__" / "left.py").write_text("")
    assert not changed()


LEAKS = """
import gc
import shoal
from numba.core.runtime import rtsys
from shoal import synth
from shoal.mechanisms.glove import Glove
traces = shoal.read(synth.cdr(60, 3, seed=1))
for k in (2, 3):
    Glove(k=k).protect(traces)
    Glove(k=k, publish="merge").protect(traces)
shoal.measure(traces, k=3)
del traces
gc.collect()
arrays = rtsys.get_allocation_stats()
print(arrays.mi_alloc, arrays.mi_free)
"""


def test_every_array_that_kernels_make_is_given_back():
    """A helper counts no references: what a maker gave it would never be freed, what it gave away twice."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("nothing is compiled")
    made, freed = run(LEAKS, NUMBA_NRT_STATS="1")
    assert int(made) > 1000
    assert made == freed
