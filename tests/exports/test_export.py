"""Releases in the shapes of other libraries: what is in the files, and what is refused."""

import json

import geopandas
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Proj
from shapely import from_wkb

import shoal
from shoal.data.projection import Projection
from shoal.data.published import _outlines
from shoal.errors import DataError, OutputError, ParameterError
from shoal.exports import SHAPES, export

PEOPLE = {
    "uid": ["ann", "ann", "bob", "cleo"],
    "datetime": ["2020-01-01T08:00Z", "2020-01-01T18:30Z", "2020-01-01T08:10Z", "2020-01-02T08:00Z"],
    "lat": [6.11, 6.42, 6.13, 5.9],
    "lng": [-5.21, -5.02, -5.22, -4.8],
}
EXTENT = ["t_start", "t_end", "x_min", "x_max", "y_min", "y_max"]


@pytest.fixture(scope="module")
def boxes():
    return shoal.Uniform(cell_m=2000, minutes=60).protect(shoal.read(PEOPLE))


@pytest.fixture(scope="module")
def points():
    return shoal.GeoInd(epsilon=0.01).protect(shoal.read_fixes(PEOPLE))


@pytest.fixture(scope="module")
def profiles():
    cells = {f"w1_{day}_{slot}": [0.5, 0.25] for day in ("weekday", "weekend") for slot in ("night", "day", "evening")}
    return shoal.LaplaceProfiles(epsilon=1.0).protect({"uid": ["a", "b"], "municipality": ["x", "x"], **cells})


@pytest.fixture(scope="module")
def release_dir(boxes, tmp_path_factory):
    return boxes.write(tmp_path_factory.mktemp("written") / "release", record=False)


def project_back(proj, lng, lat):
    return np.array(Proj(proj)(lng, lat))


# --------------------------------------------------------------------------------------------------- geometries


def test_boxes_are_polygons_whose_corners_are_those_of_the_box(boxes, tmp_path):
    written = export(boxes, "geoparquet", tmp_path / "boxes.parquet")
    frame = geopandas.read_parquet(written.path)
    assert (written.rows, written.geometry) == (4, "Polygon")
    assert frame.crs.to_epsg() == 4326 or frame.crs.to_authority() == ("OGC", "CRS84")
    assert list(frame.columns) == [*boxes.data.column_names, "geometry"] == list(written.columns)
    assert frame.geometry.is_valid.all()
    for row in frame.itertuples():
        x, y = project_back(boxes.manifest["crs"], *np.array(row.geometry.exterior.coords).T)
        assert np.allclose(x, [row.x_min, row.x_max, row.x_max, row.x_min, row.x_min], atol=1e-3)
        assert np.allclose(y, [row.y_min, row.y_min, row.y_max, row.y_max, row.y_min], atol=1e-3)
        assert row.geometry.exterior.is_ccw
        assert row.geometry.covers(geopandas.points_from_xy([row.lng], [row.lat])[0])


def test_geoparquet_says_what_the_standard_asks_for(boxes, points, tmp_path):
    for release, type_ in ((boxes, "Polygon"), (points, "Point")):
        path = export(release, "geoparquet", tmp_path / f"{type_}.geoparquet").path
        geo = json.loads(pq.read_schema(path).metadata[b"geo"])
        assert (geo["version"], geo["primary_column"]) == ("1.1.0", "geometry")
        assert geo["columns"]["geometry"]["encoding"] == "WKB"
        assert geo["columns"]["geometry"]["geometry_types"] == [type_]
        assert pq.read_schema(path).field("geometry").type == pa.binary()


def test_published_points_stay_where_they_are(points, tmp_path):
    frame = geopandas.read_parquet(export(points, "geoparquet", tmp_path / "points.parquet").path)
    assert np.array_equal(frame.geometry.x, points.data["lng"].to_numpy())
    assert np.array_equal(frame.geometry.y, points.data["lat"].to_numpy())


@given(lat=st.integers(-80, 80), lng=st.integers(-180, 179), x=st.integers(-400, 400), y=st.integers(-400, 400))
def test_polygons_hold_their_middle_anywhere_on_the_globe(lat, lng, x, y):
    crs = Projection(lat, lng)
    (lat_c,), (lng_c,) = crs.inverse(np.array([x * 1000 + 500.0]), np.array([y * 1000 + 500.0]))
    corner = {"x_min": x * 1000, "x_max": x * 1000 + 1000, "y_min": y * 1000, "y_max": y * 1000 + 1000}
    rows = pa.table({name: pa.array([value], pa.int32()) for name, value in corner.items()})
    outline = from_wkb(_outlines(rows, crs)[0].as_py())
    west, _, east, _ = outline.bounds
    assert east - west < 1
    assert outline.is_valid
    middle = outline.centroid
    assert abs(middle.y - lat_c) < 1e-3
    assert abs((middle.x - lng_c + 180) % 360 - 180) < 1e-2


def test_a_box_with_a_pole_in_it_has_no_outline_in_degrees():
    rows = pa.table(
        {f"{axis}_{end}": pa.array([at], pa.int32()) for axis in "xy" for end, at in (("min", -5), ("max", 5))}
    )
    with pytest.raises(DataError, match="pole"):
        _outlines(rows, Projection(90, 0))


# ------------------------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize("to", [name for name in SHAPES if name != "geoparquet"])
def test_boxes_become_points_that_keep_their_extent(boxes, to, tmp_path):
    frame = pl.read_parquet(export(boxes, to, tmp_path / "out.parquet").path)
    raw, shape = boxes.to_polars(), SHAPES[to]
    assert frame[shape.uid].equals(raw["uid"])
    assert frame.select(EXTENT).equals(raw.select(EXTENT))
    middle = raw.select(t=pl.col("t_start") + (pl.col("t_end") - pl.col("t_start")) / 2)["t"]
    assert frame[shape.time].to_list() == middle.to_list()
    assert frame[shape.lat].to_list() == raw["lat"].to_list()
    assert set(frame["half_x_m"]) == set(frame["half_y_m"]) == {1000.0}
    assert set(frame["half_t_s"]) == {1800.0}
    assert (shape.geometry in frame.columns) == (shape.geometry is not None)


@pytest.mark.parametrize("to", [name for name in SHAPES if name != "geoparquet"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_what_is_written_is_read_by_the_preset_of_that_library(boxes, points, to, ending, tmp_path):
    for release in (boxes, points):
        path = export(release, to, tmp_path / f"{release.kind.name}.{ending}").path
        fixes = shoal.read_fixes(path, options=shoal.ReadOptions(schema=to))
        assert fixes.people.to_pylist() == sorted(set(release.data["uid"].to_pylist()))
        assert fixes.lat.tolist() == release.data["lat"].to_pylist()


def test_points_need_no_columns_of_an_extent(points, tmp_path):
    written = export(points, "skmob", tmp_path / "out.parquet")
    assert written.columns == ("uid", "datetime", "lat", "lng")
    assert pl.read_parquet(written.path).equals(points.to_polars())


def test_trackintel_and_movingpandas_frames_are_geopandas(boxes, tmp_path):
    for to, name in (("trackintel", "geom"), ("movingpandas", "geometry")):
        frame = geopandas.read_parquet(export(boxes, to, tmp_path / f"{to}.parquet").path)
        assert frame.geometry.name == name
        assert set(frame.geometry.geom_type) == {"Point"}


def test_pieces_make_the_same_file_as_a_whole(boxes, tmp_path, monkeypatch):
    export(boxes, "geoparquet", tmp_path / "whole.parquet")
    monkeypatch.setattr("shoal.data.published.ROWS", 3)
    export(boxes, "geoparquet", tmp_path / "pieces.parquet")
    assert pq.ParquetFile(tmp_path / "pieces.parquet").num_row_groups == 2
    whole, parts = (geopandas.read_parquet(tmp_path / f"{name}.parquet") for name in ("whole", "pieces"))
    assert whole.equals(parts)
    assert boxes.to_geopandas().geometry.equals(whole.geometry.set_crs(4326, allow_override=True))


# ------------------------------------------------------------------------------------------------------- frames


def test_a_release_from_the_disk_gives_the_same_frames(boxes, release_dir):
    opened = shoal.open_release(release_dir)
    assert opened.to_polars().equals(boxes.to_polars())
    assert opened.to_pandas().equals(boxes.to_pandas())
    assert opened.to_geopandas().equals(boxes.to_geopandas())
    assert pa.table(opened).num_rows == 4
    assert opened.kind is boxes.kind


def test_profiles_are_frames_without_places(profiles, tmp_path):
    assert list(profiles.to_pandas().columns) == profiles.to_polars().columns == profiles.data.column_names
    with pytest.raises(DataError, match="no places"):
        profiles.to_geopandas()
    for to in SHAPES:
        with pytest.raises(DataError, match="no places"):
            export(profiles, to, tmp_path / "out.parquet")
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------------------ refusals


def test_nothing_is_written_into_a_release(release_dir, tmp_path):
    (tmp_path / "link").symlink_to(release_dir)
    for place in (release_dir, tmp_path / "link"):
        with pytest.raises(OutputError, match="inside a release"):
            export(release_dir, "skmob", place / "out.parquet")
    assert sorted(path.name for path in release_dir.iterdir()) == ["data.parquet", "manifest.json"]


def test_nothing_is_overwritten(boxes, tmp_path):
    (tmp_path / "out.parquet").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        export(boxes, "skmob", tmp_path / "out.parquet")
    assert (tmp_path / "out.parquet").read_text() == "mine"


@pytest.mark.parametrize(("to", "name"), [("skmobb", "a.parquet"), ("skmob", "a.pkl"), ("geoparquet", "a.csv")])
def test_unknown_shapes_and_endings_are_refused(boxes, to, name, tmp_path):
    with pytest.raises(ParameterError):
        export(boxes, to, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_map_that_is_not_ours_is_refused(boxes):
    for proj in ("", "None", "+proj=longlat", boxes.manifest["crs"] + " +init=epsg:4326"):
        with pytest.raises(DataError, match="map"):
            Projection.named(proj)
