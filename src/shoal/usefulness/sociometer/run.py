"""The public function: a census of residents, commuters and visitors from call profiles, raw or released."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.attacks.crowd import Ints
from shoal.attacks.released import Released, is_release, open_release
from shoal.contract.kinds import PROFILES, cell_names
from shoal.data import Profiles, ReadOptions, read_as
from shoal.errors import DataError, ParameterError, given
from shoal.files.paths import AnyPath, secret_beside
from shoal.progress import Progress
from shoal.usefulness.compared import SecretDirectory
from shoal.usefulness.figures import Floats
from shoal.usefulness.sociometer.agreement import (
    agreement,
    by_label,
    ceiling,
    counts,
    f_scores_by_place,
    quantification,
)
from shoal.usefulness.sociometer.archetypes import LABELS, Labels
from shoal.usefulness.sociometer.census import Census
from shoal.usefulness.sociometer.flows import flows
from shoal.usefulness.sociometer.labels import MOST_PROTOTYPES, Labelled, label_profiles

SEEDS = 3


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Profiles: whose, where (a number for each name of ``names``), and the values."""

    uid: pl.Series
    names: pl.Series
    place: Ints
    values: Floats

    @property
    def keys(self) -> pl.DataFrame:
        """What tells profiles apart."""
        return pl.DataFrame({"original_uid": self.uid, "municipality": self.names.gather(self.place)})


def sociometer(
    data: Any,
    *,
    original: Any = None,
    secret: AnyPath | None = None,
    truth: Any = None,
    prototypes: int = MOST_PROTOTYPES,
    seeds: int = SEEDS,
    options: ReadOptions | None = None,
    progress: Progress | None = None,
) -> Census:
    """Count residents, dynamic residents, commuters, visitors and passers-by in each municipality.

    Parameters
    ----------
    data
        A release of profiles, or anything that :func:`shoal.read_profiles` takes.
    original
        For a release: the data that it was made from, to set the classes beside theirs.
    secret
        For a release with its original: the secret directory, ``<release>.secret`` by default.
    truth
        ``uid, municipality, label``: the true classes of raw profiles, as synthetic people have them.
    prototypes
        Clusters in each municipality, at most.
    seeds
        Starts of k-means. Its result depends on the start: what that makes of the counts, and of the classes of the
        very same profiles, is told beside everything.
    options
        How to read, as for :func:`shoal.read_profiles`.

    Examples
    --------
    >>> one_week = {"uid": ["a", "b"], "municipality": ["Pisa"] * 2}
    >>> sociometer(one_week | {name: [1.0, 0.0 if "weekend" in name else 0.2] for name in cell_names(1)})
    Census(2 profiles, 1 municipality)
    """
    for name, value in (("prototypes", prototypes), ("seeds", seeds)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ParameterError(given(name, value), expected="a whole number, 1 or more", hint="or leave it out")
    released = open_release(data) if is_release(data) else None
    if released is None and original is not None:
        raise ParameterError("`original` for raw profiles", expected="a release", hint="leave it out")
    rows = _of_release(released) if released is not None else _of_profiles(data, options, progress)

    def labelled(some: _Rows, seed: int) -> Labelled:
        return label_profiles(some.place, some.values, prototypes=prototypes, seed=seed, progress=progress)

    runs = [labelled(rows, seed) for seed in range(seeds)]
    summary = _counted(rows, runs)
    raw = rows
    reseeded = [run.labels for run in runs]
    if released is not None and original is not None:
        raw = _of_profiles(original, options, progress)
        reseeded = [labelled(raw, seed).labels for seed in range(seeds)]
        folder = SecretDirectory(Path(secret) if secret is not None else secret_beside(data))
        owner = folder.owners(rows.uid, raw.keys)
        summary["against_original"] = _beside(rows, runs[0].labels, reseeded[0][owner])
    if released is None or original is not None:
        summary["reseeding"] = ceiling(reseeded)
    moves = None
    if released is None:
        moves = _flows(rows, runs[0].labels, summary)
    if truth is not None:
        summary["against_truth"] = _against_truth(raw, reseeded[0], truth)
        if raw is not rows:
            summary["release_against_truth"] = _against_truth(_owned(raw, owner), runs[0].labels, truth)
    return Census(
        counts=_count_table(rows, runs),
        labels=pa.table(
            {
                "uid": rows.uid.to_arrow().cast(pa.string()),
                "municipality": rows.keys["municipality"].to_arrow().cast(pa.string()),
                "label": pa.array(np.array(LABELS)[runs[0].labels]),
            }
        ),
        prototypes=_prototype_table(rows, runs[0]),
        flows=moves,
        summary=summary,
    )


def _of_profiles(source: Any, options: ReadOptions | None, progress: Progress | None) -> _Rows:
    read = source if isinstance(source, Profiles) else read_as(Profiles, source, None, options, progress)[0]
    return _rows(pl.Series(read.people), pl.Series(read.municipalities), read.values)


def _of_release(released: Released) -> _Rows:
    if released.kind is not PROFILES:
        raise DataError(
            f"a release of {released.kind.name}", expected="a release of profiles", hint="give call profiles"
        )
    table = released.rows
    return _rows(table["uid"], table["municipality"], table.drop("uid", "municipality").to_numpy())


def _rows(uid: pl.Series, municipality: pl.Series, values: Floats) -> _Rows:
    if not uid.len():
        raise DataError("no profiles", expected="at least one row", hint="see shoal audit for a release")
    text = municipality.cast(pl.String)
    names = text.unique().sort()
    place = text.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
    return _Rows(uid.cast(pl.String).alias("uid"), names, place, values)


def _owned(raw: _Rows, owner: Ints) -> _Rows:
    """Return the raw profiles that were published, in the order of the release."""
    return _Rows(raw.uid.gather(owner), raw.names, raw.place[owner], raw.values[owner])


def _counted(rows: _Rows, runs: list[Labelled]) -> dict[str, Any]:
    totals = np.stack([np.bincount(run.labels, minlength=len(LABELS)) for run in runs])
    return {
        "profiles": len(rows.values),
        "people": rows.uid.n_unique(),
        "municipalities": rows.names.len(),
        "weeks": rows.values.shape[1] // len(cell_names(1)),
        "seeds": len(runs),
        "classes": {
            name: {
                "profiles": int(totals[0, i]),
                "share": round(float(totals[0, i] / len(rows.values)), 6),
                "low": int(totals[:, i].min()),
                "high": int(totals[:, i].max()),
            }
            for i, name in enumerate(LABELS)
        },
    }


def _beside(rows: _Rows, found: Labels, true: Labels) -> dict[str, Any]:
    """Set the classes of a release beside those of the original, in all and in each municipality."""
    places = rows.names.len()
    off = np.abs(quantification(counts(rows.place, true, places), counts(rows.place, found, places)))
    scores = f_scores_by_place(rows.place, true, found, places)
    medians = np.array(
        [np.nanmedian(s) if (s := scores[:, i])[~np.isnan(s)].size else np.nan for i in range(len(LABELS))]
    )
    return agreement(true, found) | {
        "f_score_median_municipality": by_label(medians),
        "share_off_mean_municipality": by_label(off.mean(axis=0)),
    }


def _flows(rows: _Rows, labels: Labels, summary: dict[str, Any]) -> pa.Table:
    person = rows.uid.rank("dense").to_numpy().astype(np.int64)
    matrix, share = flows(person, rows.place, labels, rows.names.len())
    summary["commuters_with_a_home_elsewhere"] = None if share is None else round(share, 6)
    home, work = np.nonzero(matrix)
    named = [rows.names.gather(index).to_arrow().cast(pa.string()) for index in (home, work)]
    return pa.table({"home": named[0], "work": named[1], "people": matrix[home, work]})


def _against_truth(rows: _Rows, labels: Labels, truth: Any) -> dict[str, Any]:
    """Set classes beside the true ones of the same people and municipalities; who is in one table only is left out."""
    frame = _truth_table(truth)
    wanted = ("uid", "municipality", "label")
    if not set(wanted) <= set(frame.columns):
        raise DataError(
            "a truth without uid, municipality, label", expected="these columns", hint="see shoal synth calls"
        )
    known = frame.select(pl.col(name).cast(pl.String) for name in wanted).rename({"uid": "original_uid"})
    both = rows.keys.with_columns(found=pl.Series(labels)).join(known, on=["original_uid", "municipality"])
    true = both["label"].cast(pl.Enum(LABELS), strict=False).to_physical()
    if not both.height or true.null_count():
        raise DataError(
            "a truth that does not fit these profiles",
            expected=f"the same people and municipalities, with labels {', '.join(LABELS)}",
            hint="give the truth of the very same calls",
        )
    return agreement(true.to_numpy().astype(np.int8), both["found"].to_numpy())


def _truth_table(truth: Any) -> pl.DataFrame:
    try:
        if isinstance(truth, str | PathLike):
            return pl.read_parquet(Path(truth), glob=False)
        return truth if isinstance(truth, pl.DataFrame) else pl.DataFrame(pl.from_arrow(pa.table(truth)))
    except (OSError, pl.exceptions.PolarsError, pa.ArrowException, TypeError, ValueError):
        raise DataError(
            "a truth that cannot be read", expected="a Parquet file or a frame", hint="as shoal synth calls writes it"
        ) from None


def _count_table(rows: _Rows, runs: list[Labelled]) -> pa.Table:
    places = rows.names.len()
    found = np.stack([counts(rows.place, run.labels, places) for run in runs])
    names = rows.names.gather(np.repeat(np.arange(places), len(LABELS)))
    return pa.table(
        {
            "municipality": names.to_arrow().cast(pa.string()),
            "label": list(LABELS) * places,
            "profiles": found[0].ravel(),
            "low": found.min(axis=0).ravel(),
            "high": found.max(axis=0).ravel(),
        }
    )


def _prototype_table(rows: _Rows, run: Labelled) -> pa.Table:
    cells = cell_names(rows.values.shape[1] // len(cell_names(1)))
    return pa.table(
        {
            "municipality": rows.names.gather(run.place).to_arrow().cast(pa.string()),
            "label": pa.array(np.array(LABELS)[run.label]),
            "profiles": run.people,
            **{name: run.centre[:, i] for i, name in enumerate(cells)},
        }
    )
