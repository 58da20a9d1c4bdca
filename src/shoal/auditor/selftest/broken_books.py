"""Broken in the books: who is who, who is missing, what the order of names tells."""

from collections.abc import Callable

import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, append, first_person, first_row, list_whole, renamed
from shoal.auditor.selftest.draft import Draft
from shoal.contract.files import MANIFEST
from shoal.contract.kinds import POINTS, PROFILES

_NOBODY = "nobody-listed-me"


def _mapping(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Change:
    return lambda draft: setattr(draft, "mapping", change(draft.mapping))


def _first(**changes: pl.Expr) -> Change:
    """Change columns of the first row of the mapping."""
    new = [pl.when(first_row()).then(value).otherwise(pl.col(name)).alias(name) for name, value in changes.items()]
    return _mapping(lambda mapping: mapping.with_columns(new))


def _one_more(**changes: pl.Expr) -> Change:
    """Add a row to the mapping: the first one, changed."""
    return _mapping(lambda mapping: pl.concat([mapping, mapping[:1].with_columns(**changes)]))


def one_person_twice(draft: Draft) -> None:
    first, second = draft.mapping["original_uid"][:2].to_list()
    list_whole(draft, second)
    draft.mapping = draft.mapping.with_columns(pl.col("original_uid").replace(second, first))


def _two_profiles_of_one_place(draft: Draft) -> None:
    """Give the first person two rows of one municipality."""
    town = draft.mapping["municipality"][0]
    second = pl.int_range(pl.len()) == 1
    for name in ("mapping", "data"):
        table: pl.DataFrame = getattr(draft, name)
        changed = pl.when(second).then(pl.lit(town)).otherwise(pl.col("municipality"))
        setattr(draft, name, table.with_columns(municipality=changed))


def _somebody_more(draft: Draft) -> None:
    draft.raw = pl.concat([draft.raw, draft.raw[:1].with_columns(uid=pl.lit(_NOBODY))])


def _sorted_names(order: Callable[[Draft], pl.DataFrame]) -> Change:
    """Hand out names in the order of their letters, to people in the order given (of ``original_uid``)."""

    def names(draft: Draft) -> pl.Series:
        ranked = order(draft).unique("original_uid", maintain_order=True).with_row_index("rank")
        mine = draft.mapping.with_row_index("row").join(ranked, on="original_uid", how="left")
        rows = mine.sort("rank", "row")["row"]
        table = pl.DataFrame({"row": rows, "uid": draft.mapping["uid"].sort()})
        return table.sort("row")["uid"]

    return renamed(names)


def _together(draft: Draft) -> pl.DataFrame:
    return draft.mapping.select("original_uid")


def _by_identifier(draft: Draft) -> pl.DataFrame:
    return draft.mapping.select("original_uid").sort("original_uid")


def _by_input(draft: Draft) -> pl.DataFrame:
    return draft.raw.select(original_uid="uid")


def _ties_in_another_order(draft: Draft) -> None:
    """Let points of a part have one time, and stand from north to south."""
    draft.data = draft.data.with_columns(datetime=pl.col("datetime").first())
    draft.data = draft.data.sort("uid", "lat", descending=[False, True])
    draft.in_order = False


def _screened_at(least: float) -> Change:
    return lambda draft: draft.manifest["parameters"].__setitem__("min_per_day", least)


def _screened(draft: Draft) -> None:
    draft.suppressed = draft.suppressed.with_columns(reason=pl.lit("screened"))


def _as_made(draft: Draft) -> None:
    draft.in_order = False


MAPPING = (
    Broken("a mapping that tells more", "mapping.columns", _mapping(lambda m: m.with_columns(age=pl.lit(40)))),
    Broken(
        "a mapping without municipalities", "mapping.columns", _mapping(lambda m: m.drop("municipality")), kind=PROFILES
    ),
    Broken("a mapping that lacks a person", "mapping.names_known", _mapping(lambda m: m[1:])),
    Broken("a mapping that lacks a part", "mapping.names_known", _mapping(lambda m: m[1:]), kind=POINTS),
    Broken("a mapping that lacks a row", "mapping.names_known", _mapping(lambda m: m[1:]), kind=PROFILES),
    Broken("a name that was never published", "mapping.names_published", _one_more(uid=pl.lit("00" * 16))),
    Broken("a person whom the original lacks", "mapping.people_known", _first(original_uid=pl.lit(_NOBODY))),
    Broken("a part of a stranger", "mapping.people_known", _first(original_uid=pl.lit(_NOBODY)), kind=POINTS),
    Broken("a name of two people", "mapping.names_once", _one_more(original_uid=pl.col("original_uid").last())),
    Broken("a part of two people", "mapping.names_once", _one_more(original_uid=pl.lit(_NOBODY)), kind=POINTS),
    Broken("two names of one person", "mapping.people_once", one_person_twice),
    Broken("two rows of one place", "mapping.people_once", _two_profiles_of_one_place, kind=PROFILES),
    Broken(
        "a row of another place", "mapping.municipality_agrees", _first(municipality=pl.lit("elsewhere")), kind=PROFILES
    ),
    Broken("a manifest changed after publication", "manifest_digest.same", tamper=append(MANIFEST, b"\n")),
    # Not a condition of its own: a check that cannot digest the books must not count as passed.
    Broken("a mapping that checks stumble over", "row_order.completed", _mapping(lambda m: m.drop("uid"))),
)

EVERYONE = (
    Broken("somebody neither published nor listed", "everyone.nobody_lost", _somebody_more),
    Broken("points that forget somebody", "everyone.nobody_lost", _somebody_more, kind=POINTS),
    Broken("profiles that forget somebody", "everyone.nobody_lost", _somebody_more, kind=PROFILES),
    Broken("somebody published and listed", "everyone.not_both", lambda d: list_whole(d, first_person(d))),
    Broken("points of somebody screened without need", "everyone.screened", _screened_at(0.5), kind=POINTS),
    Broken("points of somebody who should be screened", "everyone.screened", _screened_at(1000.0), kind=POINTS),
    Broken("profiles of somebody screened", "everyone.screened", _screened, kind=PROFILES),
    Broken("a stranger listed as withheld", "everyone.withheld_known", lambda d: list_whole(d, _NOBODY)),
)

ORDER = (
    Broken("rows in the order of making", "row_order.in_order", _as_made),
    Broken("points in the order of making", "row_order.in_order", _as_made, kind=POINTS),
    Broken("profiles in the order of making", "row_order.in_order", _as_made, kind=PROFILES),
    Broken("points of one time in another order", "row_order.in_order", _ties_in_another_order, kind=POINTS),
    Broken("names in the order of groups", "row_order.groups_apart", _sorted_names(_together)),
    Broken("parts of a person together", "row_order.people_apart", _sorted_names(_together), kind=POINTS),
    Broken("rows of a person together", "row_order.people_apart", _sorted_names(_together), kind=PROFILES),
    Broken("names in the order of identifiers", "row_order.identifiers", _sorted_names(_by_identifier)),
    Broken("parts in the order of identifiers", "row_order.identifiers", _sorted_names(_by_identifier), kind=POINTS),
    Broken("names in the order of the input", "row_order.rows", _sorted_names(_by_input)),
    Broken("parts in the order of the input", "row_order.rows", _sorted_names(_by_input), kind=POINTS),
)
