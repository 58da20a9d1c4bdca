"""``shoal.risk``: what it reads, what it refuses, what it says."""

import json
import shutil
import stat

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from attacks import naive_prudence as naive
from shoal.attacks.assess import ATTACKS
from shoal.attacks.prudence.items import visits
from shoal.attacks.prudence.records import records_from
from shoal.attacks.unicity_points import unicity_of_points
from shoal.contract.claims import Nothing
from shoal.contract.kinds import cell_names
from shoal.data import Points, Profiles, read_fixes
from shoal.data.layout import ALWAYS
from shoal.errors import DataError, OutputError, ParameterError
from shoal.release import Protected, build_release


@pytest.fixture(scope="module")
def events():
    rng = np.random.default_rng(7)
    n = 300
    return pl.DataFrame(
        {
            "uid": [f"person-{i}" for i in rng.integers(0, 25, n)],
            "datetime": 1_591_012_800 + rng.integers(0, 2 * 86_400, n),
            "lat": 6 + rng.integers(0, 5, n) / 50,
            "lng": -5 + rng.integers(0, 5, n) / 50,
        }
    )


def people_of(events):
    """Lists of (time, place) by uid, in the order of uids."""
    return {
        uid: [(t, (lat, lng)) for _, t, lat, lng in group.rows()]
        for (uid,), group in sorted(events.group_by("uid"), key=lambda pair: pair[0])
    }


@pytest.mark.parametrize(
    ("family", "size"), [("location", 2), ("location-time", 1), ("frequency", 2), ("home-work", 2)]
)
def test_places_are_the_coordinates_of_the_input(events, family, size):
    people = people_of(events)
    found = shoal.risk(events, family, size, minutes=1440)
    assert found.users.column_names == ["uid", "risk"]
    assert found.users["uid"].to_pylist() == list(people)
    expected = [naive.risk(list(people.values()), i, family, size, step=86_400) for i in range(len(people))]
    assert found.users["risk"].to_pylist() == pytest.approx(expected)


def test_the_order_of_rows_changes_nothing(events):
    for family in ("sequence", "location", "home-work"):
        shuffled = events.sample(fraction=1, shuffle=True, seed=2)
        assert shoal.risk(events, family, 3).users.equals(shoal.risk(shuffled, family, 3).users)


def test_a_coarser_cell_is_never_riskier_and_traces_do_as_well(events):
    fine = shoal.risk(events, "unique-location", 2).to_polars()["risk"]
    coarse = shoal.risk(events, "unique-location", 2, cell_m=20_000).to_polars()["risk"]
    assert (coarse <= fine).all()
    traces = shoal.read(events)
    as_traces = shoal.risk(traces, "unique-location", 2, cell_m=20_000).to_polars()["risk"]
    assert as_traces.equals(coarse)
    with pytest.raises(ParameterError, match="multiple"):
        shoal.risk(traces, "unique-location", 2, cell_m=150)


def test_the_summary(events):
    found = shoal.risk(events, "location", 2)
    summary = json.loads(json.dumps(found.summary))
    risk = found.users["risk"].to_numpy()
    assert (summary["people"], summary["attacked"], summary["method"], summary["exact"]) == (25, 25, "exact", True)
    assert len(summary["deciles"]) == 11
    assert (summary["deciles"][0], summary["deciles"][10]) == pytest.approx((risk.min(), risk.max()), abs=1e-6)
    assert summary["share_at_1"] == pytest.approx((risk == 1).mean())
    assert summary["baseline"] == 1 / 25
    assert "person-" not in json.dumps(summary) + repr(found)
    assert shoal.risk(events, "location").summary["size"] == "all"


def test_some_targets_are_attacked_among_everybody(events):
    everybody = dict(shoal.risk(events, "location", 2).to_polars().rows())
    some = shoal.risk(events, "location", 2, targets=6, seed=3)
    assert some.users.num_rows == 6
    assert (some.summary["method"], some.summary["exact"]) == ("sampled", True)
    assert dict(some.to_polars().rows()).items() <= everybody.items()
    assert shoal.risk(events, "location", 2, targets=999).summary["method"] == "exact"


def test_a_search_that_gave_up_says_so(events):
    hasty = shoal.risk(events, "unique-location", 4, effort=1)
    patient = shoal.risk(events, "unique-location", 4)
    assert (hasty.summary["exact"], hasty.summary["method"]) == (False, "sampled")
    assert hasty.summary["share_exact"] < 1
    assert len(hasty.summary["deciles_at_most"]) == 11
    risk = patient.users["risk"].to_numpy()
    assert (hasty.users["risk"].to_numpy() <= risk).all()
    assert (risk <= hasty.upper).all()


# -------------------------------------------------------------------------------------------------- unicity


def test_unicity_has_a_curve_beside_the_published_one(events):
    found = shoal.risk(events, "unicity", 5, minutes=240, seed=1)
    shares = [row["unique"]["share"] for row in found.summary["unicity"]]
    assert [row["points"] for row in found.summary["unicity"]] == [1, 2, 3, 4, 5]
    assert shares == sorted(shares)
    assert all(
        row["unique"]["low"] <= row["unique"]["share"] <= row["unique"]["high"] for row in found.summary["unicity"]
    )
    assert found.summary["published"]["points"] == 4
    assert found.summary["method"] == "sampled"
    assert shoal.risk(events, "unicity", 5, minutes=240, seed=1).users.equals(found.users)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=5), min_size=1, max_size=6),
    st.integers(0, 5),
)
def test_unicity_counts_who_shares_the_points(people, seed):
    rows = [(i, t, place) for i, records in enumerate(people) for t, place in records]
    owner, t, place = np.array(rows, np.int64).T
    items = visits(records_from(owner, t * 60, place, len(people)), 120)
    counts = unicity_of_points(items, np.arange(len(people)), points=6, rng=np.random.default_rng(seed))
    cells = [{(t // 2, place) for t, place in records} for records in people]
    assert (np.diff(counts, axis=1) <= 0).all()
    # All points known: whoever has them all.
    assert counts[:, -1].tolist() == [sum(mine <= theirs for theirs in cells) for mine in cells]
    # One point known: one of the person's own.
    holders = [[sum(cell in theirs for theirs in cells) for cell in mine] for mine in cells]
    assert all(count in possible for count, possible in zip(counts[:, 0], holders, strict=True))


def test_the_points_are_drawn_at_random():
    rows = [(0, t, 0) for t in range(10)] + [(1, 0, 0)]
    owner, t, place = np.array(rows, np.int64).T
    items = visits(records_from(owner, t * 60, place, 2), 60)
    first = [
        int(unicity_of_points(items, np.array([0]), points=1, rng=np.random.default_rng(seed))[0, 0])
        for seed in range(200)
    ]
    assert 5 < first.count(2) < 50, "one of ten points is shared"


def test_all_points_are_the_whole_trace(events):
    alone = shoal.risk(events, "unicity", "all", minutes=1)
    assert alone.summary["exact"]
    assert alone.summary["share_at_1"] == 1.0
    assert "unicity" not in alone.summary


@pytest.fixture(scope="module")
def release(events, tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    shoal.Uniform(cell_m=5000, minutes=480).protect(shoal.read(events)).write(folder / "release", record=False)
    return folder / "release"


def test_unicity_of_a_release_of_boxes(release):
    found = shoal.risk(release, "unicity", 3, seed=2)
    assert found.summary["people"] == 25
    assert len(found.summary["unicity"]) == 3
    everything = shoal.risk(release, "unicity", "all", seed=2)
    assert (everything.summary["method"], everything.summary["exact"]) == ("sampled", False)
    assert "unicity" not in everything.summary
    assert (everything.users["risk"].to_numpy() >= found.users["risk"].to_numpy() - 1e-12).all()
    assert (found.summary["minutes"], found.summary["cell_m"]) == (None, None)
    for attack, more in (("location", {}), ("unicity", {"cell_m": 100}), ("unicity", {"minutes": 60})):
        with pytest.raises(ParameterError, match="release of boxes"):
            shoal.risk(release, attack, 3, **more)


def released(payload, out):
    about = {"mechanism": "toy", "parameters": {}, "claim": Nothing(), "span_s": ALWAYS}
    build_release(Protected(payload=payload), **about).write(out, record=False)
    return out


def test_a_release_of_points_is_attacked_as_it_is(events, tmp_path):
    out = released(Points.of_people(read_fixes(events)), tmp_path / "release")
    raw, published = (shoal.risk(data, "location-time", 2) for data in (events, out))
    assert published.summary["deciles"] == raw.summary["deciles"]
    assert sorted(published.users["risk"].to_pylist()) == sorted(raw.users["risk"].to_pylist())
    with pytest.raises(DataError, match="release of points"):
        shoal.risk(out, "profile", 2)


def test_a_release_that_cannot_be_read_is_told(release, tmp_path):
    shutil.copytree(release, tmp_path / "r")
    (tmp_path / "r" / "data.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"data\.parquet"):
        shoal.risk(tmp_path / "r", "unicity", 2)
    (tmp_path / "r" / "manifest.json").write_text("{")
    with pytest.raises(DataError, match=r"manifest\.json"):
        shoal.risk(tmp_path / "r", "unicity", 2)


def test_the_order_of_rows_of_a_release_changes_nothing(release, tmp_path):
    shutil.copytree(release, tmp_path / "r")
    path = tmp_path / "r" / "data.parquet"
    table = pl.read_parquet(path).sample(fraction=1, shuffle=True, seed=1).to_arrow().cast(pq.read_schema(path))
    pq.write_table(table, path)
    one, other = (shoal.risk(folder, "unicity", 3, seed=2) for folder in (release, tmp_path / "r"))
    assert one.users.equals(other.users)


# ------------------------------------------------------------------------------------------------- profiles


def test_profiles_are_attacked_within_their_municipality():
    values = np.zeros((4, 6))
    values[1, 2] = 0.5
    people, places = ["a", "b", "c", "a"], ["x", "x", "x", "y"]
    profiles = Profiles(
        pl.Series(people).to_arrow().cast("string"), pl.Series(places).to_arrow().cast("string"), values, 1
    )
    found = dict(shoal.risk(profiles, "profile", 1).to_polars().rows())
    assert found == {"a": 1.0, "b": 1.0, "c": 0.5}, "a is alone in y; c shares each single cell with another"
    frame = pl.DataFrame({"uid": people, "municipality": places}).hstack(
        pl.DataFrame(values, schema=list(cell_names(1)))
    )
    assert dict(shoal.risk(frame, "profile", "all").to_polars().rows()) == found


def test_a_release_of_profiles_is_attacked_row_by_row_whatever_its_values(tmp_path):
    people, places = (pl.Series(list(values)).to_arrow().cast("string") for values in ("aab", "xyx"))
    values = np.array([[-0.5] * 6, [0.25] * 6, [-0.5] * 6])
    out = released(Profiles(people, places, values, 1), tmp_path / "release")
    found = shoal.risk(out, "profile", "all")
    assert sorted(found.users["risk"].to_pylist()) == [0.5, 0.5, 1.0]
    with pytest.raises(DataError, match="release of profiles"):
        shoal.risk(out, "location", 2)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=6, max_size=6), min_size=1, max_size=6),
    st.integers(1, 6),
)
def test_profiles_against_enumeration(rows, size):
    from itertools import combinations

    frame = pl.DataFrame({"uid": [str(i) for i in range(len(rows))], "municipality": ["m"] * len(rows)}).hstack(
        pl.DataFrame(rows, schema=list(cell_names(1)), orient="row")
    )
    expected = [
        max(1 / sum(all(other[c] == row[c] for c in h) for other in rows) for h in combinations(range(6), size))
        for row in rows
    ]
    assert shoal.risk(frame, "profile", size).users["risk"].to_pylist() == expected


# --------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("attack", "more", "word"),
    [
        ("locations", {"size": 2}, "did you mean 'location'"),
        ("location", {"size": 0}, "`size=0`"),
        ("location", {"size": 2.5}, "`size=2.5`"),
        ("location", {"size": True}, "`size=True`"),
        ("location", {"size": 2, "cell_m": 0}, "`cell_m=0`"),
        ("location-time", {"size": 2, "minutes": -1}, "`minutes=-1`"),
        ("location", {"size": 2, "targets": 0}, "`targets=0`"),
        ("location", {"size": 2, "tolerance": 0.5}, "`tolerance` for `attack='location'`"),
        ("frequency", {"size": 2, "tolerance": 1.5}, "`tolerance=1.5`"),
        ("frequency", {"size": 2, "tolerance": float("nan")}, "`tolerance=nan`"),
    ],
)
def test_bad_parameters_are_told(events, attack, more, word):
    with pytest.raises(ParameterError) as told:
        shoal.risk(events, attack, **more)
    assert word in str(told.value)


def test_data_without_profiles_are_told(events, tmp_path):
    with pytest.raises(shoal.ShoalError, match="no column for municipality"):
        shoal.risk(events, "profile", 2)
    (tmp_path / "x.csv").write_text("uid\na\n")
    with pytest.raises(shoal.ShoalError, match="no column for municipality"):
        shoal.risk(tmp_path / "x.csv", "profile", 2)


def test_every_attack_has_a_name_of_the_contract():
    assert set(ATTACKS) == {
        *("unicity", "location", "sequence", "location-time", "unique-location", "frequency", "probability"),
        *("proportion", "home-work", "profile"),
    }


# ------------------------------------------------------------------------------------------------------ file


def test_the_file_is_for_the_owner_alone_and_nothing_is_overwritten(events, tmp_path):
    found = shoal.risk(events, "location", 2)
    path = found.write(tmp_path / "risk.parquet")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert pl.read_parquet(path).equals(found.to_polars())
    before = path.read_bytes()
    with pytest.raises(OutputError):
        found.write(path)
    assert path.read_bytes() == before


def test_a_failed_write_leaves_nothing(events, tmp_path, monkeypatch):
    found = shoal.risk(events, "location", 2)

    def fail(*_, **__):
        raise OSError(28, "no space")

    monkeypatch.setattr("pyarrow.parquet.write_table", fail)
    with pytest.raises(OutputError, match="full"):
        found.write(tmp_path / "risk.parquet")
    assert list(tmp_path.iterdir()) == []
