"""Calls like those of PRIMULE's people: few, uneven, and most of them of people who visit or pass."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import ParameterError
from shoal.synth import CALLS_PRESETS, calls, check_calls
from shoal.synth.municipalities import build_region
from shoal.synth.travellers import _new_places

USERS = 20_000


@pytest.fixture(scope="module")
def data():
    return calls(USERS, 4, seed=5)


@pytest.fixture(scope="module")
def seen(data):
    """Everybody's distinct municipalities, by both ends of their calls."""
    place = dict(zip(data.cells["cell"].to_pylist(), data.cells["municipality"].to_pylist(), strict=True))
    events = pl.from_arrow(data.events).with_columns(pl.col("uid", "cell_start", "cell_end").cast(pl.String))
    ends = [events.select("uid", municipality=pl.col(end).replace_strict(place)) for end in ("cell_start", "cell_end")]
    return pl.concat(ends).unique()


def test_the_truth_covers_exactly_what_was_seen(data, seen):
    truth = pl.from_arrow(data.truth).with_columns(pl.col("uid").cast(pl.String))
    assert truth.select("uid", "municipality").is_unique().all()
    assert truth.join(seen, on=["uid", "municipality"], how="anti").is_empty()
    assert seen.join(truth, on=["uid", "municipality"], how="anti").is_empty()


def test_everything_printed_or_chosen_is_met(data):
    found = check_calls(data, "tuscany", 4)
    off = {s.name: (s.target, s.measured) for s in found if s.within is False}
    assert not off
    assert sum(s.within is True for s in found) == 7


def test_the_easy_people_are_compared_with_nobody():
    found = check_calls(calls(300, 2, preset="easy"), "easy", 2)
    assert all(s.target is None for s in found)


def test_passers_by_are_there_at_any_hour_and_in_several_municipalities(data):
    truth = pl.from_arrow(data.truth).filter(label="passing_by")
    places = truth.group_by("uid").len()["len"]
    assert (places > 1).mean() > 0.2
    hours = pl.from_arrow(data.events)["datetime"].dt.hour().n_unique()
    assert hours == 24 - 4  # nobody calls between half past one and half past six


def test_a_city_on_request():
    data = calls(4_000, 1, city=True, seed=2)
    largest = pl.from_arrow(data.truth)["municipality"].value_counts()["count"].max()
    homes = pl.from_arrow(data.truth).filter(pl.col("label").is_in(["resident", "dynamic_resident"]))
    assert largest > 0.3 * data.truth.num_rows
    assert homes["municipality"].value_counts()["count"].max() > 0.6 * homes.height


def test_given_municipalities_are_used():
    table = pa.table(
        {"municipality": ["Pisa", "Lucca"], "lat": [43.7, 43.8], "lng": [10.4, 10.5], "population": [90_000, 40_000]}
    )
    data = calls(500, 1, municipalities=table, seed=1)
    assert set(data.truth["municipality"].to_pylist()) == {"Pisa", "Lucca"}
    assert np.allclose(data.municipalities["lat"].to_numpy(), [43.7, 43.8], atol=1e-6)
    with pytest.raises(ParameterError, match="without population"):
        calls(5, 1, municipalities=table.drop(["population"]))


def test_presets_by_name():
    assert list(CALLS_PRESETS) == ["tuscany", "easy"]
    with pytest.raises(ParameterError, match="tuscani"):
        calls(5, 1, preset="tuscani")


@pytest.mark.parametrize("towns", [5, 9])
def test_journeys_lead_where_somebody_has_not_been(towns):
    """Otherwise a small region has fewer visitors and passers-by than a large one."""
    region = build_region(np.random.default_rng(1), 300, people_each=300 // towns, most=towns)
    been = np.zeros((300, towns), np.bool_)
    been[:, :2] = True
    journeys = np.arange(300) % 6
    who, where = _new_places(np.random.default_rng(2), region, np.repeat(np.arange(300), journeys), been)
    assert len(set(zip(who.tolist(), where.tolist(), strict=True))) == who.size
    assert where.min() >= 2
    assert np.bincount(who, minlength=300).tolist() == np.minimum(journeys, towns - 2).tolist()
