"""Real data, where a checkout has them: counts, a release read back by other tools, everybody covered."""

import json

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import kendalltau

import naive
from shoal.data import Grid, ReadOptions, read, read_with_report

CELL_M, MINUTES = 1000, 60


@pytest.mark.slow
def test_cabspotting_counts(desk, shared_data):
    result = desk("inspect", shared_data("cabspotting.parquet"), "--json")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert (found["people"], found["records"]) == (537, 11_220_058)
    assert (found["first_day"], found["last_day"]) == ("2008-05-17", "2008-06-10")
    assert found["centre_degrees"] == [38, -122]
    assert found["dropped"] == {}
    assert found["spreads"]["gap between samples (min)"]["q50"] == 1


def test_gowalla_counts(desk, shared_data):
    result = desk("inspect", shared_data("gowalla_nyc.parquet"), "--json")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert (found["people"], found["records"]) == (7_115, 138_957)
    assert found["ignored_columns"] == ["venue"]


@pytest.fixture(scope="module")
def gowalla(shared_data, tmp_path_factory):
    """Release Gowalla once, through Python and the disk."""
    from shoal import Uniform

    path = shared_data("gowalla_nyc.parquet")
    out = tmp_path_factory.mktemp("gowalla") / "release"
    Uniform(cell_m=CELL_M, minutes=MINUTES).protect(path).write(out, record=False)
    return pl.read_parquet(path), out, out.with_name("release.secret")


def test_a_release_of_gowalla_by_the_command_line_is_the_one_from_python(desk, shared_data, gowalla):
    _, out, _ = gowalla
    result = desk.protect(shared_data("gowalla_nyc.parquet"))
    assert result.code == 0, result.err
    columns = ["t_start", "x_min", "y_min"]
    mine, theirs = (pl.read_parquet(folder / "data.parquet") for folder in (desk.home / "release", out))
    assert mine.schema == theirs.schema
    assert mine.select(columns).sort(columns).equals(theirs.select(columns).sort(columns))


def test_other_tools_read_the_release(gowalla):
    _, out, _ = gowalla
    path = out / "data.parquet"
    polars, pandas = pl.read_parquet(path), pd.read_parquet(path)
    assert polars.height == len(pandas) > 90_000
    assert str(pandas["t_start"].dtype) == "datetime64[us, UTC]"
    assert pandas.index.equals(pd.RangeIndex(len(pandas)))
    points = gpd.GeoDataFrame(pandas, geometry=gpd.points_from_xy(pandas["lng"], pandas["lat"]), crs=4326)
    crs = json.loads((out / "manifest.json").read_text())["crs"]
    metres = points.to_crs(crs)
    # The printed centre, projected by another tool, is the middle of the box to within its six decimals.
    assert np.abs(metres.geometry.x - (pandas["x_min"] + pandas["x_max"]) / 2).max() < 0.2
    assert np.abs(metres.geometry.y - (pandas["y_min"] + pandas["y_max"]) / 2).max() < 0.2
    # Tools that know points read it with three names mapped.
    columns = {"uid": "uid", "datetime": "t_start", "lat": "lat", "lng": "lng"}
    assert len(read(path, columns=columns)) == pandas["uid"].nunique() == 7_115


def test_every_raw_sample_lies_in_a_box_of_its_person_and_no_box_is_empty(gowalla):
    raw, out, secret = gowalla
    lat_0, lon_0 = naive.centre(raw["lat"].to_list(), raw["lng"].to_list())
    manifest = json.loads((out / "manifest.json").read_text())
    assert f"+lat_0={lat_0} +lon_0={lon_0} " in manifest["crs"]
    tokens = dict(pl.read_parquet(secret / "mapping.parquet").select("original_uid", "uid").iter_rows())
    assert sorted(tokens) == sorted(raw["uid"].cast(pl.String).unique())
    data = pl.read_parquet(out / "data.parquet")
    boxes = set(
        data.select(
            "uid",
            pl.col("t_start").dt.epoch("s") // (60 * MINUTES),
            pl.col("x_min") // CELL_M,
            pl.col("y_min") // CELL_M,
        ).iter_rows()
    )
    assert len(boxes) == data.height
    extent = data.select(
        (pl.col("x_max") - pl.col("x_min")).alias("dx"),
        (pl.col("y_max") - pl.col("y_min")).alias("dy"),
        (pl.col("t_end") - pl.col("t_start")).dt.total_seconds().alias("dt"),
    ).unique()
    assert extent.rows() == [(CELL_M, CELL_M, 60 * MINUTES)]

    # The slow oracle on a sample, an array of the same projection on everything.
    wanted = raw.select(pl.col("uid").cast(pl.String), pl.col("datetime").dt.epoch("s"), "lat", "lng")
    for uid, epoch, lat, lng in wanted.sample(400, seed=1).iter_rows():
        assert (tokens[uid], *naive.snap(lat, lng, epoch, lat_0, lon_0, CELL_M, 60 * MINUTES)) in boxes
    project = naive.pyproj.Proj(manifest["crs"])
    x, y = project(wanted["lng"].to_numpy(), wanted["lat"].to_numpy())
    cells = zip(
        (tokens[uid] for uid in wanted["uid"]),
        (wanted["datetime"].to_numpy() // (60 * MINUTES)).tolist(),
        np.floor(np.asarray(x) / CELL_M).astype(int).tolist(),
        np.floor(np.asarray(y) / CELL_M).astype(int).tolist(),
        strict=True,
    )
    assert set(cells) == boxes


def test_the_order_of_tokens_has_nothing_to_do_with_the_order_of_people(gowalla):
    raw, out, secret = gowalla
    mapping = pl.read_parquet(secret / "mapping.parquet")
    tokens = dict(mapping.select("original_uid", "uid").iter_rows())
    published = pl.read_parquet(out / "data.parquet")["uid"].unique(maintain_order=True).to_list()
    place = {token: i for i, token in enumerate(published)}
    first_seen = raw["uid"].cast(pl.String).unique(maintain_order=True).to_list()
    busiest = raw["uid"].cast(pl.String).value_counts(sort=True)["uid"].to_list()
    for order in (first_seen, sorted(first_seen), busiest):
        places = [place[tokens[uid]] for uid in order]
        assert kendalltau(range(len(places)), places).pvalue > 1e-6
    # The test has teeth: an order kept is seen.
    assert kendalltau(range(100), range(100)).pvalue < 1e-6


def test_the_toy_set_of_scikit_mobility(desk, shared_data):
    path = shared_data("skmob_privacy_toy.csv")
    refused = desk("inspect", path)
    assert refused.code == 1
    assert "--tz" in refused.said
    found = json.loads(desk("inspect", path, "--schema", "skmob", "--tz", "UTC", "--json").out)
    assert found["people"] == 7


def test_the_cells_of_a_country_serve_as_a_cells_table(shared_data):
    cells = pl.read_csv(shared_data("nepal_cells.csv"), infer_schema=False)
    columns = {name.lower(): name for name in cells.columns}
    place = cells.select(
        pl.concat_str([columns[n] for n in ("mcc", "net", "area", "cell") if n in columns], separator="-").alias(
            "cell"
        ),
        pl.col(columns["lat"]).alias("lat"),
        pl.col(columns["lon"]).alias("lng"),
    ).unique("cell", maintain_order=True)
    events = pl.DataFrame({"cell": place["cell"]}).with_columns(uid=pl.lit("a"), datetime=1_591_012_800)
    traces, report = read_with_report(events, Grid(), ReadOptions(cells=place))
    assert report.records == place.height > 15_000
    assert (traces.crs.lat_0, traces.crs.lon_0) == (28, 85)
