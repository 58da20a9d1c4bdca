"""The list of withheld profiles: a person has one in each municipality, and every single one is accounted for."""

import polars as pl

from shoal.auditor.case import Case
from shoal.auditor.cells import keeps_small
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.profile_rows import profiles_of
from shoal.auditor.registry import check
from shoal.contract.claims import CellNoise, KAnonymousCells
from shoal.contract.kinds import PROFILES, are_cells, cell_number
from shoal.contract.reasons import REASONS

_KEY = ["original_uid", "municipality"]
_OF_A_PROFILE = [reason.name for reason in REASONS.values() if reason.takes == "profile"]


@check(
    "profiles_listed",
    kinds=(PROFILES,),
    needs=("opened", "secret", "original"),
    conditions=(
        *("none_lost", "not_both", "published_known", "listed_known", "listed_once", "reasons_asked_for", "small"),
        "without_days",
    ),
)
def profiles_listed(case: Case, hold: Hold) -> Finding:
    """Every profile of the original is published, or listed as withheld with its reason, and not both."""
    raw, listed = case.profiles, with_municipality(case.suppressed)
    there = pl.DataFrame({"original_uid": pl.Series(raw.people), "municipality": pl.Series(raw.municipalities)})
    published, single = _published(case), listed.filter(pl.col("municipality").is_not_null())
    whole = listed.filter(pl.col("municipality").is_null()).select("original_uid").unique()
    withheld = there.join(whole, on="original_uid", how="semi").vstack(single.select(_KEY))
    lost = there.join(published, on=_KEY, how="anti").join(withheld, on=_KEY, how="anti").height
    hold.none("none_lost", lost, "profiles neither published nor listed as withheld")
    both = published.join(single, on=_KEY, how="semi").height
    hold.none("not_both", both, "profiles both published and listed as withheld")
    strangers = published.join(there, on=_KEY, how="anti").height
    hold.none("published_known", strangers, "profiles of people who have none in that municipality")
    strangers = single.join(there, on=_KEY, how="anti").height
    hold.none("listed_known", strangers, "profiles listed as withheld that the original does not have")
    twice = listed.height - listed.n_unique(_KEY) + single.join(whole, on="original_uid", how="semi").height
    hold.none("listed_once", twice, "profiles listed twice, or along with the whole person")
    _reasons(case, hold, there, listed)
    _without_days(case, hold)
    return hold.passed(
        "every profile is published or listed",
        profiles=there.height,
        published=published.height,
        withheld=withheld.n_unique(),
    )


def with_municipality(listed: pl.DataFrame) -> pl.DataFrame:
    """Return the list of the withheld with a column for municipalities: where none is given, whole people are."""
    if "municipality" in listed.columns:
        return listed.with_columns(pl.col("municipality").cast(pl.String))
    return listed.with_columns(municipality=pl.lit(None, pl.String))


def _published(case: Case) -> pl.DataFrame:
    """People and municipalities of the published rows; names that lead to nobody are left out."""
    whose = case.mapping.select("original_uid", "uid").unique("uid", keep="first")
    return profiles_of(case).rows.select("uid", "municipality").join(whose, on="uid").select(_KEY).drop_nulls()


def _reasons(case: Case, hold: Hold, there: pl.DataFrame, listed: pl.DataFrame) -> None:
    """Small municipalities are withheld where k is claimed and they are not kept; with a claim nothing else is."""
    grouped = isinstance(case.claim, KAnonymousCells)
    # Who is screened, `everyone` looks at.
    asked = {"screened"} if isinstance(case.claim, KAnonymousCells | CellNoise) else set(REASONS) - set(_OF_A_PROFILE)
    if grouped and not keeps_small(case):
        asked |= {"small"}
    odd = listed.filter(~pl.col("reason").is_in(sorted(asked)).fill_null(False)).height
    hold.none("reasons_asked_for", odd, "rows of the list give a reason that claim and parameters do not")
    if isinstance(case.claim, KAnonymousCells):
        gone = listed.filter(pl.col("reason") == "screened").select("original_uid")
        people = there.join(gone, on="original_uid", how="anti").group_by("municipality").len("people")
        large = people.filter(pl.col("people") >= case.claim.k)
        wrong = listed.filter(pl.col("reason") == "small").join(large, on="municipality", how="semi").height
        words = f"profiles are withheld as of a small municipality that has k = {case.claim.k} people or more"
        hold.none("small", wrong, words)


def _without_days(case: Case, hold: Hold) -> None:
    """Cells of which the manifest says that there are no such days are 0 for everybody."""
    said = case.parameters.get("cells_without_days", [])
    numbers = [number for name in said if (number := cell_number(name)) is not None] if are_cells(said) else []
    values = case.profiles.values
    wrong = sum(number >= values.shape[1] or bool(values[:, number].any()) for number in numbers)
    hold.none("without_days", wrong, "cells said to have no days in which somebody was active")
