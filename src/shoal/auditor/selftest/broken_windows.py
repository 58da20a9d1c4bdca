"""Broken in how windows hide: too few who fit, boxes that rule people out, what leaks far away, who fits best."""

from datetime import timedelta

import numpy as np
import polars as pl

from shoal.auditor.raw import project
from shoal.auditor.selftest.broken import Broken, Change, Demands, boxes, one_member, say_more
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.sound_boxes import CELL_M, CRS, DT_S, START_S, centred
from shoal.auditor.selftest.sound_windows import EPOCH_S, EPSILON_S, TAU_S, sound_windows
from shoal.contract.claims import WindowHiding


def _in_epoch(column: str, epoch: int) -> pl.Expr:
    return (pl.col(column).dt.epoch("s") - START_S) // EPOCH_S == epoch


_FIRST_EPOCH = _in_epoch("t_start", 0)


def _windows(words: str, condition: str, change: Change) -> Broken:
    return Broken(words, condition, change, demands=Demands(), claim=WindowHiding)


def _one_box() -> pl.Expr:
    """The first box of one member."""
    return one_member() & (pl.col("t_start") == pl.col("t_start").filter(one_member()).min())


def _claim(**parts: int) -> Change:
    """Claim something else, in all words and parameters."""

    def change(draft: Draft) -> None:
        said = draft.manifest["promise"]["claim"]
        claim = WindowHiding(**{name: value for name, value in {**said, **parts}.items() if name != "name"})
        parameters = {**draft.manifest["parameters"], "k": claim.k, "tau": claim.tau_s, "epsilon": claim.epsilon_s}
        draft.manifest["parameters"] = parameters
        draft.manifest["promise"] = claim.promise(parameters).to_dict()

    return change


def _samples(draft: Draft) -> pl.DataFrame:
    """All raw samples on the grid, with the name and the number of whom they are of: ``t, x, y, uid, member``."""
    x, y = project(CRS, draft.raw["lng"].to_numpy(), draft.raw["lat"].to_numpy())
    places = {name: (np.floor(v / CELL_M) * CELL_M).astype(np.int64) for name, v in (("x", x), ("y", y))}
    raw = draft.raw.select(original_uid="uid", t=pl.col("datetime").dt.truncate(f"{DT_S}s")).with_columns(**places)
    whose = draft.data.select("uid", "member").unique()
    return raw.join(draft.mapping, on="original_uid").join(whose, on="uid").unique(["uid", "t", "x", "y"])


def _as_they_are(where: pl.Expr) -> Change:
    """Publish the samples in some boxes as they are: each in a box of its own cell."""

    def change(draft: Draft) -> None:
        chosen = draft.data.filter(where)
        inside = (
            _samples(draft)
            .join(chosen, on="uid", suffix="_of")
            .filter(pl.col("t").is_between("t_start", "t_end", closed="left"))
        )
        cells = inside.with_columns(
            t_start="t", t_end=pl.col("t") + pl.duration(seconds=DT_S),
            x_min="x", x_max=pl.col("x") + CELL_M, y_min="y", y_max=pl.col("y") + CELL_M,
        )  # fmt: skip
        # One at a time: boxes of a person are apart.
        cells = cells.unique(["uid", "t_start"], keep="first").select(draft.data.columns)
        draft.data = centred(pl.concat([draft.data.filter(~where), cells], how="vertical_relaxed"))
        draft.manifest["counts"]["rows"] = (draft.data.height + 5) // 10 * 10

    return change


def _absent(draft: Draft) -> None:
    """Withhold what one member did in its first epoch: whom it hid there it hides no more."""
    gone = draft.data.filter(_one_box())
    mine = _samples(draft).join(gone.select("uid", "t_start", "t_end"), on="uid")
    mine = mine.filter(pl.col("t").is_between("t_start", "t_end", closed="left"))
    rows = mine.select("original_uid", "t", "x", "y", reason=pl.lit("unhidden"))
    draft.suppressed = pl.concat([draft.suppressed, rows.cast(dict(draft.suppressed.schema))])  # type: ignore[arg-type]
    draft.data = draft.data.filter(~_one_box())


def _two_names(draft: Draft) -> None:
    """Let one member of a crowd be another one: two names, one person."""
    first, second = draft.mapping["original_uid"][:2].to_list()
    draft.raw = draft.raw.with_columns(pl.col("uid").replace(second, first))
    draft.suppressed = draft.suppressed.with_columns(pl.col("original_uid").replace(second, first))
    draft.mapping = draft.mapping.with_columns(pl.col("original_uid").replace(second, first))


def _without_one(draft: Draft) -> None:
    """Let all of a crowd but one go on together right after they met, to one place, and publish it."""
    crowd = pl.col("group") == 0
    rest = draft.data.filter(crowd & (pl.col("member") != pl.col("member").filter(crowd).min()))
    on = rest.with_columns(
        t_start=pl.col("t_end"), t_end=pl.col("t_end") + pl.duration(seconds=DT_S),
        x_max=pl.col("x_min") + CELL_M, y_max=pl.col("y_min") + CELL_M,
    )  # fmt: skip
    middle = [((on[f"{axis}_min"] + on[f"{axis}_max"]) / 2).to_numpy() for axis in ("x", "y")]
    lng, lat = project(CRS, *middle, inverse=True)
    names = on.join(draft.mapping, on="uid", maintain_order="left")["original_uid"]
    rows = pl.DataFrame({"uid": names, "datetime": on["t_start"], "lat": lat, "lng": lng})
    draft.raw = pl.concat([draft.raw, rows.cast(dict(draft.raw.schema))])  # type: ignore[arg-type]
    draft.data = pl.concat([draft.data, centred(on)], how="vertical_relaxed")


def _once_more(hours: int) -> Change:
    """Let the crowds of the first epoch meet once more, so many hours later, in place of those of the second."""

    def change(draft: Draft) -> None:
        known = pl.col("uid").is_in(draft.mapping["original_uid"].implode())
        raw, data = draft.raw.filter(known & _in_epoch("datetime", 0)), draft.data.filter(_in_epoch("t_start", 0))
        again = raw.with_columns(pl.col("datetime") + timedelta(hours=hours))
        draft.raw = pl.concat([draft.raw.filter(~_in_epoch("datetime", 1)), again])
        later = data.with_columns(pl.col("t_start", "t_end") + timedelta(hours=hours))
        draft.data = pl.concat([draft.data.filter(~_in_epoch("t_start", 1)), later])

    return change


def _in_turn(*changes: Change) -> Change:
    def change(draft: Draft) -> None:
        for one in changes:
            one(draft)

    return change


def _crowds_of(k: int, planes: int) -> Change:
    """Start from crowds of another size."""

    def change(draft: Draft) -> None:
        other = sound_windows(k=k, planes=planes)
        for name in ("raw", "data", "mapping", "suppressed", "manifest"):
            setattr(draft, name, getattr(other, name))

    return change


_PAIRS = _crowds_of(2, 14)


def _unnamed(draft: Draft) -> None:
    del draft.manifest["parameters"]["far_leak_share"]


_RANK = pl.col("member").rank("ordinal").over("group")
_UNBALANCED = _in_turn(
    _crowds_of(5, 6), _as_they_are(_RANK > 2), say_more("parameters", far_leak_share=0.0), _claim(k=2)
)
"""Of crowds of five two hide all the others, for nothing in return: these publish what they did, and two fit each."""


def _published_too(draft: Draft) -> None:
    """Publish what is listed of one person."""
    name = draft.suppressed.filter(pl.col("reason") == "unhidden")["original_uid"].min()
    uid = draft.mapping.filter(pl.col("original_uid") == name)["uid"][0]
    mine = draft.suppressed.filter((pl.col("original_uid") == name) & pl.col("t").is_not_null()).sort("t")[:1]
    box = draft.data.filter(pl.col("uid") == uid)[:1].with_columns(
        t_start=pl.lit(mine["t"][0]), t_end=pl.lit(mine["t"][0] + timedelta(seconds=DT_S)),
        x_min=pl.lit(mine["x"][0]), x_max=pl.lit(mine["x"][0] + CELL_M),
        y_min=pl.lit(mine["y"][0]), y_max=pl.lit(mine["y"][0] + CELL_M),
    )  # fmt: skip
    draft.data = centred(pl.concat([draft.data, box], how="vertical_relaxed"))


def _for_its_cost(draft: Draft) -> None:
    draft.suppressed = draft.suppressed.with_columns(pl.col("reason").replace("unhidden", "share"))


WINDOWS = (
    _windows("a tau among the parameters that is not claimed", "window_parameters.tau", say_more("parameters", tau=60)),
    _windows(
        "an epsilon among the parameters that is not claimed",
        "window_parameters.epsilon",
        say_more("parameters", epsilon=2 * EPSILON_S),
    ),
    _windows("a sample unhidden and published", "window_withheld.not_both", _published_too),
    _windows("samples of a life withheld for their cost", "window_withheld.reason", _for_its_cost),
    _windows("first epochs as they were, as printed", "window_coverage.at_least_k", _as_they_are(_FIRST_EPOCH)),
    _windows("a hider who is absent", "window_coverage.at_least_k", _absent),
    _windows("a hider with two names", "window_coverage.at_least_k", _two_names),
    _windows("a tau beyond what holds", "window_coverage.at_least_k", _claim(tau_s=4 * TAU_S)),
    _windows("a k beyond what holds", "window_coverage.at_least_k", _claim(k=4)),
    _windows(
        "a crowd that went on without one",
        "window_absence.at_least_k",
        _in_turn(_crowds_of(5, 6), _claim(k=4), _without_one),
    ),
    _windows("crowds that meet twice", "far_leak.none", _once_more(3)),
    _windows("an epsilon below what holds", "far_leak.none", _in_turn(_once_more(1), _claim(epsilon_s=60))),
    _windows("a leak where none may be", "far_leak.not_named", say_more("parameters", far_leak_share=0.0)),
    _windows("a leak of pairs that is kept quiet", "far_leak.named", _in_turn(_PAIRS, _unnamed)),
    _windows(
        "pairs that meet twice, and leak more than told", "far_leak.not_understated", _in_turn(_PAIRS, _once_more(3))
    ),
    _windows("few who hide all others", "tightest_fit.at_most_one_in_k", _UNBALANCED),
)

BESIDE = (
    Broken(
        "samples of groups withheld as unhidden",
        "parameters.reasons_asked_for",
        lambda d: setattr(d, "suppressed", d.suppressed.with_columns(pl.col("reason").replace("share", "unhidden"))),
    ),
    _windows("neighbourhoods too small to hide in", "parameters.together", say_more("parameters", partition=11)),
    _windows("points within tau that only one fits", "attack_points.within", _as_they_are(_FIRST_EPOCH)),
    _windows(
        "windows whose boxes overlap in time",
        "disjoint.apart",
        boxes(one_member(), t_end=pl.col("t_end") + timedelta(1)),
    ),
)
