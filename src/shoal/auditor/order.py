"""The order of rows: sorted by random names, so that it tells nothing."""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, kendall, poisson_tail
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import Boxes
from shoal.auditor.registry import ALL_KINDS, check


@check(
    "row_order",
    kinds=ALL_KINDS,
    needs=("opened",),
    conditions=("in_order", "groups_apart", "people_apart", "identifiers", "rows"),
)
def row_order(case: Case, hold: Hold) -> Finding:
    """Rows are sorted by random names, so their order tells nothing of the input, of groups or of people."""
    assert case.opened is not None
    kind, figures = case.opened.kind, dict[str, object]()
    hold(
        "in_order",
        case.opened.in_order,
        f"rows are not sorted by {', '.join(kind.order)}: the order may tell something",
    )
    if isinstance(case.opened, Boxes):
        together, expected = _neighbours(case.groups.of)
        figures |= {"neighbours_of_one_group": together, "expected_by_chance": round(expected, 3)}
        likely = poisson_tail(together, expected) >= SURE
        hold("groups_apart", likely, "members of a group stand together in the order of names")
    if case.missing("secret") or case.missing("original"):
        return hold.not_run("sorted; whether names follow the input needs `original` and `secret`", **figures)
    person = case.person_of_uid[case.person_of_uid >= 0]
    if kind.uid_of != "person":
        together, expected = _neighbours(person)
        figures |= {"neighbours_of_one_person": together, "expected_by_chance": round(expected, 3)}
        hold("people_apart", poisson_tail(together, expected) >= SURE, "names of one person stand together")
    ranks = {"identifiers": person}
    if case.people.first_row is not None:
        ranks["rows"] = case.people.first_row[person]
    for name, rank in ranks.items():
        # Names of one person tie: broken at random, so that ties alone show nothing.
        order = np.lexsort((case.rng.random(rank.size), rank))
        tau, p = kendall(np.argsort(order))
        figures[f"tau_of_{name}"] = round(tau, 4)
        hold(name, p * len(ranks) >= SURE, f"the order of names follows the order of {name} in the input")
    return hold.passed("the order of names tells nothing of the input's", **figures)


def _neighbours(of: Ints) -> tuple[int, float]:
    """Count neighbours in the order of names who belong together, and how many chance would give."""
    sizes = np.bincount(of)
    expected = float((sizes * (sizes - 1)).sum()) / max(of.size, 1)
    return int((of[1:] == of[:-1]).sum()), expected
