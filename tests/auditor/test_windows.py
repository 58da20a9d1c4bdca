"""The audit of window hiding: against its slow twin, on the small cases, and on releases."""

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import shoal
from auditor import naive_windows as naive
from shoal.attacks.crowd import Crowd, Samples
from shoal.auditor import window_fits
from shoal.auditor.case import Case
from shoal.auditor.chance import mean_within
from shoal.auditor.raw import project
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import CELL_M, CRS, DT_S, START_S, centred, outsider
from shoal.auditor.selftest.sound_windows import sound_windows
from shoal.contract.claims import WindowHiding
from shoal.contract.kinds import BOXES

NAMES = ("intervals", "few_cover", "few_left", "withheld", "leaking")


def flat(rows, width):
    offsets = np.concatenate(([0], np.cumsum([len(some) for some in rows]))).astype(np.int64)
    return offsets, np.array([row for some in rows for row in sorted(some)], np.int64).reshape(-1, width).T


def arrays(people, names):
    """Turn what is given in slots, samples of each person and (person, boxes) of each name, into arrays."""
    offsets, (t, x, y) = flat(people, 3)
    samples = Samples(offsets, t * DT_S, x * CELL_M, y * CELL_M, CELL_M, DT_S)
    rows, (t0, t1, *edges) = flat([boxes for _, boxes in names], 6)
    crowd = Crowd(rows, t0 * DT_S, t1 * DT_S, *(edge * CELL_M for edge in edges))
    return crowd, np.array([person for person, _ in names], np.int64), samples


def fast(people, names, k, tau, epsilon):
    claim = WindowHiding(k, tau * DT_S, epsilon * DT_S)
    return window_fits.fits(*arrays(people, names), claim, rng=np.random.default_rng(1))


def both(people, names, k, tau, epsilon):
    """Return what the slow twin finds, by person, and require that the fast version finds the same."""
    boxes = {}
    for person, some in names:
        if person >= 0:
            boxes[person] = boxes.get(person, []) + list(some)
    slow = naive.audit(dict(enumerate(people)), boxes, k, tau, epsilon)
    found = fast(people, names, k, tau, epsilon)
    assert found.looked_at == found.people == len(slow)
    for row, person in enumerate(sorted(slow)):
        wanted = slow[person]
        assert {name: int(getattr(found, name)[row]) for name in NAMES} == {name: wanted[name] for name in NAMES}
        for name in ("least_cover", "least_left"):
            assert wanted[name] is None or int(getattr(found, name)[row]) == wanted[name]
        assert np.isclose(found.tightest[row], float(wanted["tightest"]))
    return slow


place = st.integers(-3, 3)
sample = st.tuples(st.integers(0, 24), place, place)
people_of = st.lists(st.lists(sample, max_size=6, unique=True), min_size=2, max_size=5).filter(any)


@st.composite
def releases(draw):
    """Samples, and boxes around some of them and of others: loose and tight ones, overlapping, missing, wrong."""
    people = draw(people_of)
    pool = [s for samples in people for s in samples]
    names = []
    for person, samples in enumerate(people):
        if draw(st.integers(0, 9)) == 0:
            continue
        boxes = set()
        for seed in [*draw(st.lists(st.sampled_from(samples), max_size=4)), *samples] if samples else []:
            around = [seed, *draw(st.lists(st.sampled_from(pool), max_size=2))]
            low, high = ([edge(s[d] for s in around) for d in range(3)] for edge in (min, max))
            boxes.add((low[0], high[0] + 1, low[1], high[1] + 1, low[2], high[2] + 1))
        if boxes:
            keep = draw(st.lists(st.sampled_from(sorted(boxes)), min_size=1, unique=True))
            owner = draw(st.sampled_from([person, person, person, person, person, -1, 0]))
            names.append((owner, keep))
    epsilon = draw(st.integers(1, 6))
    return people, names, draw(st.integers(2, 4)), epsilon * draw(st.integers(1, 3)), epsilon


def test_no_name_at_all():
    assert fast([[(0, 0, 0)]], [(-1, [(0, 1, 0, 1, 0, 1)])], 2, 1, 1).people == 0


@settings(max_examples=300)
@given(releases().filter(lambda release: release[1]))
@example(([[(0, 0, 0)], []], [(0, [(0, 1, 0, 1, 0, 1)])], 2, 1, 1))
def test_the_slow_twin_finds_the_same(release):
    both(*release)


A, B, C, D = range(4)

SMALL_CASES = {
    "first epochs": (
        # Hiding starts at the second epoch: what was before is published as it is.
        [[(3, 0)], [(4, 5), (12, 5)], [(5, 9), (13, 9)]],
        [[(3, 4, 0, 1)], [(4, 5, 5, 6), (12, 14, 5, 10)], [(5, 6, 9, 10), (12, 14, 5, 10)]],
        {"window_coverage": {A, B, C}, "window_absence": {A, B, C}, "far_leak": set()},
    ),
    "absent hider": (
        # The hider was nowhere at 12.
        [[(3, 0), (12, 0)], [(4, 2)]],
        [[(3, 5, 0, 3), (12, 13, 0, 1)], [(3, 5, 0, 3)]],
        {"window_coverage": {A}, "window_absence": {A, B}, "far_leak": set()},
    ),
    "suppressed hider": (
        # A later window withheld what the hider did at 13.
        [[(3, 0), (12, 0)], [(4, 2), (13, 2), (22, 90)]],
        [[(3, 5, 0, 3), (12, 14, 0, 3)], [(3, 5, 0, 3), (22, 23, 90, 91)]],
        {"window_coverage": {A, B}, "window_absence": {A, B}, "far_leak": {B}},
    ),
    "direction": (
        # A hides B and is hidden by nobody.
        [[(3, 0)], [(4, 5)]],
        [[(3, 5, 0, 6)], [(4, 5, 5, 6)]],
        {"window_coverage": {A}, "window_absence": {A}, "far_leak": set()},
    ),
    "absence": (
        # The hider went on to where A never was, with others.
        [[(8, 0)], [(7, 1), (12, 1)], [(7, 1), (12, 1)]],
        [[(7, 9, 0, 2)], [(7, 9, 0, 2), (12, 13, 1, 2)], [(7, 9, 0, 2), (12, 13, 1, 2)]],
        {"window_coverage": set(), "window_absence": {A}, "far_leak": set()},
    ),
    "reuse": (
        # The same two in two windows: who knows the one has the other.
        [[(3, 0), (40, 30)], [(4, 2), (41, 32)]],
        [[(3, 5, 0, 3), (40, 42, 30, 33)], [(3, 5, 0, 3), (40, 42, 30, 33)]],
        {"window_coverage": set(), "window_absence": set(), "far_leak": {A, B}},
    ),
    "other partners": (
        # What those cases should have been: sound.
        [[(3, 0), (40, 30)], [(4, 2), (40, 60)], [(3, 90), (41, 31)], [(4, 92), (41, 62)]],
        [
            [(3, 5, 0, 3), (40, 42, 30, 32)],
            [(3, 5, 0, 3), (40, 42, 60, 63)],
            [(3, 5, 90, 93), (40, 42, 30, 32)],
            [(3, 5, 90, 93), (40, 42, 60, 63)],
        ],
        {"window_coverage": set(), "window_absence": set(), "far_leak": set()},
    ),
}
"""k = 2, τ = ε = 10: samples (t, x), boxes (t0, t1, x0, x1), and whom each check finds bare."""

FIGURES = {"window_coverage": "few_cover", "window_absence": "few_left", "far_leak": "leaking"}


def release_of(people, boxes, claim, folder, **parameters):
    """Write a release made by hand, in slots; nobody is withheld."""
    names = [f"person-{number}" for number in range(len(people))]
    tokens = [f"{number:032x}" for number in range(len(people))]
    rows = [(names[person], *sample) for person, some in enumerate(people) for sample in some]
    uid, t, x, y = zip(*rows, strict=True)
    lng, lat = project(CRS, *((np.array(v) + 0.5) * CELL_M for v in (x, y)), inverse=True)
    times = [(START_S + slot * DT_S) * 1_000_000 for slot in t]
    raw = pl.DataFrame({"uid": uid, "datetime": times, "lat": lat, "lng": lng})
    edges = [(tokens[person], person, *box) for person, some in enumerate(boxes) for box in some]
    columns = ["uid", "member", "t_start", "t_end", "x_min", "x_max", "y_min", "y_max"]
    data = pl.DataFrame(edges, columns, orient="row").with_columns(
        (pl.col("t_start", "t_end") * DT_S + START_S) * 1_000_000,
        pl.col("x_min", "x_max", "y_min", "y_max") * CELL_M,
        group=0,
    )
    stamp = pl.Datetime("us", "UTC")
    draft = Draft(
        BOXES,
        raw.with_columns(pl.col("datetime").cast(stamp)),
        centred(data.with_columns(pl.col("t_start", "t_end").cast(stamp))),
        pl.DataFrame({"original_uid": names, "uid": tokens}),
        outsider("nobody").clear(),
        {},
    )
    grid = {"cell_m": CELL_M, "dt_s": DT_S}
    given = {"k": claim.k, "tau": claim.tau_s, "epsilon": claim.epsilon_s, **parameters}
    draft.manifest = manifest_of(draft, claim, given, crs=CRS, grid=grid, base_grid=dict(grid))
    return draft.write(folder)


@pytest.mark.parametrize("case", SMALL_CASES)
def test_the_small_cases_are_rejected_for_the_right_reason(case, tmp_path):
    people, boxes, bare = SMALL_CASES[case]
    people = [[(t, x, 0) for t, x in samples] for samples in people]
    boxes = [[(*box, 0, 1) for box in some] for some in boxes]
    found = both(people, list(enumerate(boxes)), 2, 10, 10)
    for check, name in FIGURES.items():
        assert {person for person, row in found.items() if row[name]} == bare[check]

    claim = WindowHiding(2, 10 * DT_S, 10 * DT_S)
    written = release_of(people, boxes, claim, tmp_path, far_leak_share=0.0)
    material = Case(written.release, original=written.original, secret=written.secret)
    only = {*FIGURES, "truthful", "coverage", "disjoint", "claim"}
    verdict = {check.id: check for check in run_checks(material, only=only)}
    lost = {"coverage"} if case == "suppressed hider" else set()  # of which no list was made
    assert {id_ for id_, check in verdict.items() if check.status == "fail"} == lost | {c for c in bare if bare[c]}
    for check in bare:
        if bare[check] and check != "far_leak":
            assert verdict[check].broken == ("at_least_k",)
            assert verdict[check].figures["people_below_k"]["share"] == pytest.approx(len(bare[check]) / len(people))
    assert verdict["far_leak"].broken == (("not_understated",) if bare["far_leak"] else ())


def test_a_hider_must_have_been_there(tmp_path):
    """The second small case with a box at 12 that its person never was in: it hides, and is not true."""
    people = [[(3, 0, 0), (12, 0, 0)], [(4, 2, 0)]]
    boxes = [[(3, 5, 0, 3, 0, 1), (12, 13, 0, 1, 0, 1)]] * 2
    written = release_of(people, boxes, WindowHiding(2, 600, 600), tmp_path, far_leak_share=0.0)
    material = Case(written.release, original=written.original, secret=written.secret)
    found = {check.id: check for check in run_checks(material, only={"window_coverage", "truthful"})}
    assert found["window_coverage"].status == "pass"
    assert found["truthful"].broken == ("holds_a_sample",)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_sound_release_is_what_its_maker_says(k, tmp_path):
    written = sound_windows(k=k, planes=4, seed=1).write(tmp_path)
    verdict = shoal.audit(written.release, original=written.original, secret=written.secret)
    assert verdict.failed == ()
    coverage, absence, fit = (verdict[id_].figures for id_ in ("window_coverage", "window_absence", "tightest_fit"))
    assert coverage["fewest"] == absence["fewest"] == k
    assert coverage["intervals_all_withheld"] > 0
    assert absence["fewest_without_a_box"] > 0
    assert fit["success"] == pytest.approx(1 / k, abs=1e-6)
    assert verdict["far_leak"].figures["leaking"] == 0
    assert verdict["claim"].figures["examined_by"] == ["window_coverage", "window_absence", "far_leak", "tightest_fit"]
    within = verdict["attack_points"].figures["within_1"]
    assert within["fewest_candidates"] == k


def test_without_the_original_the_claim_is_not_examined(tmp_path):
    written = sound_windows(planes=2, seed=1).write(tmp_path)
    assert shoal.audit(written.release).failed == ("claim",)


def test_of_too_many_a_random_sample_is_looked_at_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr(window_fits, "EVERYBODY", 20)
    monkeypatch.setattr(window_fits, "MOST_LOOKS", 500)
    written = sound_windows(seed=1).write(tmp_path)
    verdict = shoal.audit(written.release, original=written.original, secret=written.secret)
    assert verdict.failed == ()
    for id_ in ("window_coverage", "window_absence", "far_leak", "tightest_fit"):
        figures = verdict[id_].figures
        assert 20 <= figures["looked_at"] < figures["people"] == 54
        assert f"of {figures['looked_at']} people at random, of 54" in verdict[id_].reason


def test_a_sample_may_miss_a_share_by_chance_only():
    """Of a sample the stated share is held against what it shows for certain."""
    assert mean_within(20) > 0.5
    assert mean_within(5_000) < 0.04


def test_fewest_without_a_box_counts_people_and_starts():
    people = [[(0, 0, 0), (30, 0, 0)], [(2, 0, 0)], [(20, 0, 0)]]
    boxes = [[(0, 1, 0, 1, 0, 1), (30, 31, 0, 1, 0, 1)], [(2, 3, 0, 1, 0, 1)], [(18, 24, 0, 1, 0, 1)]]
    slow = []
    for start in range(31):
        inside = [any(start <= b[0] and b[1] - 1 <= start + 10 for b in some) for some in boxes]
        slow.append(inside.count(False))
    crowd, owners, samples = arrays(people, list(enumerate(boxes)))
    claim = WindowHiding(2, 600, 600)
    assert window_fits.fewest_without(crowd, owners, samples, claim) == min(n for n in slow if n)
