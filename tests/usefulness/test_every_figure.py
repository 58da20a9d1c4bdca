"""Every figure that ``shoal utility`` tells of boxes and of points, against plain loops: none without a twin.

Profiles have theirs in ``test_profiles.py``, the Sociometer in ``test_sociometer.py``.
"""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.attacks import parts as some_rows
from shoal.contract.claims import Nothing
from shoal.data import Boxes, Grid, Points, Projection, read_fixes
from shoal.data.traces import traces_from_samples
from shoal.release import Protected, build_release, suppressed
from shoal.usefulness import chunks, flows, hours, tiles
from shoal.usefulness.ranges import draw, draw_cells
from usefulness import naive_utility as naive
from usefulness.test_points_stops import day_rows, days
from usefulness.test_profiles import profiles_of, publish

MERIDIAN = 100
"""Seven hours ahead."""

CALM = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def flat(figures, above=""):
    found = {}
    for name, value in figures.items():
        found |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {above + name: value}
    return found


def assert_all_equal(told, plain):
    """Every figure has a twin, and equals it."""
    told, plain = flat(told), flat(plain)
    assert told.keys() == plain.keys()
    for name, value in plain.items():
        # A far segment is on a plane around the point: 0.0024 % at 100 km.
        near = 1e-4 if name.startswith("spatial_error") else 2e-6
        assert told[name] == (value if value is None else pytest.approx(float(value), rel=near, abs=1e-4)), name


def write(out, payload, withheld=None):
    protected = Protected(payload=payload, **({} if withheld is None else {"withheld": withheld}))
    release = build_release(protected, mechanism="toy", parameters={}, claim=Nothing(), span_s=(0, 86_400))
    release.write(out, record=False)


def published_rows(out):
    """What lies there, with its owners, uid after uid."""
    mapping = pl.read_parquet(f"{out}.secret/mapping.parquet").select("uid", "original_uid")
    return pl.read_parquet(out / "data.parquet").join(mapping, on="uid")


# Widths are such that shares of boxes in tiles have few digits: what is equal is equal in fractions too.
widths = st.sampled_from([1, 2, 5, 10, 20, 40])
places = st.integers(-30, 30)
inside = st.lists(st.tuples(*[st.floats(0, 0.999)] * 3, st.booleans()), max_size=3)
stretches = st.tuples(
    st.sampled_from([0, 1, 30, 400]), st.sampled_from([1, 20, 90, 300]), places, widths, places, widths, inside
)
loose = st.lists(st.tuples(st.integers(0, 900), places, places), max_size=2)
crowds = st.lists(st.tuples(st.lists(stretches, max_size=3), loose), min_size=1, max_size=4)
"""Of each person: boxes one after the other with samples inside, some of them listed as withheld; and samples
anywhere, which may be in a box by chance."""


def drawn_crowd(crowd):
    raw, published, listed = {}, {}, set()
    for number, (own, more) in enumerate(crowd):
        person, now = f"p{number}", 0
        raw[person] = set(more) or {(number, 0, 0)}
        for gap, dt, x, dx, y, dy, samples in own:
            now += gap
            published.setdefault(person, []).append((now, dt, x, dx, y, dy))
            for of_t, of_x, of_y, withheld in samples:
                sample = (now + int(of_t * dt), x + int(of_x * dx), y + int(of_y * dy))
                raw[person].add(sample)
                if withheld:
                    listed.add((person, *sample))
            now += dt
    return raw, published, listed


def traces_of(raw):
    rows = sorted((number, *sample) for number, samples in enumerate(raw.values()) for sample in samples)
    owner, t, x, y = np.array(rows, np.int32).T
    return traces_from_samples(pa.array(list(raw)), owner, t, x, y, Projection(1, MERIDIAN), Grid())


def boxes_of(published, traces):
    columns = np.array([box for own in published.values() for box in own], np.int32).reshape(-1, 6).T.copy()
    offsets = np.cumsum([0, *map(len, published.values())])
    people, each = pa.array(list(published), pa.string()), np.arange(len(published), dtype=np.int32)
    return Boxes(people, each, offsets, *columns, traces.crs, traces.grid)


CHUNK = (hours, tiles)
"""Where millions of rows are taken part by part."""


@pytest.fixture(params=[1, 3, None], ids=["a row at a time", "few at a time", "all at once"])
def parts(request, monkeypatch):
    if request.param is None:
        return
    for modules, name in (([some_rows], "ROWS"), (CHUNK, "_CHUNK"), ([flows], "_MANY")):
        for module in modules:
            monkeypatch.setattr(module, name, request.param)
    monkeypatch.setattr(chunks, "_MOST", 16)  # halves are multiples of 8


@pytest.mark.usefixtures("parts")
@settings(max_examples=12, suppress_health_check=CALM)
@given(crowds)
@example([([], [(5, 1, 1)]), ([], [])])
@example([([(0, 1, 0, 1, 0, 1, [(0, 0, 0, False)])], [])])
@example([([(0, 1, x, dx, 0, 1, []) for x, dx in ((0, 1), (5, 2), (5, 10), (5, 10))], [])])  # nobody leaves for certain
@example([([], [(i, 0, 0) for i in range(n)]) for n in (1, 1, 1, 2, 2, 2, 3, 4, 9)])
def test_every_figure_of_boxes(tmp_path_factory, crowd):
    out = tmp_path_factory.mktemp("release") / "r"
    raw, published, listed = drawn_crowd(crowd)
    traces = traces_of(raw)
    owner = [person for person, samples in raw.items() for _ in samples]
    rows = zip(owner, traces.t.tolist(), traces.x.tolist(), traces.y.tolist(), strict=True)
    mask = np.array([row in listed for row in rows], np.bool_)
    write(out, boxes_of(published, traces), suppressed.samples(traces, mask, "share"))
    told = shoal.utility(out, original=traces).to_dict()
    queries = [tuple(query) for query in draw_cells(traces, np.random.default_rng(0)).T.tolist()]
    assert_all_equal(told, naive.boxes(raw, published, listed, queries, MERIDIAN))


few_days = days.filter(lambda some: len(some) < 3)


@settings(max_examples=12, suppress_health_check=CALM)
@given(st.lists(st.tuples(few_days, few_days | st.just([]), st.booleans()), min_size=1, max_size=3))
@example([([[(0, 0, 0), (0, 0, 90)]], [[(0, 0, 40)]], True)])
@example([([[]], [], False), ([[(1, 1, 0)]], [[(3, 1, 0)]], False)])
def test_every_figure_of_points(tmp_path_factory, people):
    out = tmp_path_factory.mktemp("release") / "r"
    raw = {f"p{i}": [row for trace in day_rows(true) for row in trace] for i, (true, _, _) in enumerate(people)}
    parts = []
    for number, (_, others, together) in enumerate(people):
        found = day_rows(others)
        parts += [(number, part) for part in ([[r for rows in found for r in rows]] if together else found) if part]
    rows = [row for _, part in parts for row in part]
    t, lat, lng = np.array(rows, np.float64).reshape(-1, 3).T.copy()
    offsets = np.cumsum([0, *(len(part) for _, part in parts)])
    owner = np.array([person for person, _ in parts], np.int64)
    write(out, Points(pa.array(list(raw)), owner, offsets, (t * 1e6).astype(np.int64), lat, lng))
    records = [(person, *row) for person, own in raw.items() for row in own]
    uid, t, lat, lng = zip(*records, strict=True)
    fixes = read_fixes({"uid": uid, "datetime": np.array(t, "M8[s]"), "lat": lat, "lng": lng}, tz="UTC")
    told = shoal.utility(out, original=fixes).to_dict()
    found = [
        (part["original_uid"][0], part.select(pl.col("datetime").dt.epoch("s"), "lat", "lng").sort("datetime").rows())
        for part in published_rows(out).partition_by("uid")
    ]
    windows, squares = draw(fixes, np.random.default_rng(0))
    queries = np.hstack((windows / 1e6, squares)).tolist()
    assert_all_equal(told, naive.points(raw, found, queries))


ZERO = (
    *("samples_deleted_share", "samples_created", "samples_created_share", "people_suppressed"),
    *("people_suppressed_share", "profiles_suppressed", "jensen_shannon", "jensen_shannon_definite"),
    *("jensen_shannon_possible", "smape", "earth_mover_m", "earth_mover_bits", "earth_mover_hours"),
    *("distortion", "distortion_definite", "distortion_possible", "distortion_expected", "distortion_standard_error"),
    *("distortion_definite_standard_error", "distortion_possible_standard_error"),
    *("distortion_expected_standard_error", "position_error_m", "time_error_s", "spatial_error_m"),
    *("spatial_error_standard_error_m", "f_score_standard_error", "mean_absolute_difference", "information_loss"),
    "mean_absolute_difference_per_cell",
)
ONE = (
    *("kendall_tau", "top_10", "top_100", "within", "within_share", "definite_share", "compression", "precision"),
    *("recall", "f_score", "parts_per_person", "similarity", "similar_share"),
)
SIZES = (
    *("people", "people_published", "profiles_published", "tile_m", "tiles", "ways", "queries", "counted"),
    *("samples_per_person", "information_loss_bound"),
)
"""They tell what there is, not what is off."""

ONE_CELL = {"span_max_m": 100, "span_sum_m": 200, "span_s": 60, "personal_span_max_m": 100, "personal_span_s": 60}
SAME = {
    "raw_moves": ("published_moves", "definite_moves", "possible_moves"),
    "raw_people": ("definite_people", "possible_people", "expected_people"),
    "raw_uids": ("published_uids",),
    "raw_pois": ("published_pois", "matched_pois"),
    "raw_m": ("published_m",),
    "raw_bits": ("published_bits",),
}
TWINS = {twin for twins in SAME.values() for twin in twins}
BOUNDS = {"definite_m": np.less_equal, "possible_m": np.greater_equal}
"""A cell has a width: how short and how long a jump may have been."""


def assert_nothing_is_off(figures):
    """Go through all figures; one that is new has to say here what it is when nothing changed."""
    for name, value in figures.items():
        numbers = list(flat({name: value}).values())
        if name in ZERO:
            assert numbers == pytest.approx([0] * len(numbers), abs=1e-6), name
        elif name in ONE:
            assert numbers == pytest.approx([1] * len(numbers)), name
        elif name in ONE_CELL:
            assert set(numbers) == {ONE_CELL[name]}, name
        elif name in SAME:
            twins = [figures[twin] for twin in SAME[name] if twin in figures]
            assert twins
            assert all(twin == pytest.approx(value) for twin in twins), name
        elif name in BOUNDS:
            assert all(BOUNDS[name](value[which], figures["raw_m"][which]) for which in value), name
        elif isinstance(value, dict) and name not in TWINS:
            assert_nothing_is_off(value)
        else:
            assert name in SIZES or name in TWINS, f"what is {name} of equal data?"


def test_identical_boxes_have_nothing_off(tmp_path):
    traces = shoal.read(synth.cdr(40, 2, preset="abidjan", seed=1))
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(tmp_path / "r", record=False)
    assert_nothing_is_off(shoal.utility(tmp_path / "r", original=traces).to_dict())


def test_identical_points_have_nothing_off(tmp_path):
    people = [[[(0, i, 0), (3, i, 0)], [(i, 2, 0)]] for i in range(4)]
    records = [(f"p{i}", *row) for i, true in enumerate(people) for trace in day_rows(true) for row in trace]
    uid, t, lat, lng = zip(*records, strict=True)
    # As many digits as are published.
    data = {"uid": uid, "datetime": np.array(t, "M8[s]"), "lat": np.round(lat, 6), "lng": np.round(lng, 6)}
    fixes = read_fixes(data, tz="UTC")
    write(tmp_path / "r", Points.of_people(fixes))
    assert_nothing_is_off(shoal.utility(tmp_path / "r", original=fixes).to_dict())


def shuffled_profiles():
    """The same profiles twice, of people with other names and in another order."""
    rng = np.random.default_rng(2)
    raw = {(f"p{i}", town): rng.random(12) for i in range(12) for town in "xy" if i % 3 or town == "x"}
    names = rng.permutation(12)
    other = {(f"p{names[int(person[1:])]}", town): values for (person, town), values in raw.items()}
    return raw, dict(sorted(other.items(), reverse=True))


def test_identical_profiles_have_nothing_off_and_names_do_not_matter(tmp_path):
    told = []
    for name, raw in zip("ab", shuffled_profiles(), strict=True):
        publish(tmp_path / name, {key: np.round(values, 1) for key, values in raw.items()})
        told.append(shoal.utility(tmp_path / name, original=profiles_of(raw, 2)).to_dict())
    assert flat(told[0]) == pytest.approx(flat(told[1]))
    assert told[0]["information_loss"] > 0
    rows = {key: np.round(values, 1) for key, values in shuffled_profiles()[0].items()}
    assert_nothing_is_off(shoal.utility(tmp_path / "a", original=profiles_of(rows, 2)).to_dict())
