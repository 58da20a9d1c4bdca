"""Kernels are compiled meanwhile by a second process: the right ones, each once, and nobody is left waiting."""

import os
import pickle
import signal
import subprocess
import sys
import time
from functools import partial

import pyarrow.parquet as pq
import pytest

import shoal
from shoal import synth
from shoal.kernels.common import rehearsal
from shoal.measurement import kgap
from shoal.mechanisms import run
from shoal.mechanisms.registry import BUILT_IN, find

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

KERNEL = """
import sys, time
from shoal.kernels import common
common.__path__.append(sys.argv[1])
from shoal.kernels.common.slow import doubled
from shoal.kernels.common.kept import KernelCache, TakenError
KernelCache.waits = sys.argv[2] == "waits"
plain = doubled._compiler.compile
def slowly(*types):
    print("compiling", flush=True)
    sys.stdin.readline()
    return plain(*types)
doubled._compiler.compile = slowly
try:
    print(doubled(21), flush=True)
except TakenError:
    print("taken", flush=True)
print(sum(doubled.stats.cache_hits.values()), flush=True)
"""

SLOW = """
from shoal.kernels.common.jit import kernel

@kernel
def doubled(n):
    return 2 * n
"""


@pytest.fixture
def start(tmp_path):
    """Start a process that wants a kernel, which waits for a line when it compiles it."""
    (tmp_path / "slow.py").write_text(SLOW)
    begun = []

    def begin(waits="waits"):
        process = subprocess.Popen(
            [sys.executable, "-c", KERNEL, str(tmp_path), waits],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        return process

    yield begin
    for process in begun:
        process.kill()
        process.communicate()


def test_one_compiles_and_the_other_loads(start):
    first = start()
    assert first.stdout.readline() == "compiling\n"
    second = start()
    assert start("does not wait").communicate()[0] == "taken\n0\n"
    assert first.communicate("\n")[0] == "42\n0\n"
    assert second.communicate("\n")[0] == "42\n1\n"


def test_who_waits_for_one_that_dies_compiles(start):
    first = start()
    assert first.stdout.readline() == "compiling\n"
    second = start()
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert second.communicate("\n")[0] == "compiling\n42\n0\n"


def test_where_nothing_can_be_locked_everybody_compiles(start, tmp_path):
    first = start()
    first.communicate("\n")
    (lock,) = (tmp_path / "cache").rglob("*.lock")
    for code in (tmp_path / "cache").rglob("*.nb?"):
        code.unlink()
    lock.unlink()
    lock.mkdir()
    assert start().communicate("\n")[0] == "compiling\n42\n0\n"


MECHANISMS = {
    **{name: find(name)(**find(name).typical[-1]) for name in BUILT_IN},
    "glove, k = 7": shoal.Glove(k=7),
    "glove, published": shoal.Glove(k=3, grouping="published"),
}
WORKS = {
    "measure": (kgap._rehearse, kgap.measure),
    **{
        name: (partial(run._rehearse, mechanism), mechanism.protect)
        for name, mechanism in MECHANISMS.items()
        if run._can_be_rehearsed(mechanism)
    },
}


ONLY_FOR_TIES = {"content_order"}
"""Small kernels that are called where two stretches happen to be the same."""


MEASURED_WITHOUT = """
import sys
from shoal.measurement.kgap import _rehearse
_rehearse()
assert not {"pandas", "scipy"} & set(sys.modules)
"""


def test_nothing_that_nobody_needs_is_loaded_to_rehearse():
    third = rehearsal._python("rehearse", stdout=subprocess.PIPE, env={"NUMBA_DISABLE_JIT": "1"})
    rehearsal._send(third.stdin, pickle.dumps(partial(exec, MEASURED_WITHOUT)))
    assert pickle.loads(rehearsal._received(third.stdout))
    assert third.wait() == 0


def called_in(work):
    """The kernels that a piece of work calls in plain Python."""
    third = rehearsal._python("rehearse", stdout=subprocess.PIPE, env={"NUMBA_DISABLE_JIT": "1"})
    rehearsal._send(third.stdin, pickle.dumps(work))
    noted = pickle.loads(rehearsal._received(third.stdout))
    third.communicate()
    assert noted
    return {(called.module, called.name, str(called.types)) for called in noted}


@pytest.mark.parametrize(
    "work",
    [pytest.param(work, marks=pytest.mark.accept) if work == "glove, published" else work for work in WORKS],
)
def test_a_rehearsal_calls_what_the_work_calls(tmp_path, work):
    pq.write_table(synth.cdr(14, 1, seed=3), tmp_path / "events.parquet")
    rehearse, real = WORKS[work]
    missed = called_in(partial(real, tmp_path / "events.parquet")) - called_in(rehearse)
    assert {name for _, name, _ in missed} <= ONLY_FOR_TIES


USE = """
import sys
import shoal
from shoal import synth
from shoal.progress import told_of_compiling
with told_of_compiling(print):
    {work}(synth.cdr(40, 2, seed=1))
"""


@pytest.mark.parametrize(
    ("rehearse", "work"),
    [
        (partial(run._rehearse, shoal.Promesse(alpha_m=200)), "shoal.Promesse(alpha_m=200).protect"),
        pytest.param(kgap._rehearse, "shoal.measure", marks=pytest.mark.accept),
        *(
            pytest.param(
                partial(run._rehearse, shoal.Glove(k=k)), f"shoal.Glove(k={k}).protect", marks=pytest.mark.accept
            )
            for k in (2, 5)
        ),
    ],
)
def test_after_a_rehearsal_nothing_is_left_to_compile(tmp_path, monkeypatch, rehearse, work):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    second = rehearsal._python("compile_from_the_end", stdout=subprocess.DEVNULL)
    rehearsal._send(second.stdin, pickle.dumps(rehearse))
    assert second.wait() == 0
    used = subprocess.run([sys.executable, "-c", USE.format(work=work)], capture_output=True, text=True, check=True)
    assert used.stdout == ""


def test_the_second_process_ends_with_the_first():
    second = rehearsal._python("compile_from_the_end", stdout=subprocess.DEVNULL)
    rehearsal._send(second.stdin, pickle.dumps(partial(time.sleep, 300)))
    second.stdin.close()
    assert second.wait(60) == 0


BEGUN = """
import numpy as np
from shoal.kernels.common import rehearsal
from shoal.kernels.common.people import first_disorder
rehearsal.one_is_idle = lambda: {idle}
one = np.zeros(1, np.int16)
with rehearsal.rehearsed(print), rehearsal.rehearsed(repr):
    (work,) = rehearsal._begun
    print(work.rehearse is print, work.second is not None)
    first_disorder(np.array([0, 1]), one, one, one)
    print(work.second is not None)
print(rehearsal._begun, work.second is None or work.second.returncode)
"""


@pytest.mark.parametrize(
    ("idle", "kept", "said"),
    [
        (True, False, "True False True [] 0"),
        (False, False, "True False False [] True"),
        (True, True, "True False False [] True"),
    ],
)
def test_a_second_process_is_started_where_something_is_to_be_compiled(tmp_path, idle, kept, said):
    for _ in range(1 + kept):
        used = subprocess.run(
            [sys.executable, "-c", BEGUN.format(idle=idle)],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
    assert used.stdout.split() == said.split()


@pytest.mark.parametrize(
    ("processors", "load", "idle"), [(1, 0.0, False), (2, 1.9, True), (2, 2.0, False), (8, 7.5, True)]
)
def test_whether_one_is_idle(monkeypatch, processors, load, idle):
    monkeypatch.setattr(rehearsal, "processors", lambda: processors)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert rehearsal.one_is_idle() == idle


def test_what_a_rehearsal_prints_is_no_part_of_its_answer():
    third = rehearsal._python("rehearse", stdout=subprocess.PIPE, env={"NUMBA_DISABLE_JIT": "1"})
    rehearsal._send(third.stdin, pickle.dumps(print))
    assert pickle.loads(rehearsal._received(third.stdout)) == []
    assert third.communicate()[0] == b""
