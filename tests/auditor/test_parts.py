"""The auditor's tools against plain definitions."""

import math
import pickle
from io import BytesIO
from itertools import combinations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.attacks.crowd import Crowd, Samples, kept_offsets
from shoal.auditor.alike import alike
from shoal.auditor.case import Case
from shoal.auditor.chance import coin_tail, kendall, poisson_tail
from shoal.auditor.coverage import _twice
from shoal.auditor.covering import cover
from shoal.auditor.needles import Needles
from shoal.auditor.opened import read_release
from shoal.auditor.parts import Here, mapped
from shoal.auditor.raw import centre_of, load_samples
from shoal.auditor.run import judge


@given(st.permutations(range(9)))
def test_kendall_counts_pairs(order):
    pairs = list(combinations(range(len(order)), 2))
    agree = sum(1 if order[i] < order[j] else -1 for i, j in pairs)
    tau, p = kendall(np.array(order))
    assert math.isclose(tau, agree / len(pairs), abs_tol=1e-12)
    assert 0 <= p <= 1


def test_random_orders_are_hardly_ever_suspicious():
    rng = np.random.default_rng(1)
    assert min(kendall(rng.permutation(200))[1] for _ in range(300)) > 1e-6
    assert min(coin_tail(int(heads), 200) for heads in rng.binomial(200, 0.5, 3000)) > 1e-6
    assert min(poisson_tail(int(n), 1.0) for n in rng.poisson(1.0, 3000)) > 1e-6


@given(st.integers(0, 40), st.floats(0.01, 20))
def test_the_tail_is_never_understated(observed, mean):
    exact = 1 - sum(math.exp(-mean + i * math.log(mean) - math.lgamma(i + 1)) for i in range(observed))
    assert poisson_tail(observed, mean) >= exact - 1e-9


words = st.lists(st.binary(min_size=4, max_size=9), max_size=6)


@given(words, st.lists(st.binary(max_size=12), max_size=6), st.sampled_from([1, 2, 7, 1 << 18]))
def test_needles_are_found_in_any_byte(needles, parts, chunk):
    """Also where one begins in a chunk of the text and ends in another."""
    text = b"".join(part + (needles[i % len(needles)] if needles else b"") for i, part in enumerate(parts))
    expected = sorted(
        needle
        for needle in {n for n in needles if len(n) >= 6}
        for at in range(len(text))
        if text.startswith(needle, at)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.auditor.needles._CHUNK", chunk)
        patch.setattr("shoal.auditor.needles._PIECE", chunk)
        assert sorted(Needles(needles).hits(text)) == expected
        assert sorted(Needles(needles).hits_in(BytesIO(text + b"and more"), len(text))) == expected


cell = st.integers(-2, 2)
box = st.tuples(st.integers(0, 20), st.integers(1, 15), cell, st.integers(1, 3), cell, st.integers(1, 3))
sample = st.tuples(st.integers(-3, 30), cell, cell)


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.lists(box, min_size=1, max_size=4)), min_size=1, max_size=4),
    st.lists(st.lists(sample, max_size=5, unique=True), min_size=3, max_size=3),
    st.sampled_from([1, 4, 1000]),
)
def test_covering_is_what_the_definition_says(published, people, most):
    """Boxes may overlap, several names may be one person's, and names may be unknown."""
    rows = [sorted(boxes) for _, boxes in published]
    flat = np.array([b for boxes in rows for b in boxes], np.int64)
    t, dt, x, dx, y, dy = flat.T
    offsets = np.concatenate(([0], np.cumsum([len(boxes) for boxes in rows])))
    person_of = np.array([person for person, _ in published])
    crowd = Crowd(offsets, t * 60, (t + dt) * 60, x * 100, (x + dx) * 100, y * 100, (y + dy) * 100)
    people = [sorted(person) for person in people]
    raw = np.array([s for person in people for s in person], np.int64).reshape(-1, 3)
    starts = np.concatenate(([0], np.cumsum([len(person) for person in people])))
    known = Samples(starts, raw[:, 0] * 60, raw[:, 1] * 100, raw[:, 2] * 100, 100, 60)

    found = cover(crowd, person_of, known, Far(), most=most)
    owners = np.repeat(person_of, np.diff(offsets))

    def inside(s, b):
        return t[b] <= s[0] < t[b] + dt[b] and x[b] <= s[1] < x[b] + dx[b] and y[b] <= s[2] < y[b] + dy[b]

    held = set()
    for i, (owner, s) in enumerate(zip(known.owner, raw, strict=True)):
        boxes = [b for b in range(owners.size) if owners[b] == owner and inside(s, b)]
        held.update(boxes)
        assert (found.box_of[i] in boxes) if boxes else (found.box_of[i] == -1)
    assert set(np.flatnonzero(found.holds).tolist()) == held


class Far:
    """An engine that shares nothing with who asks: all that goes there and comes back is written down between."""

    def map(self, work, parts, *, sizes=None):
        parts = list(parts)
        assert len(sizes) == len(parts)
        work = pickle.loads(pickle.dumps(work))
        return [pickle.loads(pickle.dumps(work(pickle.loads(pickle.dumps(part)), None, None))) for part in parts]


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=3), min_size=1, max_size=9),
    st.sampled_from([1, 3, 1000]),
)
def test_whoever_is_alike_is_found_in_parts(sequences, most):
    offsets = np.concatenate(([0], np.cumsum([len(rows) for rows in sequences])))
    columns = tuple(np.array([row for rows in sequences for row in rows], np.int64).T.copy())
    assert alike(offsets, columns, Far(), most=most).tolist() == [sequences.index(rows) for rows in sequences]


@pytest.mark.parametrize("engine", [Here(), Far()], ids=["here", "far"])
def test_a_failure_has_the_same_name_wherever_it_happened(engine):
    with pytest.raises(Exception, match=r"^$") as failure:
        mapped(engine, int, ["4917"[:2] + "x"], [1])
    assert type(failure.value).__name__ == "ValueError"


@pytest.mark.parametrize("lng", [[10.0, 11.0, 12.5], [-170.0, 170.0, 20.0]])
def test_an_original_that_can_be_read_once_is_read(lng):
    """Around the globe too, where its centre takes a second look."""
    rows = pa.table(
        {"uid": ["a", "b", "a"], "datetime": ["2020-01-01T00:00:01Z"] * 3, "lat": [1.0, 2.0, 3.0], "lng": lng}
    )
    crs = "+proj=laea +lat_0=2 +lon_0=0 +datum=WGS84 +units=m"
    again, samples = load_samples(rows, None, crs, 100, 60)
    once, of_stream = load_samples(rows.to_reader(), None, crs, 100, 60)
    assert once.centre == again.centre == centre_of(rows["lat"].to_numpy(), rows["lng"].to_numpy())
    assert once.ids.to_list() == ["a", "b"]
    assert of_stream.x.tolist() == samples.x.tolist()


@given(st.lists(st.lists(st.booleans(), max_size=5), max_size=6), st.sampled_from([1, 3, 1000]))
def test_rows_that_are_kept_are_counted_in_parts(people, most):
    offsets = np.concatenate(([0], np.cumsum([len(rows) for rows in people]))).astype(np.int64)
    kept = np.array([row for rows in people for row in rows], np.bool_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.attacks.parts.ROWS", most)
        assert np.diff(kept_offsets(offsets, kept)).tolist() == [sum(rows) for rows in people]


def test_a_verdict_does_not_depend_on_how_much_is_looked_at_at_once(tmp_path, monkeypatch):
    events = synth.cdr(60, 2, preset="civ", seed=5)
    release = shoal.Glove(k=2, suppress_share=0.1).protect(shoal.read(events)).write(tmp_path / "r", record=False)

    def verdict():
        case = Case(release, original=events, secret=tmp_path / "r.secret", guess_names=False, seed=1)
        return judge(case).to_dict()

    whole = verdict()
    for name, some in (
        *(("attacks.parts.ROWS", 100), ("auditor.blocks.ROWS", 100)),
        *(("auditor.coverage._ROWS_COMPARED", 50), ("auditor.needles._PIECE", 1000)),
    ):
        monkeypatch.setattr(f"shoal.{name}", some)
    assert verdict() == whole
    assert whole["ok"]


def test_rows_that_stand_twice_are_found_some_people_at_a_time(monkeypatch):
    columns = {"original_uid": ["a", "a", "b", "a", "b", None, None], "t": [1, 1, 1, 2, None, None, None]}
    listed = pl.DataFrame(columns).with_columns(x=0, y=0)
    assert _twice(listed) == 2
    monkeypatch.setattr("shoal.auditor.coverage._ROWS_COMPARED", 2)
    assert _twice(listed) == 2


def test_published_names_do_not_hold_on_to_the_text_of_all_rows(tmp_path):
    minutes = [f"2020-01-01T{i // 60:02}:{i % 60:02}Z" for i in range(1_200)]
    events = {"uid": ["a"] * 1_200, "datetime": minutes, "lat": [6.1] * 1_200, "lng": [-5.2] * 1_200}
    release = shoal.Uniform(cell_m=100, minutes=1).protect(shoal.read(events)).write(tmp_path / "r", record=False)
    opened = read_release(release).opened
    assert opened.crowd.t0.size == 1_200
    assert opened.uids.to_arrow(compat_level=pl.CompatLevel.newest()).get_total_buffer_size() < 1_000
