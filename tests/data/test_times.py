"""Times of all kinds mean the same second, and none is guessed."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.rows import NOON, TWELVE, micros_of, seconds_of
from shoal.data import ReadOptions, iso, read, read_fixes, times
from shoal.errors import DataError, ParameterError


@pytest.mark.parametrize(
    "text",
    [
        "2020-06-01T12:00:00Z",
        "2020-06-01T12:00:00z",
        "2020-06-01 12:00:00Z",
        "2020-06-01T12:00:00.999999Z",
        "2020-06-01T12:00:00.123456789Z",
        "2020-06-01T12:00Z",
        "2020-06-01 12:00:00 UTC",
        "2020-06-01 12:00:00 GMT",
        "2020-06-01T12:00:00UTC",
        "2020-06-01T14:00:00+02:00",
        "2020-06-01 14:00:00+0200",
        "2020-06-01 14:00:00+02",
        "2020-06-01T06:30:00.5-05:30",
        " 2020-06-01T12:00:00Z ",
        "1591012800",
        "1591012800.75",
        "1591012800000",
        "1591012800999999",
        "1591012800000000001",
    ],
)
def test_texts_that_mean_the_same_second(text):
    assert seconds_of([text]) == [TWELVE]


@pytest.mark.parametrize("kind", [pl.Int32, pl.UInt32, pl.Int64, pl.UInt64, pl.Float64], ids=lambda kind: str(kind))
def test_epoch_seconds_of_any_type(kind):
    assert seconds_of(pl.Series([TWELVE, TWELVE + 1]).cast(kind)) == [TWELVE, TWELVE + 1]


@pytest.mark.parametrize("factor", [1, 10**3, 10**6, 10**9])
def test_epochs_in_any_one_unit(factor):
    assert seconds_of([TWELVE * factor, (TWELVE + 1) * factor]) == [TWELVE, TWELVE + 1]
    assert seconds_of([float(TWELVE * factor)]) == [TWELVE]
    assert seconds_of([str(TWELVE * factor)]) == [TWELVE]


QUARTER = TWELVE * 10**6 + 250_000


@pytest.mark.parametrize(
    ("value", "micros"),
    [
        ("2020-06-01T12:00:00.25Z", 250_000),
        ("2020-06-01 12:00:00.000001+00:00", 1),
        ("2020-06-01T12:00:00.123456Z", 123_456),
        ("2020-06-01T12:00:00.999999999Z", 999_999),
        ("1591012800.123456", 123_456),
        ("1591012800123", 123_000),
        ("1591012800123456", 123_456),
        ("1591012800123456789", 123_456),
        (TWELVE + 0.123456, 123_456),
        (TWELVE * 1e3 + 123.456, 123_456),
        (TWELVE * 1e6 + 123_456, 123_456),
        (TWELVE * 10**3 + 123, 123_000),
        (TWELVE * 10**9 + 123_456_999, 123_456),
        # Half a microsecond before the next second, as near as such a number can be: still this second.
        (TWELVE + 0.9999998, 999_999),
    ],
)
def test_microseconds_are_kept(value, micros):
    assert micros_of([value]) == [TWELVE * 10**6 + micros]


@given(st.integers(31_536_000 * 10**6, 4_000_000_000 * 10**6))
def test_microseconds_are_kept_in_every_spelling(micros):
    stamp = pl.Series([micros]).cast(pl.Datetime("us", "UTC"))
    text = stamp.dt.to_string("%Y-%m-%dT%H:%M:%S%.6fZ")
    for column in (stamp, stamp.cast(pl.Datetime("ns", "UTC")), text, [micros], [micros * 1000], [str(micros)]):
        assert micros_of(column) == [micros]
    assert micros_of([micros / 10**6]) == [micros]
    assert micros_of(stamp.cast(pl.Datetime("ms", "UTC"))) == [micros // 1000 * 1000]
    assert micros_of(stamp.dt.replace_time_zone(None), tz="UTC") == [micros]


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("ms", 2**63 - 1),
        ("ms", -(2**63)),
        ("ms", 31_536_000_000 - 1),
        ("ms", 9_214_646_400_000),
        ("us", 31_536_000_000_000 - 1),
        ("us", 9_214_646_400_000_000),
        ("ns", 31_536_000_000_000_000 - 1),
        ("ns", 9_214_646_400_000_000_000),
    ],
)
def test_time_stamps_out_of_range_break_the_rule_and_do_not_wrap(unit, value):
    with pytest.raises(DataError, match="row 1: a year"):
        micros_of(pl.Series([value]).cast(pl.Datetime(unit, "UTC")))


@pytest.mark.parametrize("kind", [pl.Int64, pl.Float64])
def test_epoch_numbers_out_of_range_break_the_rule_and_do_not_wrap(kind):
    # Among seconds these are too large for any microseconds in 64 bits.
    for far in (20_000_000_000_000, -(2**60), 10_000_000_000):
        with pytest.raises(DataError, match="row 2: a year"):
            micros_of(pl.Series([TWELVE, far]).cast(kind))


def test_a_call_ends_to_the_microsecond():
    cells = pl.DataFrame({"cell": ["A"], "lat": [6.1], "lng": [-5.2]})
    call = {"uid": "a", "datetime": "2020-06-01T12:00:00.25Z", "duration": [61.9], "cell_start": "A", "cell_end": "A"}
    assert read_fixes(pl.DataFrame(call), cells=cells).t_us.tolist() == [QUARTER, QUARTER + 61 * 10**6]


def test_fractions_are_cut_off():
    assert seconds_of([TWELVE + 0.999]) == [TWELVE]
    assert seconds_of([TWELVE * 1000 + 999]) == [TWELVE]
    assert seconds_of([str(TWELVE), f"{TWELVE + 1}.9"]) == [TWELVE, TWELVE + 1]


@pytest.mark.parametrize(
    "values", [[TWELVE, TWELVE * 1000], [str(TWELVE), str(TWELVE * 1000)], [float(TWELVE), TWELVE * 1e6]]
)
@pytest.mark.parametrize("bad_rows", ["stop", "drop"])
def test_mixed_units_are_refused(values, bad_rows):
    with pytest.raises(DataError, match="mixed"):
        seconds_of(values, bad_rows=bad_rows)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_time_stamps_of_any_unit_and_zone(unit):
    column = pl.Series([NOON]).cast(pl.Datetime(unit, "UTC"))
    assert seconds_of(column) == [TWELVE]
    assert seconds_of(column.dt.convert_time_zone("Asia/Kolkata")) == [TWELVE]
    assert seconds_of(column.dt.replace_time_zone(None), tz="Asia/Kolkata") == [TWELVE - 5 * 3600 - 1800]


@pytest.mark.parametrize("values", [["2020-06-01T12:00:00"], [datetime(2020, 6, 1, 12)], ["2020-06-01 12:00"]])
def test_times_without_a_zone_need_one(values):
    with pytest.raises(DataError, match="times without a zone"):
        seconds_of(values)
    assert seconds_of(values, tz="UTC") == [TWELVE]
    assert seconds_of(values, tz="Europe/Rome") == [TWELVE - 7200]


def test_a_zone_in_the_data_wins_over_the_named_one():
    assert seconds_of(["2020-06-01T12:00:00Z"], tz="Europe/Rome") == [TWELVE]
    assert sorted(seconds_of(["2020-06-01T12:00:01Z", "2020-06-01T12:00:00"], tz="Europe/Rome")) == [
        TWELVE - 7200,
        TWELVE + 1,
    ]


def test_the_hour_that_occurs_twice_is_the_first_of_the_two():
    fold = int(datetime(2020, 10, 25, 0, 30, tzinfo=UTC).timestamp())
    for values in (["2020-10-25 02:30:00"], [datetime(2020, 10, 25, 2, 30)]):
        assert seconds_of(values, tz="Europe/Rome") == [fold]
    # With offsets both exist.
    assert seconds_of(["2020-10-25 02:30:00+02:00", "2020-10-25 02:30:00+01:00"]) == [fold, fold + 3600]


@pytest.mark.parametrize("value", ["2020-03-29 02:30:00", datetime(2020, 3, 29, 2, 30)])
def test_the_hour_that_never_occurs_breaks_a_rule(value):
    with pytest.raises(DataError, match=r"row 1: .*never occurred"):
        seconds_of([value], tz="Europe/Rome")


@pytest.mark.parametrize(
    "value", ["1970-01-01T00:00:00Z", "1970-12-31T23:59:59Z", "2262-01-01T00:00:00Z", 0, 1, "0", 31_535_999]
)
def test_implausible_years_break_a_rule(value):
    with pytest.raises(DataError, match="row 1: a year"):
        seconds_of([value])


def test_the_first_and_last_plausible_seconds_are_kept():
    frame = pl.DataFrame({"datetime": ["1971-01-01T00:00:00Z", "2261-12-31T23:59:59Z"]})
    traces = read(frame.with_columns(uid=pl.lit("a"), lat=6.1, lng=-5.2))
    assert traces.t.tolist() == [31_536_000 // 60, (9_214_646_400 - 1) // 60]
    with pytest.raises(DataError, match="too late"):
        seconds_of(["2261-12-31T23:59:59Z"])


def test_one_broken_time_among_many_has_its_own_row_number():
    for good in ("2020-06-01T12:00:00Z", "1591012800"):
        with pytest.raises(DataError, match=r"row 3: something that is not a time.*\(1 such row\)") as caught:
            seconds_of([good, good, "canary", good])
        assert "canary" not in str(caught.value)
        assert seconds_of([good, good, "canary", "", None, good], bad_rows="drop") == [TWELVE]


@pytest.mark.parametrize("values", [[NOON.date()], [True], [None]])
def test_columns_that_are_no_times_are_refused(values):
    with pytest.raises(DataError, match="a time column of type"):
        seconds_of(values)


@pytest.mark.parametrize(
    ("zone", "hint"), [("Europe/Roma", "did you mean 'Europe/Rome'"), ("+02:00", "IANA"), ("localtime", ""), ("", "")]
)
def test_unknown_zones_get_a_hint(zone, hint):
    with pytest.raises(ParameterError) as caught:
        ReadOptions(tz=zone)
    assert hint in caught.value.hint
    assert len(caught.value.hint) < 80


@st.composite
def times_alike(draw):
    """Texts of one layout, now and then with a character that does not belong there."""
    day = st.datetimes(datetime(1960, 1, 1), datetime(2290, 1, 1))
    digits, separator = draw(st.integers(0, 7)), draw(st.sampled_from("T "))
    zone = draw(st.sampled_from(["", "Z", "+00:00", "-0330", "+1400", "+15:00", " UTC"]))
    texts = []
    for moment in draw(st.lists(day, min_size=1, max_size=4)):
        fraction = f".{moment.microsecond:06}0"[: digits + 1] if digits else ""
        texts.append(f"{moment:%Y-%m-%d}{separator}{moment:%H:%M:%S}{fraction}{zone}")
    if draw(st.booleans()):
        row, place = draw(st.integers(0, len(texts) - 1)), draw(st.integers(0, len(texts[0]) - 1))
        texts[row] = texts[row][:place] + draw(st.sampled_from("0123456789-:+.TZ é")) + texts[row][place + 1 :]
    return texts


@given(times_alike(), st.sampled_from([None, "UTC", "Europe/Rome"]))
def test_times_that_look_alike_are_read_as_the_general_parser_reads_them(texts, zone):
    def outcome(read_alike):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(times, "read_alike", read_alike)
            try:
                found, said = times.to_epoch_us(pl.Series("datetime", texts), zone)
            except DataError as error:
                return str(error)
            return found.to_list(), found.dtype, found.name, said

    assert outcome(iso.read_alike) == outcome(lambda _: None)


@pytest.mark.parametrize("zone", ["Z", "+02:00", "-0330", ""])
def test_times_that_look_alike_are_those_of_the_calendar(zone):
    """Every day of the years that count, over more rows than are read at a time."""
    moments = [datetime(1971, 1, 1, 23, 59, 58, 120_000) + timedelta(days=day) for day in range(70_000)]
    found = iso.read_alike(pl.Series([f"{moment:%Y-%m-%dT%H:%M:%S}.12{zone}" for moment in moments]))
    offset = {"Z": 0, "+02:00": 7200, "-0330": -12_600, "": 0}[zone]
    epoch = datetime(1970, 1, 1)
    expected = [(moment - epoch) // timedelta(microseconds=1) - offset * 1_000_000 for moment in moments]
    assert found is not None
    assert found[0].tolist() == expected
    assert found[1] is (zone != "")


@pytest.mark.parametrize(
    "odd",
    [f"{date}T00:00:00Z" for date in ("2021-02-29", "2020-13-01", "2020-00-01", "2020-01-00", "2020-01-0x")],
)
def test_what_is_no_date_is_left_to_the_general_parser(odd):
    good = "2020-02-29T00:00:00Z"
    assert iso.read_alike(pl.Series([good, good])) is not None
    assert iso.read_alike(pl.Series([good, odd])) is None
    assert iso.read_alike(pl.Series([good, None])) is None


@pytest.mark.parametrize("time", ["24:00:00", "00:60:00", "00:00:60", "00:00:0/", "00.00:00"])
def test_what_is_no_time_of_day_is_left_to_the_general_parser(time):
    assert iso.read_alike(pl.Series(["2020-02-29T00:00:00Z", f"2020-02-29T{time}Z"])) is None
