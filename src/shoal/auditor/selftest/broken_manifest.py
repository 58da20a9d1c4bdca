"""Broken in what is said: keys of the manifest, the promise, the claim."""

import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, append, in_group, overwrite, rows, say, say_more
from shoal.auditor.selftest.draft import Draft, Written
from shoal.contract.claims import KAnonymity, Nothing
from shoal.contract.files import DATA, MANIFEST
from shoal.contract.kinds import POINTS, PROFILES
from shoal.contract.parameters import CLAIM_OF, GENERIC


def _raw_data(draft: Draft) -> None:
    draft.data = draft.raw


def _drop(*keys: str) -> Change:
    """Leave something out of the manifest."""

    def change(draft: Draft) -> None:
        part = draft.manifest
        for key in keys[:-1]:
            part = part[key]
        del part[keys[-1]]

    return change


def _twice(written: Written) -> None:
    """Say something before it is said properly: most readers see the last."""
    path = written.release / MANIFEST
    path.write_bytes(path.read_bytes().replace(b"{", b'{\n  "date": "5551234",', 1))


def _map_around(centre: str) -> Change:
    """Name a map that is centred elsewhere; the metres stay as they are."""
    return lambda draft: draft.manifest.__setitem__("crs", f"+proj=laea {centre} +datum=WGS84 +units=m +no_defs")


def _add_column(draft: Draft) -> None:
    draft.data = draft.data.with_columns(age=pl.lit(40))


def _promise_more(draft: Draft) -> None:
    said = draft.manifest["promise"]
    draft.manifest["promise"] = {**said, "holds": said["holds"].replace("at least 1 other", "at least 4 other")}


def _hide_a_warning(draft: Draft) -> None:
    draft.manifest["promise"]["not_covered"].pop()


def _points_that_boast(draft: Draft) -> None:
    draft.manifest["promise"] = KAnonymity(2).promise(draft.manifest["parameters"]).to_dict()


def _under_a_name_that_claims_more(draft: Draft) -> None:
    """Take the name of a mechanism that hides people, and claim nothing."""
    draft.manifest["mechanism"] = next(name for name, claim in CLAIM_OF.items() if claim == KAnonymity.name)
    draft.manifest["promise"] = Nothing().promise(draft.manifest["parameters"]).to_dict()


SCHEMA = (
    Broken("a manifest that is cut off", "schema.manifest_readable", tamper=overwrite(MANIFEST, b"{")),
    Broken("a manifest with a blank too many", "schema.canonical", tamper=append(MANIFEST, b" ")),
    Broken("a key that stands twice", "schema.canonical", tamper=_twice),
    Broken("a manifest of an older format", "schema.format_version", say("format_version", 1)),
    Broken("a manifest without a date", "schema.keys_missing", _drop("date")),
    Broken("a seed in the manifest", "schema.keys_extra", say("seed", 7)),
    Broken("parameters that are a list", "schema.types", say("parameters", ["k", 2])),
    Broken("a date that is a number", "schema.types", say("date", 20240101)),
    Broken("a stamp that says no", "schema.stamp", say("not_for_release", False)),
    Broken("a seed among the parameters", "schema.parameters_private", say_more("parameters", token_seed=7)),
    Broken("a count too many", "schema.counts_keys", say_more("counts", women=20)),
    Broken("an exact count", "schema.counts_rounded", say_more("counts", people_published=48)),
    Broken("an origin of the grid", "schema.grid_keys", say_more("grid", origin=7)),
    Broken("a map of points", "schema.map_only_for_metres", say("grid", {"cell_m": 100, "dt_s": 60}), kind=POINTS),
    Broken("a host among the versions", "schema.versions_keys", say_more("versions", host="1.0")),
    Broken("a version that tells a story", "schema.versions_possible", say_more("versions", python="3.11 at home")),
    Broken("a version that spells a word", "schema.versions_possible", say_more("versions", numpy="65.66.67")),
    Broken("a version from before the first", "schema.versions_possible", say_more("versions", polars="0.0.7")),
    Broken("a version of Python to come", "schema.versions_possible", say_more("versions", python="3.99.0")),
    Broken("a version that is not out yet", "schema.versions_possible", say_more("versions", shoal="9.9.9")),
    Broken("a version of no release", "schema.versions_possible", say_more("versions", pyproj="3.7.1rc7")),
    Broken("data that are cut off", "schema.data_readable", tamper=overwrite(DATA, b"PAR1 and no more")),
    Broken("a column too many", "schema.columns", _add_column),
    Broken("points with a column too many", "schema.columns", _add_column, kind=POINTS),
    Broken("a column too few", "schema.columns", lambda d: setattr(d, "data", d.data.drop("lng"))),
    Broken(
        "columns in another order", "schema.columns", lambda d: setattr(d, "data", d.data.select(d.data.columns[::-1]))
    ),
    Broken(
        "profiles with half a week",
        "schema.columns",
        lambda d: setattr(d, "data", d.data.drop("w2_weekend_night", "w2_weekend_day", "w2_weekend_evening")),
        kind=PROFILES,
    ),
    Broken("the raw data, dressed as a release", "schema.kind_named", _raw_data),
    Broken("points that are called boxes", "schema.kind_named", say("kind", "boxes"), kind=POINTS),
    Broken("profiles that are called points", "schema.kind_named", say("kind", "points"), kind=PROFILES),
    Broken("columns that are not there", "schema.columns_named", say("schema", [{"name": "uid", "type": "string"}])),
    Broken("a release of nobody", "schema.rows", lambda d: setattr(d, "data", d.data.clear())),
)

SAID = (
    Broken("a date before the data", "schema.date_after_data", say("date", "2023-11-01")),
    Broken("points that are dated before", "schema.date_after_data", say("date", "2023-11-01"), kind=POINTS),
    Broken("a name of a mechanism that is a sentence", "schema.mechanism", say("mechanism", "ann-lives-in-pisa")),
    Broken("a parameter that is on no list", "schema.parameters_listed", say_more("parameters", ann_is_out=1)),
    Broken("a word that is on no list", "schema.parameters_listed", say_more("parameters", publish="ann")),
    Broken("a parameter with a telephone number", "schema.parameters_listed", say_more("parameters", scale=5551234)),
    Broken(
        "more parameters than a mechanism has",
        "schema.parameters_listed",
        say_more("parameters", **dict.fromkeys(sorted(GENERIC)[:5], 7)),
    ),
    Broken("neighbourhoods below four groups", "schema.parameters_together", say_more("parameters", partition=7)),
    Broken("neighbourhoods of more than all", "schema.parameters_together", say_more("parameters", partition=10**9)),
    Broken("a share where there is none", "schema.parameters_together", say_more("parameters", publish="merge")),
    Broken("a grid that nothing is read on", "schema.base_grid", say_more("base_grid", cell_m=7)),
    Broken("a map that is centred far away", "grid.centre_near", _map_around("+lat_0=26 +lon_0=-5")),
    Broken("a map that is centred east of all", "grid.centre_near", _map_around("+lat_0=6 +lon_0=20")),
    Broken("a map beyond the antimeridian", "grid.map", _map_around("+lat_0=6 +lon_0=355")),
    Broken("a map beyond the pole", "grid.map", _map_around("+lat_0=96 +lon_0=-5")),
)

PROMISE = (
    Broken("no promise at all", "promise.said", say("promise", "trust us")),
    Broken("words for a claim that nobody knows", "promise.comparable", say_more("promise", claim={"name": "safety"})),
    Broken("a promise with a name of its own", "promise.keys", say_more("promise", name="k-anonymity")),
    Broken("a promise of a larger k", "promise.holds", _promise_more),
    Broken("a promise that belittles the attacker", "promise.attacker", say_more("promise", attacker="Knows nothing.")),
    Broken("a promise about another unit", "promise.unit", say_more("promise", unit="household")),
    Broken("a promise that leaves out a warning", "promise.not_covered", _hide_a_warning),
    Broken(
        "points that say more than nothing", "promise.holds", say_more("promise", holds="All are safe."), kind=POINTS
    ),
    Broken("profiles that leave out a warning", "promise.not_covered", _hide_a_warning, kind=PROFILES),
    Broken("parameters with a larger k than the claim", "promise.parameters", say_more("parameters", k=5)),
)

CLAIM = (
    Broken("a promise without a claim", "claim.named", _drop("promise", "claim")),
    Broken("a claim that nobody knows", "claim.known", say_more("promise", claim={"name": "safety"})),
    Broken("a claim with a k of one", "claim.known", say_more("promise", claim={"name": "k-anonymity", "k": 1})),
    Broken("points that claim k-anonymity", "claim.fits", _points_that_boast, kind=POINTS),
    Broken("profiles that claim k-anonymity", "claim.fits", _points_that_boast, kind=PROFILES),
    Broken("a name that claims more", "claim.of_mechanism", _under_a_name_that_claims_more),
    Broken("a claim that nothing can examine", "claim.examined", rows(in_group(), lat=pl.lit(None))),
)
