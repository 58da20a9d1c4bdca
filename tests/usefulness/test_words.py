"""The sentence about accuracy: what half of the samples are still good for."""

import pytest

from shoal.usefulness.words import useful_for


def figures(metres, seconds, more=1):
    spans = {"span_max_m": metres, "span_s": seconds}
    return {"per_sample": {name: {"median": value, "q75": more * value} for name, value in spans.items()}}


@pytest.mark.parametrize(
    ("metres", "seconds", "words"),
    [
        (100.0, 60.0, "0.1 km and a minute: enough to tell streets and half hours apart"),
        (2_000.0, 7_200.0, "2 km and 2 hours: enough to tell neighbourhoods and hours apart"),
        (2_200.0, 3_900.0, "2.2 km and 65 minutes: enough to tell towns and hours apart"),
        (30_000.0, 100_000.0, "30 km and 27.8 hours: enough to tell regions and days apart"),
        (1_000.0, 30 * 86_400.0, "1 km and 30 days: too coarse in time for most uses"),
        (200_000.0, 3_600.0, "200 km and 60 minutes: too coarse in space for most uses"),
        (200_000.0, 3e6, "too coarse in space and in time for most uses"),
    ],
)
def test_what_it_is_good_for(metres, seconds, words):
    assert words in useful_for(figures(metres, seconds))


def test_a_quarter_that_is_far_beyond_counts():
    assert "too coarse in time" in useful_for(figures(1_000.0, 26 * 3600.0, more=10))
    assert "enough to tell" in useful_for(figures(1_000.0, 3600.0, more=10))


def test_other_kinds_and_nothing():
    assert useful_for({"compression": 1.0}) is None
    assert useful_for(figures(0.0, 0.0)) is None
