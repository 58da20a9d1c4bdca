"""What a release can claim: values with parameters, and the words that follow from them.

The manifest carries the claim for machines and its words for people; the auditor makes the words anew and compares. A
claim that no check of the auditor examines fails the audit.
"""

from dataclasses import fields

from shoal.contract.claims.base import Claim
from shoal.contract.claims.boxes import KAnonymity, WindowHiding
from shoal.contract.claims.nothing import Nothing
from shoal.contract.claims.points import Cylinder, GeoIndistinguishability, SpeedSmoothing
from shoal.contract.claims.profiles import CellNoise, KAnonymousCells
from shoal.errors import ParameterError

__all__ = [
    "CLAIMS",
    "CellNoise",
    "Claim",
    "Cylinder",
    "GeoIndistinguishability",
    "KAnonymity",
    "KAnonymousCells",
    "Nothing",
    "SpeedSmoothing",
    "WindowHiding",
    "claim_from",
]

CLAIMS: dict[str, type[Claim]] = {
    claim.name: claim
    for claim in (
        *(KAnonymity, WindowHiding, SpeedSmoothing, GeoIndistinguishability, Cylinder),
        *(KAnonymousCells, CellNoise, Nothing),
    )
}
"""Claims that the auditor knows."""


def claim_from(said: object) -> Claim | None:
    """Read a claim out of a manifest; None where it is none of those known, or its parameters are not its own.

    >>> claim_from({"name": "k-anonymity", "k": 5})
    KAnonymity(k=5)
    >>> claim_from({"name": "k-anonymity", "k": 5, "l": 2}), claim_from({"name": "safety"}), claim_from(None)
    (None, None, None)
    """
    name = said.get("name") if isinstance(said, dict) else None
    if not isinstance(said, dict) or not isinstance(name, str) or name not in CLAIMS:
        return None
    kind = CLAIMS[name]
    parameters = {name: value for name, value in said.items() if name != "name"}
    if parameters.keys() != {field.name for field in fields(kind)}:
        return None
    try:
        return kind(**parameters)
    except ParameterError:
        return None  # a parameter beyond its limits
