import signal

import pytest

from shoal.files.signals import deferred, raising
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
