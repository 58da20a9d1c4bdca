"""Broken in profiles that should agree, and in the list of those that are withheld."""

from collections.abc import Callable
from typing import Any

import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, first_row, rows, say_more
from shoal.auditor.selftest.broken_withheld import together
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.sound_cells import KNOWN_WEEKS, SMALL, WEEKS, K, withheld
from shoal.contract.claims import KAnonymousCells
from shoal.contract.kinds import PROFILES, cell_names

_KNOWN, _ALL = cell_names(KNOWN_WEEKS), cell_names(WEEKS)
_OUTSIDE = _ALL[len(_KNOWN)]
_TOWN = "town-0"


def _claim(k: int = K, cells: tuple[str, ...] = _KNOWN, **parameters: Any) -> Change:
    """Claim something else, in the words that follow from it and from the parameters."""

    def change(draft: Draft) -> None:
        draft.manifest["parameters"] |= parameters
        if "k" in draft.manifest["parameters"]:
            draft.manifest["parameters"]["k"] = k
        draft.manifest["promise"] = KAnonymousCells(k, cells).promise(draft.manifest["parameters"]).to_dict()

    return change


def _true(draft: Draft) -> pl.DataFrame:
    """The recorded profiles in the order of the published rows."""
    whose = draft.data.select("uid").join(draft.mapping, on="uid", maintain_order="left")
    key = ["original_uid", "municipality"]
    return whose.join(draft.raw.rename({"uid": "original_uid"}), on=key, maintain_order="left")


def _raw_cells(cells: tuple[str, ...], where: pl.Expr | None = None) -> Change:
    """Publish some cells as they were recorded, everywhere or in some rows."""

    def change(draft: Draft) -> None:
        true = _true(draft).select(pl.col(name).alias(f"true_{name}") for name in cells)
        both = draft.data.hstack(true)
        here = pl.lit(True) if where is None else where
        new = [pl.when(here).then(pl.col(f"true_{name}")).otherwise(pl.col(name)).alias(name) for name in cells]
        draft.data = both.with_columns(new).drop(true.columns)

    return change


def _keep_small(draft: Draft) -> None:
    """Publish the profiles of the small municipality as they were."""
    few = draft.raw.filter(pl.col("municipality") == SMALL)
    names = [draft.mapping["uid"][number][::-1] for number in range(few.height)]
    more = few.with_columns(uid=pl.Series(names), group=pl.lit(-1, pl.Int64), member=pl.lit(-1, pl.Int64))
    draft.data = pl.concat([draft.data, more.select(draft.data.columns)])
    mine = {"original_uid": few["uid"], "uid": names, "municipality": few["municipality"]}
    draft.mapping = pl.concat([draft.mapping, pl.DataFrame(mine)])
    draft.suppressed = draft.suppressed.clear()


def _one_person_for_two(draft: Draft) -> None:
    """Let the first two members of a group be one person."""
    group = draft.data.filter(pl.col("group") == 0)["uid"]
    whose = draft.mapping.filter(pl.col("uid").is_in(group.implode()))["original_uid"]
    same = (pl.col("original_uid") == whose[1]) & (pl.col("municipality") == _TOWN)
    changed = pl.when(same).then(pl.lit(whose[0])).otherwise(pl.col("original_uid"))
    draft.mapping = draft.mapping.with_columns(original_uid=changed)


def _like_the_first(draft: Draft) -> None:
    """Publish what was recorded of one member for the whole group."""
    mine = pl.col("group") == 0
    _raw_cells(_KNOWN, mine)(draft)
    rows(mine, **{name: pl.col(name).filter(mine).first() for name in _KNOWN})(draft)


def _listed(change: Callable[[Draft], pl.DataFrame]) -> Change:
    return lambda draft: setattr(draft, "suppressed", change(draft))


def _more(who: Callable[[Draft], str], town: str | None, reason: str = "small") -> Change:
    """List one more profile, or person, as withheld."""
    return _listed(lambda draft: pl.concat([draft.suppressed, withheld(who(draft), town, reason)]))


def _first(draft: Draft) -> str:
    return str(draft.mapping["original_uid"][0])


def _last(draft: Draft) -> str:
    return str(draft.mapping["original_uid"][-1])


def _alone(draft: Draft) -> str:
    """The one who is in the small municipality only."""
    return str(draft.suppressed["original_uid"][-1])


def _withhold_published(draft: Draft) -> None:
    """Withhold the first person's profile in a town that is not small, as if it were."""
    uid = draft.mapping["uid"][0]
    _more(_first, _TOWN)(draft)
    draft.data = draft.data.filter(pl.col("uid") != uid)
    draft.mapping = draft.mapping.filter(pl.col("uid") != uid)


def _unrecorded(draft: Draft) -> None:
    """Let the first person never have been in a town where a profile of theirs is published."""
    gone = (pl.col("uid") == _first(draft)) & (pl.col("municipality") == _TOWN)
    draft.raw = draft.raw.filter(~gone)


def one_more_week(draft: Draft) -> None:
    """Let the original have a week more than the release."""
    columns = draft.raw.columns
    names = cell_names(len(columns) // len(cell_names(1)) + 1)
    draft.raw = draft.raw.with_columns(**{name: pl.lit(0.0) for name in names if name not in columns})


def _without_municipality(draft: Draft) -> None:
    draft.suppressed = draft.suppressed.with_columns(municipality=pl.lit(None, pl.String))


def _broken(words: str, condition: str, change: Change) -> Broken:
    return Broken(words, condition, change, kind=PROFILES, claim=KAnonymousCells)


_KEPT_CHANGED = together(
    _keep_small,
    _claim(small="keep"),
    rows(pl.col("municipality") == SMALL, **{_OUTSIDE: 1 - pl.col(_OUTSIDE) / 2}),
)

CELLS = (
    _broken("cells of a week that is not published", "cells_agree.published", _claim(cells=cell_names(WEEKS + 1))),
    _broken("a cell of the claim left as it was", "cells_agree.at_least_k", _raw_cells(_KNOWN[1:2])),
    _broken("one profile left as it was", "cells_agree.at_least_k", _raw_cells(_KNOWN, first_row())),
    _broken(
        "profiles that agree up to a bit", "cells_agree.at_least_k", rows(first_row(), **{_KNOWN[0]: pl.lit(1e-17)})
    ),
    _broken("more people than agree", "cells_agree.at_least_k", _claim(k=K + 1)),
    _broken("more cells than agree", "cells_agree.at_least_k", _claim(cells=_ALL, weeks="all")),
    _broken("a small municipality kept without saying so", "cells_agree.small", _keep_small),
    _broken("a group of k profiles of fewer people", "people_agree.at_least_k", _one_person_for_two),
    _broken("more weeks than are claimed", "cells_named.weeks", say_more("parameters", weeks=WEEKS)),
    _broken("all weeks where one is claimed", "cells_named.weeks", say_more("parameters", weeks="all")),
    _broken("known cells that are not claimed", "cells_named.known", say_more("parameters", known=[_OUTSIDE])),
    _broken("profiles of fewer weeks than recorded", "cells_truthful.weeks", one_more_week),
    _broken("the values of one member for all", "cells_truthful.means", _like_the_first),
    _broken(
        "a value that was moved outside the claim",
        "cells_truthful.outside",
        rows(first_row(), **{_OUTSIDE: pl.lit(0.123)}),
    ),
    _broken("a small municipality that was kept and changed", "cells_truthful.kept", _KEPT_CHANGED),
    _broken(
        "a small municipality kept, and the words silent",
        "promise.holds",
        together(_keep_small, say_more("parameters", small="keep")),
    ),
)

LISTED = (
    _broken("a profile that is gone", "profiles_listed.none_lost", _listed(lambda d: d.suppressed[1:])),
    _broken("a profile published and withheld", "profiles_listed.not_both", _more(_first, _TOWN)),
    _broken("a profile of somebody who was never there", "profiles_listed.published_known", _unrecorded),
    _broken("a profile withheld that there is not", "profiles_listed.listed_known", _more(_last, SMALL)),
    _broken("a profile that is withheld twice", "profiles_listed.listed_once", _more(_first, SMALL)),
    _broken("a profile withheld along with its person", "profiles_listed.listed_once", _more(_alone, None, "leftover")),
    _broken("people left over from profiles", "profiles_listed.reasons_asked_for", _more(_alone, None, "leftover")),
    _broken(
        "cells without days on which somebody was active",
        "profiles_listed.without_days",
        _claim(cells_without_days=[_KNOWN[0]]),
    ),
    _broken("small and kept, and withheld", "profiles_listed.reasons_asked_for", _claim(small="keep")),
    _broken("a large municipality withheld as small", "profiles_listed.small", _withhold_published),
    _broken("small, and nobody knows where", "everyone.reasons", _without_municipality),
    _broken("a person left over in one place", "everyone.reasons", _more(_alone, SMALL, "leftover")),
    Broken(
        "a share of days beyond all",
        "number_format.shares",
        rows(first_row(), **{_OUTSIDE: pl.lit(1.2)}),
        kind=PROFILES,
    ),
)
