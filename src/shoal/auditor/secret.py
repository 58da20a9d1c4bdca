"""The release against its secret directory: who is who, is everybody accounted for, is the order meaningless."""

import hashlib

import numpy as np
import polars as pl

from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, kendall, poisson_tail
from shoal.auditor.published import MANIFEST
from shoal.auditor.registry import Finding, check, failed, not_run, passed
from shoal.errors import DataError


@check("mapping", "boxes", "secret", "original")
def mapping(case: Case) -> Finding:
    """Every published name leads to one person of the original, and no two to the same."""
    table, uids = case.mapping, case.published.uids
    people = case.people.ids
    figures = {
        "names_without_person": int((~uids.is_in(table["uid"].implode())).sum()),
        "persons_without_rows": int((~table["uid"].is_in(uids.implode())).sum()),
        "persons_not_in_the_original": int((~table["original_uid"].is_in(people.implode())).fill_null(True).sum()),
        "names_twice": table.height - table["uid"].n_unique(),
        "persons_twice": table.height - table["original_uid"].n_unique(),
    }
    wrong = [f"{count:,} {name.replace('_', ' ')}" for name, count in figures.items() if count]
    if wrong:
        return failed("; ".join(wrong), **figures)
    return passed("one name for each person, one person for each name", people=table.height)


@check("manifest_digest", "secret")
def manifest_digest(case: Case) -> Finding:
    """The manifest is the one that was written: its digest is kept where strangers cannot reach it."""
    assert case.secret_path is not None
    try:
        said = (case.secret_path / "manifest.sha256").read_text(encoding="utf-8").split()
        found = hashlib.sha256((case.path / MANIFEST).read_bytes()).hexdigest()
    except (OSError, ValueError):
        raise DataError(
            "no readable manifest.sha256", expected="the secret directory of the release", hint="check --secret"
        ) from None
    if said[:1] != [found]:
        return failed("the manifest is not the one that was written with the secret directory")
    return passed("the manifest is the one that was written")


@check("everyone", "boxes", "secret", "original")
def everyone(case: Case) -> Finding:
    """Every person of the original is published, or listed as withheld, and not both."""
    people = case.people.ids
    published = people.is_in(case.mapping["original_uid"].implode())
    whole = case.suppressed.filter(pl.col("t").is_null())["original_uid"]
    listed = people.is_in(whole.implode())
    lost, both = int((~published & ~listed).sum()), int((published & listed).sum())
    unknown = int((~whole.is_in(people.implode())).sum())
    figures = {"people": people.len(), "published": int(published.sum()), "withheld": int(listed.sum()), "lost": lost}
    wrong = [
        f"{count:,} people {words}"
        for words, count in (
            ("neither published nor listed as withheld", lost),
            ("both published and listed as withheld", both),
            ("listed as withheld whom the original does not know", unknown),
        )
        if count
    ]
    return failed("; ".join(wrong), **figures) if wrong else passed("everybody is published or listed", **figures)


@check("row_order", "boxes")
def row_order(case: Case) -> Finding:
    """Rows are sorted by random names, so their order tells nothing of the input or of groups."""
    if not case.published.sorted_rows:
        return failed("rows are not sorted by (uid, t_start): their order may tell something")
    together, expected = _neighbours(case)
    figures: dict[str, object] = {"neighbours_of_one_group": together, "expected_by_chance": round(expected, 3)}
    if poisson_tail(together, expected) < SURE:
        return failed("members of a group stand together in the order of names", **figures)
    if case.missing("secret") or case.missing("original"):
        return not_run("sorted; whether names follow the input's order needs --original and --secret", **figures)
    person = case.person_of_uid
    ranks = {"identifiers": person[person >= 0]}
    if case.people.first_row is not None:
        ranks["rows"] = case.people.first_row[person[person >= 0]]
    for name, rank in ranks.items():
        tau, p = kendall(np.argsort(np.argsort(rank, kind="stable"), kind="stable"))
        figures[f"tau_of_{name}"] = round(tau, 4)
        if p * len(ranks) < SURE:
            return failed(f"the order of names follows the order of {name} in the input", **figures)
    return passed("the order of names tells nothing of the input's", **figures)


def _neighbours(case: Case) -> tuple[int, float]:
    """Count neighbours in the order of names who are of one group, and how many chance would give."""
    of, sizes = case.groups.of, case.groups.size
    expected = float((sizes * (sizes - 1)).sum()) / max(of.size, 1)
    return int((of[1:] == of[:-1]).sum()), expected
