"""Window hiding (k^{τ,ε}-anonymity): whatever somebody did within τ, at least k fit, and it tells little beyond.

Made from the definition, raw samples and published boxes alone; what exactly is counted stands in
:mod:`shoal.auditor.window_fits`.
"""

from typing import Any

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.interval import wilson
from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, mean_tail, mean_within
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.registry import check
from shoal.auditor.window_fits import Fits, fewest_without, fits_of, lasts
from shoal.contract.claims import WindowHiding
from shoal.contract.durations import lasting
from shoal.contract.kinds import BOXES

_NEEDS = ("opened", "map", "secret", "original")
_FROM = 3
"""From so many on nothing may leak; with two the one other person decides alone, and the manifest tells the share.

So it does where τ and ε cover all that is published: groups of k, whoever knows less than τ learns the rest of.
"""


def _promised(case: Case) -> WindowHiding:
    assert isinstance(case.claim, WindowHiding)
    return case.claim


def _looked(found: Fits) -> str:
    return "" if found.all_of_them else f" (of {found.looked_at:,} people at random, of {found.people:,})"


def _figures(case: Case, found: Fits, few: Ints, least: Ints) -> dict[str, Any]:
    some = found.intervals > 0
    return {
        **_promised(case).to_dict(),
        "people": found.people,
        "looked_at": found.looked_at,
        "intervals": int(found.intervals.sum()),
        "intervals_below_k": int(few.sum()),
        "people_below_k": wilson(int((few > 0).sum()), found.looked_at).to_dict(),
        "fewest": int(least[some].min()) if some.any() else None,
        "median_of_fewest": float(np.median(least[some])) if some.any() else None,
        "intervals_all_withheld": int(found.withheld.sum()),
        "people_with_all_withheld": int((found.withheld > 0).sum()),
    }


@check("window_parameters", kinds=(BOXES,), claims=(WindowHiding,), examines=(), conditions=("tau", "epsilon"))
def window_parameters(case: Case, hold: Hold) -> Finding:
    """The lengths among the parameters are those that are claimed."""
    claim = _promised(case)
    for name, claimed in (("tau", claim.tau_s), ("epsilon", claim.epsilon_s)):
        said = case.parameters.get(name)
        same = type(said) is int and said == claimed
        hold(name, same, f"the parameters name another {name} than is claimed, or none")
    return hold.passed("tau and epsilon are those that are claimed")


@check(
    "window_withheld",
    kinds=(BOXES,),
    claims=(WindowHiding,),
    examines=(),
    needs=_NEEDS,
    conditions=("not_both", "reason"),
)
def window_withheld(case: Case, hold: Hold) -> Finding:
    """What is listed because too few could hide it is not published either; and nothing else is left out of a life."""
    listed, unhidden = case.listing.listed, case.listing.of("unhidden")
    both = int((listed & (case.cover.box_of >= 0)).sum())
    hold.none("not_both", both, "samples are listed as withheld and covered by a box of their person all the same")
    hold.none("reason", int((listed & ~unhidden).sum()), "samples are withheld for another reason than being unhidden")
    return hold.passed("what could not be hidden is not published", unhidden=int(unhidden.sum()))


@check("window_coverage", kinds=(BOXES,), claims=(WindowHiding,), needs=_NEEDS, conditions=("at_least_k",))
def window_coverage(case: Case, hold: Hold) -> Finding:
    """In every interval of τ at least k people cover as many of a person's samples as the person's own boxes do."""
    found, claim = fits_of(case), _promised(case)
    few = int((found.few_cover > 0).sum())
    words = f"people whose samples of some {lasting(claim.tau_s)} fewer than k = {claim.k} people cover{_looked(found)}"
    hold.none("at_least_k", few, words)
    return hold.passed(
        f"whatever somebody did in any {lasting(claim.tau_s)} is covered by at least {claim.k} people{_looked(found)}",
        **_figures(case, found, found.few_cover, found.least_cover),
    )


@check("window_absence", kinds=(BOXES,), claims=(WindowHiding,), needs=_NEEDS, conditions=("at_least_k",))
def window_absence(case: Case, hold: Hold) -> Finding:
    """The same where a box inside the interval rules out its owner, if the person was never in it."""
    found, claim = fits_of(case), _promised(case)
    few = int((found.few_left > 0).sum())
    words = (
        f"people with whom, in some {lasting(claim.tau_s)}, fewer than k = {claim.k} are left once boxes in which they "
        f"never were rule out others{_looked(found)}"
    )
    hold.none("at_least_k", few, words)
    return hold.passed(
        f"at least {claim.k} people are left, also for who knows where somebody was not{_looked(found)}",
        **_figures(case, found, found.few_left, found.least_left),
        fewest_without_a_box=fewest_without(case.boxes.crowd, case.person_of_uid, case.samples, claim),
    )


@check(
    "far_leak",
    kinds=(BOXES,),
    claims=(WindowHiding,),
    needs=_NEEDS,
    conditions=("none", "named", "not_understated", "not_named"),
)
def far_leak(case: Case, hold: Hold) -> Finding:
    """All who are left agree on nothing farther than ε from the interval, or as seldom as the manifest may say."""
    found, claim = fits_of(case), _promised(case)
    stated, beyond = case.parameters.get("far_leak_share"), lasting(claim.epsilon_s)
    share, leaking = found.leak_share, int((found.leaking > 0).sum())
    groups = "far_leak_share" in case.parameters and lasts(case) <= claim.tau_s + claim.epsilon_s
    if claim.k >= _FROM and not groups:
        words = f"people of whom all who are left tell something more than {beyond} away{_looked(found)}"
        hold.none("none", leaking, words)
        words = "a far_leak_share in the manifest, although nothing may leak"
        hold("not_named", "far_leak_share" not in case.parameters, words)
    else:
        number = isinstance(stated, int | float) and not isinstance(stated, bool)
        if hold("named", number, f"the manifest does not tell how often something leaks beyond {beyond}"):
            assert isinstance(stated, int | float)
            least = share if found.all_of_them else share - mean_within(found.looked_at)
            hold("not_understated", stated >= least, "more often than the manifest says something leaks")
    return hold.passed(
        f"in {share:.2%} of intervals all who are left tell something more than {beyond} away{_looked(found)}",
        people=found.people,
        looked_at=found.looked_at,
        intervals=int(found.intervals.sum()),
        leaking=int(found.leaking.sum()),
        people_leaking=wilson(leaking, found.looked_at).to_dict(),
        share=round(share, 6),
    )


@check("tightest_fit", kinds=(BOXES,), claims=(WindowHiding,), needs=_NEEDS, conditions=("at_most_one_in_k",))
def tightest_fit(case: Case, hold: Hold) -> Finding:
    """Whoever takes the one who fits most tightly is right at most once in k times, in the mean over people."""
    found, claim = fits_of(case), _promised(case)
    success = found.success
    mean = float(success.mean()) if success.size else 0.0
    likely = mean_tail(mean, 1 / claim.k, success.size) >= SURE
    words = f"who takes the tightest fit is right in {mean:.1%} of cases, more often than once in {claim.k} times"
    hold("at_most_one_in_k", likely, words + _looked(found))
    return hold.passed(
        f"who takes the tightest fit is right in {mean:.1%} of cases{_looked(found)}",
        people=found.people,
        looked_at=found.looked_at,
        success=round(mean, 6),
        most=round(1 / claim.k, 6),
        baseline=round(1 / max(found.people, 1), 6),
    )
