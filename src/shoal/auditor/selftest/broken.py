"""One way to break a release for each check, and the check that must see it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import polars as pl

from shoal.auditor.raw import project
from shoal.auditor.selftest.draft import Draft, Written
from shoal.auditor.selftest.people import CELL_M, CRS, centred

Change = Callable[[Draft], None]
Tamper = Callable[[Written], None]


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken release: in words, the check that must fail, and how to break it before or after writing.

    ``require_k`` and ``regrouped`` (an earlier release with other groups) are for the checks that need them.
    """

    words: str
    expected_id: str
    change: Change | None = None
    tamper: Tamper | None = None
    require_k: int | None = None
    regrouped: bool = False


def _rows(draft: Draft, where: pl.Expr, **changes: pl.Expr) -> None:
    """Change columns of some rows of the release; the middle of the boxes follows."""
    new = [pl.when(where).then(value).otherwise(pl.col(name)).alias(name) for name, value in changes.items()]
    draft.data = centred(draft.data.with_columns(new))


def _in_group() -> pl.Expr:
    """The first box of all members of the first group."""
    here = pl.col("group") == 0
    return here & (pl.col("t_start") == pl.col("t_start").filter(here).min())


def _one_member() -> pl.Expr:
    return pl.col("member") == 0


def _renamed(draft: Draft, uids: pl.Series) -> None:
    """Give the published people other names."""
    names = pl.DataFrame({"uid": draft.mapping["uid"], "new": uids})
    draft.data = draft.data.join(names, on="uid", how="left", maintain_order="left").with_columns(uid="new").drop("new")
    draft.mapping = draft.mapping.with_columns(uid=uids)


def _one_left_over(draft: Draft) -> None:
    draft.data = draft.data.filter(~_one_member())
    _list_whole(draft, str(draft.mapping["original_uid"][0]))
    draft.mapping = draft.mapping[1:]


def _list_whole(draft: Draft, name: str) -> None:
    """Withhold a whole person."""
    outsider = draft.suppressed.filter(pl.col("t").is_null())
    row = outsider[:1].with_columns(original_uid=pl.lit(name), reason=pl.lit("leftover"))
    rest = draft.suppressed.filter(pl.col("original_uid") != name)
    draft.suppressed = pl.concat([rest, row])


def _one_person_twice(draft: Draft) -> None:
    first, second = draft.mapping["original_uid"][:2].to_list()
    _list_whole(draft, second)
    name = pl.when(pl.col("original_uid") == second).then(pl.lit(first)).otherwise(pl.col("original_uid"))
    draft.mapping = draft.mapping.with_columns(original_uid=name)


def _in_group_order(draft: Draft) -> None:
    _renamed(draft, draft.mapping["uid"].sort())


def _in_input_order(draft: Draft) -> None:
    order = draft.raw["uid"].unique(maintain_order=True)
    ranked = order.filter(order.is_in(draft.mapping["original_uid"].implode())).to_frame("original_uid")
    tokens = ranked.with_columns(uid=draft.mapping["uid"].sort())
    _renamed(draft, draft.mapping.select("original_uid").join(tokens, on="original_uid", how="left")["uid"])


def _sequential(draft: Draft) -> None:
    _renamed(draft, pl.Series([f"{number:032x}" for number in range(draft.mapping.height)]))


def _hashed_names(draft: Draft) -> None:
    names = draft.mapping["original_uid"].to_list()
    _renamed(draft, pl.Series([hashlib.sha256(name.encode()).hexdigest()[:32] for name in names]))


def _a_sample_outside(draft: Draft) -> None:
    name = draft.mapping["original_uid"][0]
    row = draft.raw.filter(pl.col("uid") == name)[:1].with_columns(pl.col("lat") + 0.5)
    draft.raw = pl.concat([draft.raw, row])


def _somebody_more(draft: Draft) -> None:
    draft.raw = pl.concat([draft.raw, draft.raw[:1].with_columns(uid=pl.lit("nobody-listed-me"))])


def _box_where_nobody_was(draft: Draft) -> None:
    week = timedelta(days=7)
    more = draft.data.filter(_in_group()).with_columns(pl.col("t_start", "t_end") + week)
    draft.data = pl.concat([draft.data, more])


def _withheld_alone(draft: Draft) -> None:
    """List the first moment of a box for one member; the others' samples of that moment stay published."""
    box = draft.data.filter(_in_group())[0]
    name = draft.mapping.filter(pl.col("uid") == box["uid"][0])["original_uid"][0]
    low, high = box["t_start"][0], box["t_start"][0] + timedelta(minutes=1)
    seen = draft.raw.filter((pl.col("uid") == name) & pl.col("datetime").is_between(low, high, closed="left"))
    x, y = project(CRS, seen["lng"].to_numpy(), seen["lat"].to_numpy())
    row = {"original_uid": [name], "t": [low], "x": [int(x[0] // CELL_M) * CELL_M], "y": [int(y[0] // CELL_M) * CELL_M]}
    schema = draft.suppressed.drop("reason").schema
    draft.suppressed = pl.concat([draft.suppressed, pl.DataFrame(row, schema).with_columns(reason=pl.lit("share"))])


def _raw_data(draft: Draft) -> None:
    draft.data = draft.raw


def _uniform_that_boasts(draft: Draft) -> None:
    draft.manifest |= {"mechanism": "uniform", "parameters": {"cell_m": 100, "minutes": 1}}


def _promise_more(draft: Draft) -> None:
    said = draft.manifest["promise"]
    draft.manifest["promise"] = {**said, "holds": said["holds"].replace("at least 1 other", "at least 4 other")}


def _unlisted(draft: Draft) -> None:
    draft.suppressed = draft.suppressed.filter(pl.col("original_uid") != draft.mapping["original_uid"][0])


def _set(name: str, value: object) -> Change:
    return lambda draft: setattr(draft, name, value)


def _say(key: str, value: object) -> Change:
    return lambda draft: draft.manifest.__setitem__(key, value)


def _name_in_manifest(draft: Draft) -> None:
    draft.manifest["parameters"] = {**draft.manifest["parameters"], "note": draft.mapping["original_uid"][0]}


def _name_in_footer(draft: Draft) -> None:
    draft.kv = {"note": str(draft.mapping["original_uid"][0])}


def _add_column(draft: Draft) -> None:
    draft.data = draft.data.with_columns(age=pl.lit(40))


def _more_decimals(draft: Draft) -> None:
    draft.data = draft.data.with_columns(lat=pl.when(_in_group()).then(pl.col("lat") + 3e-8).otherwise(pl.col("lat")))


def _off_centre(draft: Draft) -> None:
    draft.data = draft.data.with_columns(
        lat=pl.when(_in_group()).then((pl.col("lat") + 0.001).round(6)).otherwise(pl.col("lat"))
    )


def _append(name: str, content: bytes) -> Tamper:
    def tamper(written: Written) -> None:
        with (written.release / name).open("ab") as file:
            file.write(content)

    return tamper


_MINUTE = timedelta(minutes=1)

ALL = (
    Broken("the raw data, dressed as a release", "schema", _raw_data),
    Broken("a column too many", "schema", _add_column),
    Broken("a seed in the manifest", "schema", _say("seed", 7)),
    Broken("metadata of pandas in the file", "metadata", _set("kv", {"pandas": "{}"})),
    Broken("statistics of row groups", "metadata", _set("statistics", True)),
    Broken("a file too many", "files", tamper=_append("notes.txt", b"x")),
    Broken("data changed after publication", "digests", tamper=_append("data.parquet", b"x")),
    Broken("a digest of the input in the manifest", "digests", _say("sha256", {"events.parquet": "ab" * 32})),
    Broken("names in upper case", "tokens", lambda d: _renamed(d, d.mapping["uid"].str.to_uppercase())),
    Broken("names that count", "tokens", _sequential),
    Broken("more decimals in some rows", "number_format", _more_decimals),
    Broken("a box off the grid", "grid", lambda d: _rows(d, _in_group(), x_max=pl.col("x_max") + 10)),
    Broken("a box whose lat, lng is not its middle", "boxes_sane", _off_centre),
    Broken("boxes without an inside", "boxes_sane", lambda d: _rows(d, _in_group(), x_max=pl.col("x_min"))),
    Broken(
        "boxes that overlap in time",
        "disjoint",
        lambda d: _rows(d, _in_group(), t_end=pl.col("t_end") + timedelta(hours=3)),
    ),
    Broken("a leftover group below k", "group_size", _one_left_over),
    Broken("a promise of a larger k", "promise", _promise_more),
    Broken("uniform generalization that claims k-anonymity", "promise", _uniform_that_boasts),
    Broken("a raw identifier in the manifest", "raw_ids", _name_in_manifest),
    Broken("a raw identifier in the footer", "raw_ids", _name_in_footer),
    Broken("names that are hashes of identifiers", "raw_ids", _hashed_names),
    Broken("a mapping that lacks a person", "mapping", lambda d: setattr(d, "mapping", d.mapping[1:])),
    Broken("a manifest changed after publication", "manifest_digest", tamper=_append("manifest.json", b"\n")),
    Broken("rows in the order of groups", "row_order", _in_group_order),
    Broken("names in the order of the input", "row_order", _in_input_order),
    Broken("two names of one person in a group", "people_per_group", _one_person_twice),
    Broken("a box that misses a sample", "coverage", _a_sample_outside),
    Broken("a list of the withheld that is incomplete", "coverage", _unlisted),
    Broken("a moment withheld of one member alone", "coverage", _withheld_alone),
    Broken("a box where a member never was", "truthful", _box_where_nobody_was),
    Broken("somebody neither published nor listed", "everyone", _somebody_more),
    Broken("one person left alone, known by points", "attack_points", _one_left_over),
    Broken("one person left alone, known by places", "attack_top_places", _one_left_over),
    Broken(
        "one member's box a cell wider",
        "attack_whole_trace",
        lambda d: _rows(d, _one_member() & _in_group(), x_max=pl.col("x_max") + CELL_M),
    ),
    Broken(
        "one member's boxes a minute longer",
        "attack_times",
        lambda d: _rows(d, _one_member(), t_end=pl.col("t_end") + _MINUTE),
    ),
    Broken("an earlier release with other groups", "intersection", regrouped=True),
    Broken("groups of k where more is demanded", "require_k", require_k=3),
)
