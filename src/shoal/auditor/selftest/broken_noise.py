"""Broken in the noise: too little, in degrees, none at all, used again, or counted wrongly."""

from collections.abc import Callable
from datetime import timedelta

import numpy as np
import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, one_member, rows, say_more
from shoal.auditor.selftest.draft import Draft, replaced
from shoal.auditor.selftest.sound_noise import EPSILON, MEMO_M, Floats, moved, planar_noise, sound_noise
from shoal.contract.claims import GeoIndistinguishability

Noise = Callable[[pl.DataFrame, np.random.Generator], tuple[Floats, Floats]]
"""Metres to the east and to the north, for each row of the raw points."""

_FIRST = 0
_FAR_99, _HOLE = 6.638, 0.08
"""Beyond the first, in units of the scale, is one draw of a hundred; nearer than the second are three of a thousand."""


def _records(draft: Draft) -> pl.DataFrame:
    """The records of those who are published, in the order of the published rows."""
    names = draft.data.select("uid", "datetime", "group", "member").join(draft.mapping, on="uid", maintain_order="left")
    raw = draft.raw.rename({"uid": "original_uid"})
    return names.join(raw, on=["original_uid", "datetime"], maintain_order="left")


def _with(noise: Noise) -> Change:
    """Publish the records with another noise."""

    def change(draft: Draft) -> None:
        records = _records(draft)
        added = noise(records, np.random.default_rng())
        lat, lng = moved(records["lat"].to_numpy(), records["lng"].to_numpy(), *added)
        draft.data = draft.data.with_columns(lat=pl.Series(np.round(lat, 6)), lng=pl.Series(np.round(lng, 6)))

    return change


def _weak(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    return planar_noise(rng, records.height, EPSILON * 1.25)


def _in_degrees(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """As many degrees to the east as to the north: half as far, up there."""
    east, north = planar_noise(rng, records.height)
    return east * np.cos(np.radians(records["lat"].to_numpy())), north


def _one_person(weaker: float) -> Noise:
    def noise(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
        east, north = planar_noise(rng, records.height)
        scale = np.where(records["member"].to_numpy() == _FIRST, weaker, 1.0)
        return east * scale, north * scale

    return noise


def _some_as_they_are(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    east, north = planar_noise(rng, records.height)
    still = rng.random(records.height) < 0.01
    return np.where(still, 0, east), np.where(still, 0, north)


def _cut_off(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw anew whatever is beyond 99 % of the law."""
    east, north = planar_noise(rng, records.height)
    while (far := np.hypot(east, north) > _FAR_99 / EPSILON).any():
        east[far], north[far] = planar_noise(rng, int(far.sum()))
    return east, north


def _with_a_hole(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw anew whatever is near."""
    east, north = planar_noise(rng, records.height)
    while (near := np.hypot(east, north) < _HOLE / EPSILON).any():
        east[near], north[near] = planar_noise(rng, int(near.sum()))
    return east, north


def _turned(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Use each draw again two points later, turned by a right angle to either side."""
    east, north = planar_noise(rng, records.height)
    rows_ = np.arange(records.height)
    late, before = rows_ % 4 >= 2, np.maximum(rows_ - 2, 0)
    side = rng.choice([-1, 1], records.height)
    return np.where(late, side * north[before], east), np.where(late, -side * east[before], north)


def _a_little_less(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    return planar_noise(rng, records.height, EPSILON * 1.06)


def _raw_for_an_hour(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Hardly move a few points of somebody that follow each other."""
    east, north = planar_noise(rng, records.height)
    some = np.isin(np.arange(records.height), np.arange(100, 112))
    return np.where(some, east / 30, east), np.where(some, north / 30, north)


def _emptied(draft: Draft) -> None:
    draft.suppressed = draft.suppressed.with_columns(reason=pl.lit("emptied"))


def _seeded(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Start everybody's noise from the same seed."""
    people = records["member"].n_unique()
    east, north = planar_noise(rng, records.height // people)
    return np.tile(east, people), np.tile(north, people)


def _by_time(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw the noise of a person once, and use it over and over."""
    people = records["member"].n_unique()
    few = records.height // people // 20
    east, north = planar_noise(rng, people * few)
    return np.tile(east.reshape(people, few), 20).ravel(), np.tile(north.reshape(people, few), 20).ravel()


def _mirrored(records: pl.DataFrame, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Let every second draw be the opposite of the one before, a little farther or nearer."""
    east, north = planar_noise(rng, records.height)
    odd = np.arange(records.height) % 2 == 1
    before = np.maximum(np.arange(records.height) - 1, 0)
    length = np.hypot(east, north) / np.hypot(east[before], north[before])
    return np.where(odd, -east[before] * length, east), np.where(odd, -north[before] * length, north)


def _lost_point(draft: Draft) -> None:
    draft.data = draft.data.filter(pl.int_range(pl.len()) != 3)


def _memo(change: Change) -> Change:
    """Break a release with one draw for each cell."""

    def both(draft: Draft) -> None:
        replaced(draft, sound_noise(memo_m=MEMO_M))
        change(draft)

    return both


def _one_place(draft: Draft) -> None:
    """Publish all points of a person at one place."""
    rows(one_member(), lat=pl.col("lat").first().over("uid"), lng=pl.col("lng").first().over("uid"))(draft)


def _few_homes(draft: Draft) -> None:
    """Let everybody stay in one street, so that there are many points in a cell."""
    home = pl.col("lat").first().over("uid"), pl.col("lng").first().over("uid")
    draft.raw = draft.raw.with_columns(lat=home[0], lng=home[1])
    _with(lambda records, rng: planar_noise(rng, records.height))(draft)


def _neighbours(draft: Draft) -> None:
    """Let two people live alike, and be moved alike."""
    for name in ("lat", "lng"):
        mine = draft.data.filter(pl.col("member") == 0)[name]
        both = pl.concat([mine, mine, draft.data.filter(pl.col("member") > 1)[name]])
        draft.data = draft.data.with_columns(both)
    first, second = draft.mapping["original_uid"][:2].to_list()
    at = draft.raw.filter(pl.col("uid") == first).sort("datetime")
    late = draft.raw.filter(pl.col("uid") == second).sort("datetime")["datetime"]
    rest = draft.raw.filter(pl.col("uid") != second)
    draft.raw = pl.concat([rest, at.with_columns(uid=pl.lit(second), datetime=late)])


def _noise(words: str, condition: str, change: Change) -> Broken:
    return Broken(words, f"noise_law.{condition}", change, claim=GeoIndistinguishability)


def _budget(words: str, condition: str, **told: float) -> Broken:
    return Broken(words, f"budgets.{condition}", say_more("budgets", **told), claim=GeoIndistinguishability)


_FAR = pl.int_range(pl.len()) == 5
_MEDIAN, _MAX = GeoIndistinguishability.budgets

NOISE = (
    _noise("a point of another time", "times", rows(_FAR, datetime=pl.col("datetime") + timedelta(seconds=1))),
    _noise("a record without a point", "times", _lost_point),
    _noise("a point far from its record", "from_record", rows(_FAR, lat=pl.col("lat") + 0.1)),
    _noise("noise of a smaller scale", "radius", _with(_weak)),
    _noise("noise in degrees", "angle", _with(_in_degrees)),
    _noise("some points without noise", "all_moved", _with(_some_as_they_are)),
    _noise("noise of a slightly smaller scale", "scale", _with(_a_little_less)),
    _noise("an hour with hardly any noise", "stretches_alike", _with(_raw_for_an_hour)),
    _noise("somebody withheld without need", "nobody_withheld", _emptied),
    _noise("noise that is cut off", "not_cut", _with(_cut_off)),
    _noise("noise with a hole", "no_hole", _with(_with_a_hole)),
    _noise("noise used again, turned around", "lengths_apart", _with(_turned)),
    _noise("one person with less noise", "people_alike", _with(_one_person(0.7))),
    _noise("one person with more noise", "people_alike", _with(_one_person(1.4))),
    _noise("noise that starts from one seed for everybody", "people_apart", _with(_seeded)),
    _noise("noise that comes back after a while", "new_draws", _with(_by_time)),
    _noise("noise that mirrors the one before", "independent", _with(_mirrored)),
    _noise("new noise for each point, called once for a cell", "one_per_cell", _memo(_few_homes)),
    _noise("one draw for a cell and everybody in it", "own_places", _memo(_neighbours)),
    _noise("one place for a whole life", "own_places", _memo(_one_place)),
)

SAID = (
    Broken(
        "a loss in the parameters that is not the claim's",
        "promise.parameters",
        say_more("parameters", epsilon=EPSILON / 10),
        claim=GeoIndistinguishability,
    ),
)

BUDGETS = (
    _budget("a median budget that is too small", "median", **{_MEDIAN: 5.9}),
    _budget("a largest budget that is too small", "largest", **{_MAX: 5.9}),
    _budget("a largest budget that is too large", "largest", **{_MAX: 7.0}),
    _budget("a budget that does not cover one uid", "at_least", **{_MAX: 0.01}),
)
