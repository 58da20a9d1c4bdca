"""The way in: the same events through every door give the same traces."""

import gzip
from datetime import UTC, datetime, timedelta

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import shapely
from polars.testing import assert_frame_equal

import naive
import shoal
from data.rows import NOON, one_row, report_of, same
from shoal.data import Grid, ReadOptions, read, read_fixes, read_profiles, read_with_report
from shoal.errors import DataError, ParameterError


@pytest.fixture
def events():
    """Make events of a few people, unsorted, to whole seconds."""
    rng = np.random.default_rng(3)
    n = 300
    return pl.DataFrame(
        {
            "uid": [f"u{i:02}" for i in rng.integers(0, 12, n)],
            "datetime": [NOON + timedelta(seconds=int(s)) for s in rng.integers(0, 86_400, n)],
            "lat": np.round(6 + rng.normal(0, 0.1, n), 6),
            "lng": np.round(-5 + rng.normal(0, 0.1, n), 6),
        },
        schema_overrides={"datetime": pl.Datetime("us", "UTC")},
    )


@pytest.fixture
def traces(events):
    return read(events)


class Capsule:
    """Speaks Arrow, and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_samples_are_those_of_the_oracle(events, traces):
    lat_0, lon_0 = naive.centre(events["lat"].to_list(), events["lng"].to_list())
    assert (traces.crs.lat_0, traces.crs.lon_0) == (lat_0, lon_0)
    expected = {
        (uid, *naive.snap(lat, lng, int(when.timestamp()), lat_0, lon_0, 100, 60))
        for uid, when, lat, lng in events.iter_rows()
    }
    people = traces.people.to_pylist()
    found = zip((people[i] for i in traces.owner), traces.t, traces.x, traces.y, strict=True)
    assert {(uid, *map(int, sample)) for uid, *sample in found} == expected


@pytest.mark.parametrize(
    "name", ["events.parquet", "events.csv", "events.csv.gz", "events", "events.txt", "zipped.csv"]
)
def test_files_of_all_kinds_give_the_same(tmp_path, events, traces, name):
    path = tmp_path / name
    if path.suffix == ".parquet":
        events.write_parquet(path)
    elif path.suffix == ".gz" or name == "zipped.csv":
        path.write_bytes(gzip.compress(events.write_csv().encode()))
    else:
        path.write_text(events.write_csv())
    assert same(read(path), traces)
    assert same(read(str(path)), traces)


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz"])
def test_a_directory_of_parts_gives_the_same(tmp_path, events, traces, ending):
    parts = tmp_path / "parts"
    for i, part in enumerate((events[:100], events[100:101], events[101:])):
        path = parts / f"day={i}" / f"part-{i}.{ending}"
        path.parent.mkdir(parents=True)
        if ending == "parquet":
            part.write_parquet(path)
        else:
            text = part.write_csv().encode()
            path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    (parts / "_SUCCESS").touch()
    (parts / ".hidden.crc").write_bytes(b"\x00\x01")
    assert same(read(parts), traces)


def test_frames_of_all_libraries_give_the_same_and_stay_as_they_are(events, traces):
    table = events.to_arrow()
    frame = events.to_pandas()
    points = gpd.points_from_xy(frame["lng"], frame["lat"])
    geo = gpd.GeoDataFrame(frame[["uid", "datetime"]], geometry=points, crs=4326)
    indexed = frame.set_index("datetime")
    categorical = events.with_columns(pl.col("uid").cast(pl.Categorical))
    copies = events.clone(), frame.copy(deep=True), geo.copy(deep=True), indexed.copy(deep=True)
    for source in (
        events,
        events.lazy(),
        categorical,
        frame,
        frame.set_index(np.arange(300)[::-1]),
        indexed,
        geo,
        geo.set_index("datetime"),
        table,
        table.to_reader(),
        Capsule(table),
        table.to_pydict(),
    ):
        assert same(read(source), traces), type(source)
    assert_frame_equal(events, copies[0])
    pd.testing.assert_frame_equal(frame, copies[1])
    pd.testing.assert_frame_equal(pd.DataFrame(geo), pd.DataFrame(copies[2]))
    pd.testing.assert_frame_equal(indexed, copies[3])


def test_files_are_only_read(tmp_path, events):
    path = tmp_path / "events.csv"
    path.write_text(events.write_csv())
    before = path.read_bytes()
    path.chmod(0o400)
    read(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["events.csv"]


def test_the_order_of_rows_does_not_matter(events, traces):
    for seed in range(3):
        assert same(read(events.sample(fraction=1, shuffle=True, seed=seed)), traces)
    assert same(read(events.sort("uid", "datetime")), traces)


def test_duplicates_count_once_and_are_told(events, traces):
    doubled = pl.concat([events, events[::2]])
    assert same(read(doubled), traces)
    report = report_of(doubled)
    assert (report.rows, report.records) == (450, 450)
    assert report.merged == 450 - traces.samples


def test_two_places_in_one_minute_are_two_samples():
    rows = pl.concat([one_row(), one_row(lat=6.3), one_row(datetime="2020-06-01T12:00:59Z", lat=6.5)])
    traces = read(rows)
    assert (len(traces), traces.samples) == (1, 3)
    assert len(set(traces.t.tolist())) == 1
    assert traces.y.tolist() != sorted(traces.y.tolist())[::-1]


def test_a_person_with_many_samples_reads():
    n = 200_000
    frame = pl.DataFrame({"datetime": np.arange(n) * 60 + 1_600_000_000}).with_columns(
        uid=pl.lit("a"), lat=6.1, lng=-5.2
    )
    traces = read(frame)
    assert (len(traces), traces.samples) == (1, n)


def test_other_columns_are_dropped_and_told(events):
    report = report_of(events.with_columns(venue=pl.lit("x"), speed=1.0))
    assert report.ignored_columns == ("venue", "speed")


def test_the_named_api_is_lazy_but_complete():
    assert shoal.read is read
    assert set(shoal.__all__) <= set(dir(shoal))
    for name in shoal.__all__:
        assert getattr(shoal, name)
    with pytest.raises(AttributeError):
        _ = shoal.nothing


@pytest.mark.parametrize("reader", [read, read_fixes, read_profiles, read_with_report])
def test_unknown_keywords_are_refused(reader):
    with pytest.raises(ParameterError, match=r"^`bad_row`, which is unknown.*did you mean 'bad_rows'"):
        reader(one_row(), bad_row="drop")


@pytest.mark.parametrize("reader", [read, read_fixes, read_profiles, read_with_report])
def test_options_come_as_one_object_or_by_their_names(reader):
    with pytest.raises(ParameterError, match=r"^`options` and also `tz`"):
        reader(one_row(), options=ReadOptions(), tz="UTC")
    with pytest.raises(ParameterError, match=r"^`options` of type dict"):
        reader(one_row(), options={"tz": "UTC"})


def test_options_and_names_mean_the_same():
    naive_times = one_row(datetime="2020-06-01T12:00:00")
    expected = read(one_row())
    assert same(read(naive_times, tz="UTC"), expected)
    assert same(read(naive_times, options=ReadOptions(tz="UTC")), expected)
    assert same(read_with_report(naive_times, tz="UTC")[0], expected)


def test_things_that_are_no_grid_or_no_mapping_are_refused():
    with pytest.raises(ParameterError, match=r"^`grid` of type int"):
        read(one_row(), grid=100)
    with pytest.raises(ParameterError, match=r"^`columns` of type str"):
        read(one_row(), columns="uid=user")


def test_columns_maps_other_names(events, traces):
    renamed = events.rename({"uid": "user", "datetime": "ts", "lat": "north", "lng": "east"})
    columns = {"uid": "user", "datetime": "ts", "lat": "north", "lng": "east"}
    assert same(read(renamed, columns=columns), traces)
    with pytest.raises(DataError, match="did you mean 'user'"):
        read(renamed, columns=columns | {"uid": "usr"})
    with pytest.raises(ParameterError, match="did you mean 'datetime'"):
        read(renamed, columns={"datetimes": "ts"})


def test_skmob(events, traces):
    assert same(read(events, schema="skmob"), traces)
    assert same(read(events.rename({"lng": "lon"}), schema="skmob"), traces)


def with_geometry(events, kind):
    points = shapely.points(events["lng"].to_numpy(), events["lat"].to_numpy())
    values = shapely.to_wkb(points).tolist() if kind == "wkb" else shapely.to_wkt(points, rounding_precision=6).tolist()
    return events.drop("lat", "lng").with_columns(pl.Series("geom", values))


@pytest.mark.parametrize(
    ("kind", "ending"),
    # Binary does not go into CSV.
    [(k, e) for k in ("wkb", "wkt", "plain") for e in ("frame", "parquet", "csv") if (k, e) != ("wkb", "csv")],
)
def test_trackintel(tmp_path, events, traces, kind, ending):
    named = events.rename({"lat": "latitude", "lng": "longitude"}) if kind == "plain" else with_geometry(events, kind)
    source = named.rename({"uid": "user_id", "datetime": "tracked_at"})
    path = tmp_path / f"positionfixes.{ending}"
    if ending == "parquet":
        source.write_parquet(path)
    elif ending == "csv":
        path.write_text(source.write_csv())
    assert same(read(source if ending == "frame" else path, schema="trackintel"), traces)


def test_movingpandas(tmp_path, events, traces):
    frame = events.to_pandas()
    points = gpd.points_from_xy(frame["lng"], frame["lat"])
    columns = pd.DataFrame({"traj_id": frame["uid"], "t": frame["datetime"]})
    geo = gpd.GeoDataFrame(columns, geometry=points, crs=4326)
    path = tmp_path / "points.parquet"
    geo.to_parquet(path)
    assert same(read(path, schema="movingpandas"), traces)
    assert same(read(geo, schema="movingpandas"), traces)
    assert same(read(geo.set_index("t"), schema="movingpandas"), traces)
    flat = events.rename({"uid": "trajectory_id", "datetime": "timestamp", "lat": "y", "lng": "x"})
    assert same(read(flat, schema="movingpandas"), traces)


def test_big_endian_and_broken_geometry():
    points = [
        shapely.to_wkb(shapely.Point(-5.2, 6.1), byte_order=0),
        shapely.to_wkb(shapely.Point(-5.2, 6.1), byte_order=1),
        shapely.to_wkb(shapely.LineString([(0, 0), (1, 1)])),
        b"no",
        None,
    ]
    frame = pl.DataFrame({"geometry": points}).with_columns(uid=pl.lit("a"), datetime=pl.lit("2020-06-01T12:00:00Z"))
    assert same(read(frame[:2]), read(one_row()))
    with pytest.raises(DataError, match="row 3: a coordinate"):
        read(frame)
    assert report_of(frame, bad_rows="drop").dropped == {"coordinate": 3}


def test_geopandas_in_metres_or_of_lines_is_refused():
    frame = pd.DataFrame({"uid": ["a"], "datetime": ["2020-06-01T12:00:00Z"]})
    with pytest.raises(DataError, match="another coordinate system"):
        read(gpd.GeoDataFrame(frame, geometry=gpd.points_from_xy([1], [1]), crs=3857))
    with pytest.raises(DataError, match="not points"):
        read(gpd.GeoDataFrame(frame, geometry=[shapely.LineString([(0, 0), (1, 1)])], crs=4326))


PLT_HEADER = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n"


def geolife_tree(root):
    lines = {
        "000/Trajectory/20081023025304.plt": [
            "39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04",
            "39.984683,116.31845,0,492,39744.1202546296,2008-10-23,02:53:10",
            "400.166666666667,116.318417,0,-777,39744.2,2008-10-23,04:48:00",
        ],
        "000/Trajectory/20081024020959.plt": ["40.008304,116.319876,0,492,39745.09,2008-10-24,02:09:59"],
        "010/Trajectory/20070804033032.plt": ["39.921712,116.472343,0,13,39298.14,2007-08-04,03:30:32"],
    }
    for name, rows in lines.items():
        path = root / "Data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PLT_HEADER.replace("\n", "\r\n") + "\r\n".join(rows) + "\r\n")
    (root / "Data" / "010" / "labels.txt").write_text("Start Time\tEnd Time\tMode\n")
    return root


def test_geolife_tree_with_its_latitude_of_400(tmp_path):
    root = geolife_tree(tmp_path / "Geolife")
    with pytest.raises(DataError, match=r"^row 3 of file 1 of 3: a latitude beyond"):
        read(root, schema="geolife")
    traces, report = read_with_report(root, Grid(), ReadOptions(schema="geolife", bad_rows="drop"))
    assert traces.people.to_pylist() == ["000", "010"]
    assert (report.rows, report.records, report.dropped) == (5, 4, {"latitude": 1})
    assert (traces.crs.lat_0, traces.crs.lon_0) == (40, 116)
    first = naive.snap(
        39.984702, 116.318417, datetime(2008, 10, 23, 2, 53, 4, tzinfo=UTC).timestamp(), 40, 116, 100, 60
    )
    assert (int(traces.t[0]), int(traces.x[0]), int(traces.y[0])) == first


def test_cabspotting_tree(tmp_path):
    root = tmp_path / "cabspottingdata"
    root.mkdir()
    (root / "new_abboip.txt").write_text("37.75134 -122.39488 0 1213084687\n37.75136 -122.39527 0 1213084659\n")
    (root / "new_enyenewl.txt").write_text("37.75152 -122.39447 1 1213035618\n")
    (root / "_cabs.txt").write_text('<cab id="abboip" updates="2"/>\n')
    traces = read(root, schema="cabspotting")
    assert traces.people.to_pylist() == ["abboip", "enyenewl"]
    assert traces.lengths.tolist() == [2, 1]
    assert traces.t.tolist() == [1213084659 // 60, 1213084687 // 60, 1213035618 // 60]
    assert (traces.crs.lat_0, traces.crs.lon_0) == (38, -122)


def test_trees_that_are_none_are_refused(tmp_path):
    for schema in ("geolife", "cabspotting"):
        with pytest.raises(DataError, match="without"):
            read(tmp_path, schema=schema)
        with pytest.raises(DataError, match="no file or directory 'nothing'"):
            read(tmp_path / "nothing", schema=schema)
    broken = tmp_path / "Data" / "canary_person" / "Trajectory" / "1.plt"
    broken.parent.mkdir(parents=True)
    broken.write_text(PLT_HEADER + "39.98,116.3\n")
    with pytest.raises(DataError, match="file 1 of 1") as caught:
        read(tmp_path, schema="geolife")
    assert "canary" not in str(caught.value)


def plt(root, name, rows, *, end="\r\n", preamble=PLT_HEADER):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(preamble.replace("\n", end) + "".join(row + end for row in rows), newline="")
    return path


LINE = "39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04"


def test_many_files_of_a_tree_are_read_as_one_by_one(tmp_path, monkeypatch):
    """In one go where they are sound; else one by one, as those with empty lines are."""
    for i in range(7):
        lines = [LINE, *([""] if i == 4 else []), LINE.replace(":04", f":1{i}")]
        plt(tmp_path, f"{i:03}/Trajectory/1.plt", lines, end="\n" if i % 2 else "\r\n")
    (tmp_path / "002" / "Trajectory" / "1.plt").write_text(PLT_HEADER + LINE)  # no line end
    frames = []
    for at_a_time in (1, 3, 100):
        monkeypatch.setattr("shoal.data.trees._FILES_AT_A_TIME", at_a_time)
        frames.append(read_fixes(tmp_path, schema="geolife", bad_rows="drop"))
    assert len(frames[0]) == 7
    assert frames[0].lengths.tolist() == [2, 2, 1, 2, 2, 2, 2]
    for other in frames[1:]:
        assert_frame_equal(frames[0].to_polars(), other.to_polars())


def test_rows_of_a_tree_are_told_by_the_place_of_their_file(tmp_path):
    for i in range(5):
        plt(tmp_path, f"canary{i}/Trajectory/1.plt", [LINE] * (i + 1))
    plt(tmp_path, "canary3/Trajectory/1.plt", [LINE, LINE, "39.98,116.3"])  # cut short
    with pytest.raises(DataError, match=r"^row 3 of file 4 of 5: something that is not a time") as caught:
        read(tmp_path, schema="geolife")
    assert "canary" not in str(caught.value)
    assert report_of(tmp_path, schema="geolife", bad_rows="drop").dropped == {"datetime": 1}


@pytest.mark.parametrize(
    "content",
    ["", PLT_HEADER[:20], PLT_HEADER, PLT_HEADER + "39.98,116.3\n" + LINE, PLT_HEADER + LINE + "\n" + LINE + ",1\n"],
    ids=["empty", "cut preamble", "no rows", "short first row", "long row"],
)
def test_files_of_a_tree_that_cannot_be_parsed_are_told_by_their_place(tmp_path, content):
    for i in range(4):
        plt(tmp_path, f"canary{i}/Trajectory/1.plt", [LINE])
    (tmp_path / "canary2" / "Trajectory" / "1.plt").write_text(content)
    with pytest.raises(DataError, match=r"^file 3 of 4 cannot be parsed") as caught:
        read(tmp_path, schema="geolife", bad_rows="drop")
    assert "canary" not in str(caught.value)


def test_text_of_a_tree_that_is_not_utf8_is_told_by_its_place(tmp_path):
    plt(tmp_path, "a/Trajectory/1.plt", [LINE])
    path = plt(tmp_path, "b/Trajectory/1.plt", [LINE])
    path.write_bytes(path.read_bytes().replace(b"2008-10-23", b"2008\xff10\xfe23"))
    with pytest.raises(DataError, match=r"^file 2 of 2 cannot be parsed"):
        read(tmp_path, schema="geolife")


def test_hidden_files_and_links_of_a_tree(tmp_path):
    root = tmp_path / "Data"
    plt(root, "000/Trajectory/1.plt", [LINE])
    (root / "000" / "Trajectory" / "._1.plt").write_bytes(b"\x00\x05\x16\x07")
    plt(tmp_path, "disk/007/Trajectory/1.plt", [LINE])
    (root / "007").symlink_to(tmp_path / "disk" / "007")
    (root / "008").symlink_to(root / "000")
    (root / "loop").symlink_to(root)
    assert read(root, schema="geolife").people.to_pylist() == ["000", "007"]
    assert read(root / "00[1-9]", schema="geolife").people.to_pylist() == ["007", "008"]


def test_unknown_schema_gets_a_hint():
    with pytest.raises(ParameterError, match="did you mean 'trackintel'"):
        read(one_row(), schema="trackintell")


CELLS = pl.DataFrame({"cell": ["A", "B", "01"], "lat": [6.1, 6.2, 6.3], "lng": [-5.2, -5.3, -5.4]})


def test_cells_stand_for_their_places(tmp_path):
    events = pl.DataFrame({"uid": ["a", "a", "b"], "datetime": ["2020-06-01T12:00:00Z"] * 3, "cell": ["A", "B", "01"]})
    direct = events.join(CELLS, on="cell").drop("cell")
    expected = read(direct)
    assert same(read(events, cells=CELLS), expected)
    CELLS.write_parquet(tmp_path / "cells.parquet")
    CELLS.with_columns(municipality=pl.lit("x")).write_csv(tmp_path / "cells.csv")
    assert same(read(events, cells=tmp_path / "cells.parquet"), expected)
    assert same(read(events, cells=str(tmp_path / "cells.csv")), expected)
    numbered = pl.DataFrame({"cell": [7], "lat": [6.1], "lng": [-5.2]})
    assert len(read(events[:1].with_columns(cell=pl.lit(7)), cells=numbered)) == 1


OPEN_CELL_ID = CELLS.rename({"lng": "lon"}).with_columns(radio=pl.lit("UMTS"), mcc=208)


def test_the_cells_table_may_have_other_names(tmp_path):
    events = pl.DataFrame({"uid": ["a", "b"], "datetime": ["2020-06-01T12:00:00Z"] * 2, "cell": ["A", "01"]})
    expected = read(events, cells=CELLS)
    OPEN_CELL_ID.write_csv(tmp_path / "cells.csv")
    for cells in (OPEN_CELL_ID, OPEN_CELL_ID.to_arrow(), tmp_path / "cells.csv"):
        assert same(read(events, cells=cells, cells_columns={"lng": "lon"}), expected)
    other = CELLS.rename({"cell": "lat", "lat": "y", "lng": "cell"})
    assert same(read(events, cells=other, cells_columns={"cell": "lat", "lat": "y", "lng": "cell"}), expected)


@pytest.mark.parametrize(
    ("cells", "columns", "found", "hint"),
    [
        (OPEN_CELL_ID, None, "a cells table without lng among cell, lat, lon, radio, mcc", "`cells_columns` lng=lon"),
        (
            CELLS.rename({"cell": "ID", "lat": "Latitude", "lng": "Longitude"}),
            None,
            "a cells table without cell, lat, lng among 3 columns, none of which is known",
            "name them with `cells_columns` cell=ID,lat=Latitude,lng=Longitude",
        ),
        (CELLS.drop("cell"), None, "a cells table without cell among lat, lng", "`cells_columns` cell=COLUMN"),
        (CELLS, {"cell": "cel"}, "no column named 'cel'", "did you mean 'cell'?"),
        (CELLS, {"cel": "cell"}, "`cells_columns` for 'cel'", "did you mean 'cell'?"),
    ],
)
def test_a_cells_table_that_lacks_columns_gets_a_hint(cells, columns, found, hint):
    events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-06-01T12:00:00Z"], "cell": ["A"]})
    with pytest.raises((DataError, ParameterError)) as caught:
        read(events, cells=cells, cells_columns=columns)
    assert caught.value.found == found
    assert hint in caught.value.hint


def test_names_of_the_cells_table_are_a_mapping_and_of_no_use_to_profiles():
    with pytest.raises(ParameterError, match=r"^`cells_columns` of type str"):
        ReadOptions(cells_columns="cell=site")
    with pytest.raises(ParameterError, match=r"^`cells_columns` for profiles"):
        read_profiles(one_row(), cells_columns={"cell": "site"})


def test_unknown_and_blank_cells_break_a_rule():
    events = pl.DataFrame(
        {"uid": ["a"] * 5, "datetime": ["2020-06-01T12:00:00Z"] * 5, "cell": ["A", "1", "canary", "", None]}
    )
    with pytest.raises(DataError, match="row 2: a cell") as caught:
        read(events, cells=CELLS)
    assert "canary" not in str(caught.value)
    assert report_of(events, cells=CELLS, bad_rows="drop").dropped == {"cell": 4}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (None, "no cells table"),
        (CELLS.drop("lng"), "without lng"),
        (CELLS.with_columns(lat=pl.lit(91.0)), "row 1: a latitude"),
        (CELLS.with_columns(lat=pl.lit(None, pl.Float64)), "row 1: a coordinate"),
        (pl.concat([CELLS, CELLS.with_columns(lat=pl.lit(6.9))]), "one cell at two places"),
    ],
)
def test_broken_cells_tables_are_refused(cells, message):
    events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-06-01T12:00:00Z"], "cell": ["A"]})
    with pytest.raises(DataError, match=message):
        read(events, cells=cells)


def test_rows_of_a_cells_table_that_are_equal_do_no_harm():
    events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-06-01T12:00:00Z"], "cell": ["A"]})
    assert same(read(events, cells=pl.concat([CELLS, CELLS])), read(events, cells=CELLS))


def test_a_call_is_where_it_starts_and_where_it_ends():
    calls = pl.DataFrame(
        {
            "uid": ["a", "a", "b"],
            "datetime": ["2020-06-01T12:00:30Z", "2020-06-01T15:00:00Z", "2020-06-01T12:00:00Z"],
            "duration": [45, 0, 90],
            "cell_start": ["A", "B", "A"],
            "cell_end": ["B", "B", "A"],
        }
    )
    traces, report = read_with_report(calls, Grid(), ReadOptions(cells=CELLS))
    twice = pl.DataFrame(
        {
            "uid": ["a", "a", "a", "b", "b"],
            "datetime": [f"2020-06-01T{t}Z" for t in ("12:00:30", "12:01:15", "15:00:00", "12:00:00", "12:01:30")],
            "cell": ["A", "B", "B", "A", "A"],
        }
    )
    assert same(traces, read(twice, cells=CELLS))
    assert (report.kind, report.rows, report.records, report.points, report.merged) == ("calls", 3, 3, 6, 1)


@pytest.mark.parametrize("duration", [-1, -0.5, None, float("nan"), "soon", 1e30, 9.2e18, 8e9])
def test_impossible_durations_break_a_rule(duration):
    call = pl.DataFrame(
        {"uid": "a", "datetime": "2020-06-01T12:00:00Z", "duration": [duration], "cell_start": "A", "cell_end": "B"}
    )
    with pytest.raises(DataError, match="row 1: a duration"):
        read(call, cells=CELLS)


def test_a_call_with_one_unknown_end_is_bad_as_a_whole():
    call = pl.DataFrame(
        {
            "uid": ["a", "a"],
            "datetime": "2020-06-01T12:00:00Z",
            "duration": 5,
            "cell_start": ["A", "A"],
            "cell_end": ["B", "?"],
        }
    )
    report = report_of(call, cells=CELLS, bad_rows="drop")
    assert (report.records, report.points, report.dropped) == (1, 2, {"cell": 1})


def test_person_joins_several_uids(events):
    owned = events.with_columns(owner=pl.col("uid").str.slice(2))
    people = read(owned, person="owner")
    assert same(people, read(owned.with_columns(uid="owner").drop("owner")))
    assert len(people) == 10
    with pytest.raises(DataError, match="did you mean 'owner'"):
        read(owned, person="ownr")
    unknown = owned.with_columns(owner=pl.when(pl.col("owner") == "3").then(None).otherwise("owner"))
    with pytest.raises(DataError, match="null or blank uid"):
        read(unknown, person="owner")
