"""What the release says of itself: the words must be those of the claim, and the claim must have been examined."""

import json
from typing import Any

from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.registry import check, examiners
from shoal.contract.claims import Nothing
from shoal.contract.files import STAMP
from shoal.contract.parameters import CLAIM_OF

_WORDS = ("holds", "attacker", "unit", "not_covered")


@check(
    "promise",
    # Where nothing is promised, saying so in the right words is all there is to keep.
    examines=(Nothing,),
    conditions=("said", "comparable", "keys", *_WORDS, "parameters"),
)
def promise(case: Case, hold: Hold) -> Finding:
    """The words are exactly those that follow from the claim and the parameters."""
    said = case.manifest.get("promise")
    if not hold("said", isinstance(said, dict), "the manifest has no promise"):
        return hold.stopped()
    if not hold("comparable", case.claim is not None, "its words follow from no claim that is known"):
        return hold.stopped()
    assert isinstance(said, dict)
    assert case.claim is not None
    wanted = case.claim.promise(case.parameters).to_dict()
    hold("keys", said.keys() == wanted.keys(), "the promise has parts missing or too many")
    for name in _WORDS:
        same = _spelled(said.get(name)) == _spelled(wanted[name])
        hold(name, same, f"what it says under {name} is not what follows from the claim")
    claimed = {case.claim.called.get(name, name): value for name, value in case.claim.to_dict().items()}
    other = [
        name
        for name, value in claimed.items()
        if name != "name" and name in case.parameters and _spelled(case.parameters[name]) != _spelled(value)
    ]
    hold("parameters", not other, f"claim and parameters differ in {', '.join(other)}")
    stamped = bool(case.manifest.get(STAMP))
    words = "the words are those of the claim" + ("; stamped: NOT FOR RELEASE" if stamped else "")
    return hold.passed(words, not_for_release=stamped)


def _spelled(value: Any) -> str:
    """Spell a value as JSON does: there 1, 1.0 and true are three things."""
    return json.dumps(value, sort_keys=True)


@check("claim", conditions=("named", "known", "fits", "of_mechanism", "examined"))
def claim(case: Case, hold: Hold) -> Finding:
    """What is claimed was looked at: a claim that no check examined is a failure, not a silence."""
    promise = case.manifest.get("promise")
    said = promise.get("claim") if isinstance(promise, dict) else None
    if not hold("named", isinstance(said, dict) and "name" in said, "the manifest makes no claim"):
        return hold.stopped()
    if not hold("known", case.claim is not None, "a claim that is not known here, so nothing examined it"):
        return hold.stopped()
    assert case.claim is not None
    held = "no known kind of release" if case.kind is None else case.kind.name
    fits = case.kind is not None and case.kind.name in case.claim.kinds
    hold("fits", fits, f"{case.claim.name} cannot be claimed of {held}")
    wanted = CLAIM_OF.get(case.mechanism or "", case.claim.name)
    hold("of_mechanism", wanted == case.claim.name, f"{case.mechanism} claims {wanted}, and this claims another thing")
    able = examiners(case.claim)
    by = [check.id for check in case.done if check.id in able and check.status in ("pass", "fail")]
    hold("examined", bool(by), f"{case.claim.name} is claimed, and no check could examine it")
    return hold.passed(f"{case.claim.name}: examined by {', '.join(by)}", examined_by=by)
