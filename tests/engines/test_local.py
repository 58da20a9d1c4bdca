"""Parts side by side: in order, in full, one total of progress, and all of them stop when one does."""

import signal
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines.local import Local
from shoal.errors import ParameterError

COUNT = st.integers(1, 6)


def square(part, workers, progress):
    """Square in a thread of the part's own."""
    progress("squaring", 0, 2)
    result = workers.pool.submit(lambda: part * part).result()
    progress("squaring", 2, 2)
    return result


@given(st.lists(st.integers(0, 50), max_size=12), COUNT, st.none() | COUNT)
def test_results_are_in_the_order_of_the_parts(parts, threads, beside):
    engine = Local(threads, beside)
    assert engine.map(square, parts) == [part * part for part in parts]
    assert engine.map(square, (part for part in parts), sizes=parts) == [part * part for part in parts]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), COUNT, COUNT)
def test_progress_adds_up_in_the_calling_thread(sizes, threads, beside):
    told, told_in = [], set()

    def progress(*line):
        told.append(line)
        told_in.add(threading.current_thread())

    def work(part, workers, tell):
        for done in (0, 2, 1, 3):  # a part may go back, the whole may not
            tell("first", done, 3)
        tell("second", 0, 0)

    Local(threads, beside).map(work, sizes, progress=progress, phase="third", sizes=sizes)
    assert told_in == {threading.current_thread()}
    assert {total for _, _, total in told} == {sum(sizes)}
    for phase in ("first", "second", "third"):
        done = [done for name, done, _ in told if name == phase]
        assert done == sorted(done)
        assert done[-1] == sum(sizes)


def test_a_part_that_tells_nothing_counts_when_it_is_finished():
    told = []
    Local(1).map(lambda *_: None, "abc", progress=lambda *line: told.append(line), phase="parts")
    assert told == [("parts", 1, 3), ("parts", 2, 3), ("parts", 3, 3)]
    told.clear()
    Local(1).map(lambda *_: None, "abc", progress=lambda *line: told.append(line))
    assert not told


def test_parts_run_side_by_side_and_are_made_when_there_is_room():
    made, when_met = [], []
    meeting = threading.Barrier(3, action=lambda: when_met.append(len(made)), timeout=60)

    def parts():
        for part in range(6):
            made.append(part)
            yield part

    Local(threads=3).map(lambda *_: meeting.wait(), parts(), sizes=[1] * 6)
    assert when_met == [3, 6]


@pytest.mark.parametrize(
    ("threads", "beside", "parts", "shares"),
    [
        (8, None, 3, [3, 3, 2]),
        (2, None, 5, [1, 1]),
        (2, 1, 5, [2]),
        (1, 4, 2, [1, 1]),
        (5, 2, 9, [3, 2]),
    ],
)
def test_threads_are_divided(threads, beside, parts, shares):
    engine = Local(threads, beside)
    assert engine._shares(parts) == shares
    given_out = engine.map(lambda _part, workers, _tell: workers.threads, range(parts))
    assert set(given_out) <= set(shares)


def test_an_error_stops_the_others():
    started = []

    def work(part, workers, progress):
        started.append(part)
        if part == 0:
            raise ValueError("part 0")
        while True:
            time.sleep(0.001)
            progress("waiting", 0, 1)

    with pytest.raises(ValueError, match="part 0"):
        Local(threads=2).map(work, range(1000))
    assert len(started) <= 3


def test_an_error_stops_those_who_only_use_their_threads():
    def work(part, workers, progress):
        if part == 0:
            raise ValueError("part 0")
        while True:
            workers.pool.submit(time.sleep, 0.001).result()

    with pytest.raises(ValueError, match="part 0"):
        Local(threads=2).map(work, range(2))


def test_progress_may_interrupt():
    def interrupt(phase, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Local(threads=2).map(square, range(5), progress=interrupt)


CTRL_C = """
import sys, time
from shoal.engines.local import Local

def work(part, workers, progress):
    sys.stdout.write("at work\\n")  # a whole line in one go: both threads are at work
    sys.stdout.flush()
    while True:
        workers.pool.submit(time.sleep, 0.01).result()

try:
    Local(threads=2).map(work, range(4))
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_stops_all():
    running = subprocess.Popen([sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "at work\n"
    running.send_signal(signal.SIGINT)
    rest, _ = running.communicate(timeout=60)
    assert rest.splitlines()[-1] == "stopped"
    assert running.returncode == 0


def test_sizes_are_those_of_the_parts():
    with pytest.raises(ValueError):
        Local(1).map(square, [1, 2, 3], sizes=[1, 1])


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
@pytest.mark.parametrize("name", ["threads", "beside"])
def test_numbers_that_cannot_work_are_refused(name, wrong):
    with pytest.raises(ParameterError, match=f"`{name}="):
        Local(**{name: wrong})
