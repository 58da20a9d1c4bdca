"""What the release says of itself: the promise must be there, and must not claim more than the mechanism keeps."""

import re
from typing import Any

from shoal.auditor.case import Case
from shoal.auditor.published import PAGE
from shoal.auditor.registry import Finding, check, failed, not_run, passed

_MAY_SAY_ANONYMOUS = ("glove", "kte", "primule")
_ANONYMOUS = re.compile(r"anonym|indistinguish|cannot be (?:re-?)?identified|impossible to identify", re.IGNORECASE)
_OTHERS = re.compile(r"at least (\d+) other", re.IGNORECASE)
_TEXTS = ("name", "holds", "attacker", "unit")


@check("promise")
def promise(case: Case) -> Finding:
    """The promise is complete, and its words fit mechanism and parameters."""
    said = case.manifest.get("promise")
    if not isinstance(said, dict):
        return failed("the manifest has no promise")
    wrong = [f"no {name}" for name in _TEXTS if not (isinstance(said.get(name), str) and said[name].strip())]
    not_covered = said.get("not_covered")
    if not (isinstance(not_covered, list) and not_covered and all(isinstance(s, str) and s for s in not_covered)):
        wrong.append("it does not say what is not covered")
    if wrong:
        return failed("the promise is incomplete: " + ", ".join(wrong))
    wrong = _dishonest(case, said)
    stamped = bool(case.manifest.get("not_for_release"))
    if wrong:
        return failed("; ".join(wrong), not_for_release=stamped)
    return passed("the words fit the mechanism and its parameters", not_for_release=stamped)


def _dishonest(case: Case, said: dict[str, Any]) -> list[str]:
    wrong = []
    claims = f"{said['name']} {said['holds']}"
    if case.mechanism not in _MAY_SAY_ANONYMOUS and case.mechanism != "geoind" and _ANONYMOUS.search(claims):
        wrong.append("it claims an anonymity that the mechanism does not give")
    if case.mechanism == "uniform" and said["name"] != "none":
        wrong.append("uniform generalization promises nothing, and the promise has a name")
    if case.mechanism == "glove":
        wrong += _dishonest_about_k(case, said)
    if said["unit"] != "person" and case.mechanism in ("glove", "kte", "uniform"):
        wrong.append("the unit of protection is the person, and the promise names another")
    return wrong


def _dishonest_about_k(case: Case, said: dict[str, Any]) -> list[str]:
    k = case.parameters.get("k")
    if not isinstance(k, int) or isinstance(k, bool) or k < 2:
        return ["there is no k of 2 or more among the parameters"]
    wrong = []
    if said["name"] != "k-anonymity":
        wrong.append("the promise of groups of k is not called k-anonymity")
    others = {int(number) for number in _OTHERS.findall(said["holds"])}
    if others != {k - 1}:
        wrong.append("the number of others in the promise does not fit parameters.k")
    return wrong


@check("page")
def page(case: Case) -> Finding:
    """The publishable page holds binned counts of at least k people and nothing else."""
    if not (case.path / PAGE).exists():
        return not_run("the release has no page")
    return not_run("the numbers embedded in report.html are not decoded")
