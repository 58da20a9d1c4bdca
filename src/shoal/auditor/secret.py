"""The release against its secret directory: who is who, and is everybody accounted for."""

import hashlib
import math
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.attacks.packing import distinct
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import Profiles
from shoal.auditor.registry import ALL_KINDS, check
from shoal.contract.files import MANIFEST, MANIFEST_DIGEST
from shoal.contract.kinds import BOXES, POINTS, Kind
from shoal.contract.reasons import REASONS
from shoal.errors import DataError

_ONE_NAME = {"person": ["original_uid"], "row": ["original_uid", "municipality"]}
"""What has one name only; of parts a person may have many."""
_WHOLE = [reason.name for reason in REASONS.values() if reason.whole_person]
_SAMPLES = [reason.name for reason in REASONS.values() if reason.takes == "sample"]
_DAY_S, _SECOND_US = 86_400, 1_000_000


@check(
    "mapping",
    kinds=ALL_KINDS,
    needs=("opened", "secret", "original"),
    conditions=(
        *("columns", "names_known", "names_published", "people_known", "names_once", "people_once"),
        "municipality_agrees",
    ),
)
def mapping(case: Case, hold: Hold) -> Finding:
    """Every published name leads to one person of the original, and nobody has more names than the kind allows."""
    assert case.opened is not None
    table, uids, uid_of = case.mapping, case.names, case.opened.kind.uid_of
    wanted = ["original_uid", "uid", *(["municipality"] if uid_of == "row" else [])]
    if not hold("columns", table.columns == wanted, f"mapping.parquet has other columns than {', '.join(wanted)}"):
        return hold.stopped()
    strangers = int((~table["original_uid"].is_in(case.people.ids.implode())).fill_null(True).sum())
    hold.none("names_known", int((~uids.is_in(table["uid"].implode())).sum()), "names without a person")
    hold.none("names_published", int((~table["uid"].is_in(uids.implode())).sum()), "names without rows")
    hold.none("people_known", strangers, "people who are not in the original")
    hold.none("names_once", table.height - table["uid"].n_unique(), "names twice")
    if uid_of in _ONE_NAME:
        hold.none("people_once", table.height - table.n_unique(_ONE_NAME[uid_of]), "names too many for their people")
    if isinstance(case.opened, Profiles):
        hold.none("municipality_agrees", _elsewhere(case.opened, table), "names of another municipality")
    return hold.passed("every name leads to one person", names=uids.len(), people=table["original_uid"].n_unique())


def _elsewhere(profiles: Profiles, table: pl.DataFrame) -> int:
    """Count names whose municipality is not that of the mapping."""
    towns = pl.DataFrame({"uid": profiles.uids, "published": profiles.municipality.gather(profiles.offsets[:-1])})
    return towns.join(table, on="uid").filter(pl.col("published") != pl.col("municipality")).height


@check("manifest_digest", needs=("secret",), conditions=("same",))
def manifest_digest(case: Case, hold: Hold) -> Finding:
    """The manifest is the one that was written: its digest is kept where strangers cannot reach it."""
    assert case.secret_path is not None
    try:
        said = (case.secret_path / MANIFEST_DIGEST).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        raise DataError(
            f"no readable {MANIFEST_DIGEST}",
            expected="the secret directory of the release",
            hint="give the one that belongs to the release as `secret`",
        ) from None
    path = case.path / MANIFEST
    found = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    hold("same", said[:1] == [found], "the manifest is not the one that was written with the secret directory")
    return hold.passed("the manifest is the one that was written")


@check(
    "everyone",
    kinds=ALL_KINDS,
    needs=("opened", "secret", "original"),
    conditions=(
        *("nobody_lost", "not_both", "withheld_known", "reasons", "screened"),
        *("counts_people", "counts_withheld", "counts_samples"),
    ),
)
def everyone(case: Case, hold: Hold) -> Finding:
    """Every person of the original is published, or listed as withheld, and not both."""
    people = case.people.ids
    published = people.is_in(case.mapping["original_uid"].implode())
    listing = case.suppressed.filter(pl.col("t").is_null())
    named = listing["original_uid"]
    # Of somebody who is published other profiles may be withheld; those are looked at one by one elsewhere.
    whole = listing.filter(pl.col("reason").is_in(_WHOLE).fill_null(True))["original_uid"]
    listed, gone = (people.is_in(some.implode()) for some in (named, whole))
    lost, both = int((~published & ~listed).sum()), int((published & gone).sum())
    hold.none("nobody_lost", lost, "people neither published nor listed as withheld")
    hold.none("not_both", both, "people both published and listed as withheld")
    unknown = int((~named.is_in(people.implode())).sum())
    hold.none("withheld_known", unknown, "people listed as withheld whom the original does not know")
    odd = _odd_reasons(case.suppressed, case.kind)
    hold.none("reasons", odd, "rows of the list give a reason that there is not for them")
    if case.kind is not BOXES:
        _screened(case, hold)
    _counts(case, hold)
    return hold.passed(
        "everybody is published or listed",
        people=people.len(),
        published=int(published.sum()),
        withheld=int((listed & ~published).sum()),
        lost=lost,
    )


def _odd_reasons(suppressed: pl.DataFrame, kind: Kind | None) -> int:
    """Count rows with an unknown reason, or one that takes something else than the row is about.

    Single samples are withheld from boxes only.
    """
    possible = [name for name in REASONS if kind is BOXES or name not in _SAMPLES]
    reason, known = pl.col("reason"), pl.col("reason").is_in(possible)
    blank = [pl.col(name).is_null() != reason.is_in(_SAMPLES) for name in ("t", "x", "y")]
    profile = ~reason.is_in([*_WHOLE, *_SAMPLES])
    there = pl.col("municipality").is_not_null() if "municipality" in suppressed.columns else pl.lit(False)
    return suppressed.filter(~pl.all_horizontal(known, *blank, there == profile).fill_null(False)).height


def _screened(case: Case, hold: Hold) -> None:
    """Whoever has too few points a day is left out first, and nobody else for that reason; for boxes see parameters."""
    least = case.parameters.get("min_per_day")
    listed = case.suppressed.filter(pl.col("reason") == "screened")["original_uid"]
    screened = case.people.ids.is_in(listed.implode()).to_numpy()
    wanted = np.zeros(screened.size, np.bool_)
    if case.kind is POINTS and isinstance(least, int | float) and least:
        points = case.positions
        owner, t, *_ = distinct((points.owner, points.epoch_us, *(a.view(np.int64) for a in (points.lat, points.lng))))
        days = -(-(t.max() // _SECOND_US + 1 - t.min() // _SECOND_US) // _DAY_S)
        wanted = np.bincount(owner, minlength=screened.size) < math.ceil(Fraction(str(least)) * int(days))
    hold.none("screened", int((screened != wanted).sum()), "people screened without need, or not who should be")


def _counts(case: Case, hold: Hold) -> None:
    """What the manifest counts is what the secret directory holds, rounded."""
    said = case.manifest.get("counts")
    told = said if isinstance(said, dict) else {}
    published, listed = case.mapping["original_uid"].unique(), case.suppressed
    withheld = listed["original_uid"].unique()
    gone = int((~withheld.is_in(published.implode())).sum())
    samples = listed.height - listed["t"].null_count()
    for condition, name, count in (
        ("counts_people", "people_published", published.len()),
        ("counts_withheld", "people_suppressed", gone),
        ("counts_samples", "samples_suppressed", samples),
    ):
        hold(condition, told.get(name) == (count + 5) // 10 * 10, f"a number of {name} that is another")
