import ctypes
import signal
import time

import pytest

from shoal.files.signals import deferred, none_lost, raising
from shoal.release import Terminated

FATAL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def _defaults():
    before = {number: signal.getsignal(number) for number in FATAL}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def are_default() -> bool:
    return [signal.getsignal(n) for n in FATAL] == [signal.default_int_handler, signal.SIG_DFL, signal.SIG_DFL]


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGTERM, Terminated), (signal.SIGHUP, Terminated), (signal.SIGINT, KeyboardInterrupt)]
)
@pytest.mark.parametrize("second", FATAL)
def test_raises_once(number, error, second):
    cleaned = False

    def work() -> None:
        nonlocal cleaned
        with raising():
            try:
                signal.raise_signal(number)
            finally:
                signal.raise_signal(second)
                cleaned = True

    with pytest.raises(error) as caught:
        work()
    assert cleaned
    assert are_default()
    if error is Terminated:
        assert caught.value.code == 128 + number


def test_nested_and_quiet():
    with raising():
        inside = signal.getsignal(signal.SIGTERM)
        with raising():
            assert signal.getsignal(signal.SIGTERM) is inside
        assert signal.getsignal(signal.SIGTERM) is inside
    assert are_default()


def test_ignored_signals_stay_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as under nohup
    with raising(), deferred():
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_deferred_signals_come_when_the_block_is_done():
    done = False

    def work() -> None:
        nonlocal done
        with raising(), deferred():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)
            done = True

    with pytest.raises(Terminated):
        work()
    assert done
    assert are_default()


def test_deferred_signals_reach_the_handler_of_the_host():
    got: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: got.append(number))
    with deferred():
        signal.raise_signal(signal.SIGTERM)
        assert got == []
    assert got == [signal.SIGTERM]


@ctypes.CFUNCTYPE(None, ctypes.c_int)
def called_back(number):
    """What is raised here cannot leave, as where numba loads a kernel."""
    signal.raise_signal(number)


@pytest.mark.parametrize(
    ("number", "error"), [(signal.SIGTERM, Terminated), (signal.SIGHUP, Terminated), (signal.SIGINT, KeyboardInterrupt)]
)
def test_a_signal_that_is_lost_in_a_callback_comes_again(number, error):
    def work() -> None:
        with raising(), none_lost():
            with raising():
                called_back(number)
            time.sleep(5)

    with pytest.raises(error):
        work()
    assert are_default()


def test_ctrl_c_that_is_lost_in_a_callback_comes_again_where_nothing_is_written():
    def work() -> None:
        with none_lost():
            called_back(signal.SIGINT)
            time.sleep(5)

    with pytest.raises(KeyboardInterrupt):
        work()


def test_what_else_is_lost_is_told_as_ever(monkeypatch):
    told: list[BaseException | None] = []
    monkeypatch.setattr("sys.unraisablehook", lambda lost: told.append(lost.exc_value))

    @ctypes.CFUNCTYPE(None)
    def fails():
        raise ValueError

    with none_lost():
        fails()
    assert [type(error) for error in told] == [ValueError]


def test_ctrl_c_while_handlers_are_set_is_raised_as_such(monkeypatch):
    set_as_ever, done = signal.signal, []

    def set_and_told(number, handler):
        before = set_as_ever(number, handler)
        done.append(number)
        if len(done) == 1:
            signal.raise_signal(signal.SIGINT)
        return before

    monkeypatch.setattr(signal, "signal", set_and_told)
    with pytest.raises(KeyboardInterrupt), raising():
        pass
    assert are_default()
