"""Processors are counted in one place, on systems that say less, too; workers close with what has not begun."""

import os
from threading import Event, Timer

from shoal.workers import processors, workers


def test_counts_the_processors_that_this_process_may_use(monkeypatch):
    assert processors() >= 1
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 5, 7}, raising=False)
    assert processors() == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set())
    assert processors() == 1


def test_counts_all_processors_where_no_affinity_is_known(monkeypatch):
    """As on macOS."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for count, expected in ((8, 8), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert processors() == expected
        with workers() as crew:
            assert crew.threads == expected


def test_what_has_not_begun_when_they_close_is_dropped():
    begun, go = Event(), Event()

    def wait():
        begun.set()
        return go.wait()

    with workers(1) as crew:
        first, second = crew.pool.submit(wait), crew.pool.submit(wait)
        begun.wait()
        Timer(0.1, go.set).start()
    assert first.result()
    assert second.cancelled()
