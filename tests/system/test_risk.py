"""``shoal risk`` end to end."""

import json
import stat

import polars as pl
import pytest

# Three people; a and b share a place, a alone has two.
EVENTS = """uid,datetime,lat,lng
ann-secret,2020-06-01T08:00:00Z,6.10,-5.20
ann-secret,2020-06-01T09:00:00Z,6.20,-5.20
bob-secret,2020-06-01T08:10:00Z,6.10,-5.20
eve-secret,2020-06-02T08:00:00Z,6.10,-5.20
"""


@pytest.fixture
def events(desk):
    return desk.write("events.csv", EVENTS)


def test_a_file_and_a_table(desk, events):
    done = desk("risk", events, "--attack", "location", "--size", 1, "--out", "risk.parquet")
    assert done.code == 0, done
    assert "at risk 1" in done.out
    assert "33.3%" in done.out
    assert "secret" not in done.out + done.err
    path = desk.home / "risk.parquet"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    frame = pl.read_parquet(path)
    assert frame.columns == ["uid", "risk"]
    assert frame["risk"].to_list() == pytest.approx([1, 1 / 3, 1 / 3])


def test_what_is_not_used_is_said(desk):
    rows = [line + ("," + extra) for line, extra in zip(EVENTS.splitlines(), ("tariff", *"xxxx"), strict=True)]
    odd = desk.write("odd.csv", "\n".join([*rows, "eve-secret,2020-06-02T09:00:00Z,91,-5.20,x"]) + "\n")
    done = desk("risk", odd, "--attack", "location", "--size", 1, "--bad-rows", "drop")
    assert done.code == 0, done
    assert "columns not used, and dropped: tariff" in done.said
    assert "rows dropped that break the rule on latitude: 1" in done.said
    found = json.loads(desk("risk", odd, "--attack", "location", "--size", 1, "--bad-rows", "drop", "--json").out)
    assert (found["ignored_columns"], found["dropped"]) == (["tariff"], {"latitude": 1})


def test_json_is_json_and_nothing_else(desk, events):
    done = desk("risk", events, "--attack", "location-time", "--size", "all", "--minutes", 60, "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out, parse_constant=pytest.fail)
    assert (found["attack"], found["size"], found["minutes"], found["exact"]) == ("location-time", "all", 60, True)
    assert (found["method"], found["share_at_1"], len(found["deciles"])) == (
        "exact",
        pytest.approx(2 / 3, abs=1e-5),
        11,
    )


@pytest.mark.parametrize(
    "attack",
    [
        *("unicity", "location", "sequence", "location-time", "unique-location", "frequency", "probability"),
        *("proportion", "home-work"),
    ],
)
def test_every_attack_runs(desk, events, attack):
    done = desk(
        "risk", events, "--attack", attack, "--size", 2, "--cell-m", 1000, "--minutes", 30, "--targets", 2, "-q"
    )
    assert (done.code, done.err) == (0, ""), done
    assert "2 of 3" in done.out


def test_unicity_prints_the_curve_and_the_published_one(desk, events):
    done = desk("risk", events, "--attack", "unicity", "--size", 4)
    assert done.code == 0
    assert "a paper's figure about other data: 4 points single out 95%" in done.out


def test_a_release_of_boxes_by_unicity_alone(desk, events):
    assert desk.protect(events).code == 0
    found = json.loads(desk("risk", "release", "--attack", "unicity", "--size", 2, "--json").out)
    assert found["people"] == 3
    refused = desk("risk", "release", "--attack", "location", "--size", 2)
    assert refused.code == 1
    assert "--attack unicity" in refused.said


@pytest.mark.parametrize(
    ("options", "code", "word"),
    [
        (["--attack", "location", "--size", "0"], 1, "--size 0"),
        (["--attack", "location", "--size", "2.5"], 1, "or all"),
        (["--attack", "location", "--size", "nan"], 1, "or all"),
        (["--attack", "lokation", "--size", "2"], 1, "did you mean 'location'"),
        (["--attack", "location", "--size", "2", "--cell-m", "-5"], 1, "--cell-m -5"),
        (["--attack", "location", "--size", "2", "--minutes", "x"], 1, "--minutes x"),
        (["--attack", "location", "--size", "2", "--targets", "0"], 1, "--targets 0"),
        (["--attack", "frequency", "--size", "2", "--tolerance", "2"], 1, "--tolerance"),
        (["--attack", "profile", "--size", "2"], 1, "no column for municipality"),
        (["--attack", "location"], 2, "--size"),
        (["--size", "2"], 2, "--attack"),
    ],
)
def test_refusals(desk, events, options, code, word):
    done = desk("risk", events, *options, "--out", "risk.parquet")
    assert done.code == code, done
    assert word in done.said
    assert done.out == ""
    assert desk.names() == ["events.csv"]


def test_the_output_is_refused_before_the_work(desk, events):
    desk.write("risk.parquet", "mine")
    done = desk("risk", events, "--attack", "location", "--size", 1, "--out", "risk.parquet")
    assert done.code == 1
    assert (desk.home / "risk.parquet").read_text() == "mine"


def test_the_toy_set(desk, shared_data):
    toy = shared_data("skmob_privacy_toy.csv")
    for size, expected in ((2, [3, 2, 3, 3, 4, 4, 2]), (3, [2, 1, 2, 3, 3, 4, 1])):
        out = f"risk-{size}.parquet"
        assert desk("risk", toy, "--tz", "UTC", "--attack", "location", "--size", size, "--out", out, "-q").code == 0
        risk = pl.read_parquet(desk.home / out).sort("uid")["risk"].to_list()
        assert risk == pytest.approx([1 / n for n in expected])
