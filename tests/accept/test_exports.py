"""Exports in the libraries that they are for, each in an environment of its own: they open, and can be measured."""

import json
import math
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

pytestmark = pytest.mark.accept

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
EXTENT = ["t_start", "t_end", "x_min", "x_max", "y_min", "y_max", "half_x_m", "half_y_m", "half_t_s"]
EARTH_KM = 6371.0


@pytest.fixture
def peers(monkeypatch):
    """Ask what a script says in the environment of a library; skip where that cannot be made."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from peers import environment

    def asked(name, script, *arguments):
        peer = getattr(environment, name)
        python = environment.python_of(peer)
        if python is None:
            pytest.skip(f"{peer.name} cannot be had here")
        return json.loads(environment.asked(python, peer, BENCHMARKS / "peers" / script, *map(str, arguments)))

    return asked


@pytest.fixture
def exported(shoal_run, tmp_path):
    """Write a release of few people in some shape: the other libraries' attacks take long with many."""
    shoal_run(f"synth cdr --users 12 --days 2 --preset abidjan --seed 1 --out {tmp_path}/events.parquet")

    def write(mechanism, to, ending="parquet"):
        release = tmp_path / mechanism.split()[0]
        if not release.exists():
            shoal_run(f"protect {mechanism} {tmp_path}/events.parquet --not-for-release --out {release}")
        path = tmp_path / f"{release.name}-{to}.{ending}"
        shoal_run(f"export {release} --to {to} --out {path}")
        return path, pl.read_parquet(release / "data.parquet")

    return write


def away_km(one, other):
    (lat, lng), (other_lat, other_lng) = ([math.radians(value) for value in place] for place in (one, other))
    chord = (
        math.sin((other_lat - lat) / 2) ** 2
        + math.cos(lat) * math.cos(other_lat) * math.sin((other_lng - lng) / 2) ** 2
    )
    return 2 * EARTH_KM * math.asin(math.sqrt(chord))


def ways(data):
    """Everybody's places, in order."""
    when = "t_start" if "t_start" in data.columns else "datetime"
    return {
        uid: rows.sort(when).select("lat", "lng").rows()
        for (uid,), rows in data.with_columns(pl.col("uid").cast(pl.String)).group_by("uid")
    }


def entropy(places):
    shares = [places.count(place) / len(places) for place in set(places)]
    return -sum(share * math.log2(share) for share in shares)


def gyration_km(places):
    middle = [sum(values) / len(places) for values in zip(*places, strict=True)]
    return math.sqrt(sum(away_km(place, middle) ** 2 for place in places) / len(places))


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_scikit_mobility_measures_boxes_and_keeps_their_extent(peers, exported, ending):
    path, data = exported("glove --k 2", "skmob", ending)
    told = peers("SKMOB", "skmob_export.py", path)
    assert (told["type"], told["rows"]) == ("TrajDataFrame", len(data))
    assert told["columns"] == told["columns_kept"] == ["uid", "datetime", "lat", "lng", *EXTENT]
    assert told["moments"] == "datetime64[ns, UTC]"
    assert told["half"]["half_x_m"] == pytest.approx((data["x_max"] - data["x_min"]).sum() / 2)
    assert told["half"]["half_y_m"] == pytest.approx((data["y_max"] - data["y_min"]).sum() / 2)
    assert told["half"]["half_t_s"] == pytest.approx((data["t_end"] - data["t_start"]).dt.total_seconds().sum() / 2)
    for uid, places in ways(data).items():
        assert told["jumps_km"][uid] == pytest.approx([away_km(*pair) for pair in pairwise(places)], abs=1e-9)
        assert told["gyration_km"][uid] == pytest.approx(gyration_km(places), abs=1e-9)
        assert told["entropy"][uid] == pytest.approx(entropy(places), abs=1e-9)
    assert (told["visits"], told["homes"]) == (len(data), len(told["risk"]))
    assert told["stays"] > 0
    # Its own attacker, who knows a place of somebody: nobody is alone, as k = 2 promises.
    assert max(told["risk"].values()) <= 0.5


def test_scikit_mobility_measures_points(peers, exported):
    path, data = exported("geoind --epsilon 0.01", "skmob")
    told = peers("SKMOB", "skmob_export.py", path)
    assert (told["type"], told["rows"], told["half"]) == ("TrajDataFrame", len(data), {})
    assert told["columns"] == ["uid", "datetime", "lat", "lng"]
    for uid, places in ways(data).items():
        assert told["gyration_km"][uid] == pytest.approx(gyration_km(places), abs=1e-9)


def test_trackintel_and_movingpandas_open_theirs(peers, exported):
    path, data = exported("glove --k 2", "trackintel")
    told = peers("FRAMES", "frames_export.py", "trackintel", path)
    assert (told["type"], told["rows"]) == ("Positionfixes", len(data))
    assert set(EXTENT) < set(told["columns"])
    assert told["stays"] > 0

    path, data = exported("glove --k 2", "movingpandas")
    told = peers("FRAMES", "frames_export.py", "movingpandas", path)
    assert (told["type"], told["rows"]) == ("TrajectoryCollection", len(data))
    assert set(EXTENT) < set(told["columns"])
    for uid, places in ways(data).items():
        # On a sphere here, on its own one there.
        length = 1000 * sum(away_km(*pair) for pair in pairwise(places))
        assert told["lengths_m"][uid] == pytest.approx(length, rel=0.01)
