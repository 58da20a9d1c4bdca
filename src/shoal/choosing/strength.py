"""Which promise is stronger: by what an attacker may know, then by its parameters. Claims decide, not mechanisms."""

from typing import Any

from shoal.contract.claims import (
    Claim,
    Cylinder,
    GeoIndistinguishability,
    KAnonymity,
    Nothing,
    SpeedSmoothing,
    WindowHiding,
)

ATTACKERS: dict[str, tuple[type[Claim], ...]] = {
    "whole": (KAnonymity,),
    "points": (KAnonymity,),
    "window": (KAnonymity, WindowHiding),
    "stops": (KAnonymity, SpeedSmoothing),
    "place": (KAnonymity, WindowHiding, GeoIndistinguishability),
}
"""What an attacker knows or looks for, and the claims that are about that attacker: all of a life, any moments of it,
all of a stretch of it, where somebody stays, or one place."""

_ORDER: tuple[type[Claim], ...] = (
    KAnonymity,
    WindowHiding,
    GeoIndistinguishability,
    SpeedSmoothing,
    Cylinder,
    Nothing,
)

WORDS: dict[type[Claim], str] = {
    KAnonymity: "whoever knows a whole life is left with {k} people who look the same",
    WindowHiding: "whoever knows all of a stretch, up to {tau_s:g} s, is left with {k} people; not who knows more",
    GeoIndistinguishability: "each place alone is blurred; a whole life is not hidden, nor are times",
    SpeedSmoothing: "how long somebody stayed anywhere does not show; the way they took does",
    Cylinder: "{k} traces run side by side; this is not k-anonymity",
    Nothing: "nothing is promised",
}


def strength(claim: Claim) -> tuple[Any, ...]:
    """Return a key: the smaller, the stronger. Unknown claims come before none at all.

    >>> strength(KAnonymity(5)) < strength(KAnonymity(2)) < strength(WindowHiding(9, 3600, 3600)) < strength(Nothing())
    True
    """
    place = _ORDER.index(type(claim)) if type(claim) in _ORDER else len(_ORDER) - 1.5
    match claim:
        case KAnonymity(k):
            return place, -k
        case WindowHiding(k, tau_s, epsilon_s):
            return place, -k, -tau_s, epsilon_s
        case GeoIndistinguishability(epsilon):
            return place, epsilon
        case SpeedSmoothing(alpha):
            return place, -alpha
        case Cylinder(k, delta):
            return place, -k, -delta
    return (place,)


def holds_against(claim: Claim, attackers: tuple[str, ...]) -> bool:
    """Tell whether a claim is about each of these attackers; without any, whether it promises anything."""
    if not attackers:
        return not isinstance(claim, Nothing)
    return all(isinstance(claim, ATTACKERS[name]) for name in attackers)


def in_words(claim: Claim) -> str:
    """Say what a claim is worth.

    >>> in_words(KAnonymity(2))
    'whoever knows a whole life is left with 2 people who look the same'
    """
    return WORDS.get(type(claim), "see its manifest").format(**vars(claim))
