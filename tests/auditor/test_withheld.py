"""What is withheld has its reason: thresholds, shares, emptied groups; and nothing sound is accused."""

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.auditor.case import Case
from shoal.auditor.cutting import Cutter
from shoal.auditor.limits import Limits, limits
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.broken_withheld import with_thresholds
from shoal.auditor.selftest.sound_boxes import sound_boxes

MINE = {"tokens", "coverage", "truthful", "everyone", "parameters", "mapping", "row_order"}


def failed(release, original, secret, only=MINE):
    checks = run_checks(Case(release, original=original, secret=secret), only=only)
    return {f"{check.id}.{name}" for check in checks for name in check.broken}


def test_the_draft_with_thresholds_is_sound(tmp_path):
    draft = sound_boxes(seed=3)
    with_thresholds(draft)
    written = draft.write(tmp_path)
    assert set(draft.suppressed["reason"]) == {"threshold", "screened"}
    assert failed(written.release, written.original, written.secret) == set()


def test_limits_are_the_decimal_numbers_that_they_print_as():
    assert limits({"suppress_km": 0.3, "suppress_hours": 0.1}) == Limits(300, 360)
    assert not limits({"suppress_km": None})
    assert not limits({"suppress_km": True, "suppress_hours": "2"})
    assert limits({"suppress_km": 5}).beyond(5_001, 0, 0)
    assert not limits({"suppress_km": 5}).beyond(5_000, 5_000, 10**9)


def cuts_of(times, members, size):
    """All ways to cut times into pieces that hold everybody and cannot be cut further, by trying."""
    count = len(times)

    def whole(low, high):
        return len(set().union(*members[low:high])) == size

    for bits in range(1 << max(count - 1, 0)):
        edges = [0, *(i + 1 for i in range(count - 1) if bits >> i & 1), count]
        pieces = list(pairwise(edges))
        if all(whole(*piece) for piece in pieces) and not any(
            whole(low, middle) and whole(middle, high) for low, high in pieces for middle in range(low + 1, high)
        ):
            yield pieces


sample = st.tuples(st.integers(0, 7), st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))


@given(st.lists(sample, min_size=1, max_size=10), st.integers(0, 4), st.integers(0, 6))
def test_a_stretch_can_be_cut_iff_some_cut_does_it(samples, side, time):
    samples = sorted((t * 60, x * 100, y * 100, member) for t, x, y, member in samples)
    size = len({member for *_, member in samples})
    allowed = Limits(side * 100, time * 60)
    times = sorted({t for t, *_ in samples})
    at = [[s for s in samples if s[0] == t] for t in times]
    members = [{s[3] for s in group} for group in at]

    def large(low, high):
        inside = [s for group in at[low:high] for s in group]
        x, y, t = ([s[axis] for s in inside] for axis in (1, 2, 0))
        return allowed.beyond(max(x) - min(x) + 100, max(y) - min(y) + 100, max(t) - min(t) + 60)

    expected = any(all(large(*piece) for piece in pieces) for pieces in cuts_of(times, members, size))
    assert Cutter(allowed, 60, 100).may_be(samples, size) == expected


def test_a_stretch_without_everybody_cannot_be_cut():
    assert not Cutter(Limits(100, None), 60, 100).may_be([(0, 0, 0, 1), (60, 900, 0, 1)], 2)


@pytest.fixture(scope="module")
def events():
    return synth.cdr(60, 2, preset="civ", seed=8)


SOUND = {
    "thresholds": {"k": 2, "suppress_km": 10, "suppress_hours": 4},
    "aligned": {"k": 2, "suppress_hours": 6, "align_m": 1000, "align_minutes": 60},
    "all": {"k": 3, "suppress_share": 0.1, "suppress_km": 10, "align_m": 500, "align_minutes": 720},
    "merge": {"k": 2, "publish": "merge", "suppress_km": 10, "suppress_hours": 4, "align_minutes": 60},
    "parts": {"k": 2, "partition": 20, "leftover_limit": 0.2, "suppress_km": 10, "min_per_day": 2.0},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SOUND)
def test_what_glove_withholds_has_its_reason(tmp_path, events, case):
    shoal.Glove(**SOUND[case]).protect(shoal.read(events)).write(tmp_path / "r", record=False)
    secret = tmp_path / "r.secret"
    assert pl.read_parquet(secret / "suppressed.parquet").height
    assert failed(tmp_path / "r", events, secret) == set()


@pytest.mark.slow
@pytest.mark.parametrize("publish", ["kmerge", "merge"])
def test_thresholds_that_were_raised_or_forgotten_are_seen(tmp_path, events, publish):
    release = shoal.Glove(k=2, publish=publish, suppress_km=10.0, suppress_hours=4.0).protect(shoal.read(events))
    for number, (km, hours, seen) in enumerate(
        (
            (300.0, 400.0, "parameters.threshold_large"),
            (None, None, "parameters.reasons_asked_for"),
            (0.4, 0.2, "parameters.suppress_km" if publish == "kmerge" else "parameters.hulls"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        release.write(folder / "r", secret=folder / "s", record=False)
        case = Case(folder / "r", original=events, secret=folder / "s")
        case.manifest["parameters"] |= {"suppress_km": km, "suppress_hours": hours}
        checks = run_checks(case, only={"parameters"})
        assert seen.partition(".")[2] in checks[0].broken
