"""What can be claimed of boxes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.contract.claims.base import SIDE_CHANNELS, Claim
from shoal.contract.durations import lasting
from shoal.contract.promise import Promise
from shoal.errors import ParameterError, given


@dataclass(frozen=True)
class KAnonymity(Claim):
    """Every published person has exactly the same sequence of boxes as at least ``k - 1`` others.

    >>> KAnonymity(2).to_dict()
    {'name': 'k-anonymity', 'k': 2}
    """

    name: ClassVar[str] = "k-anonymity"
    kinds: ClassVar[tuple[str, ...]] = ("boxes",)
    k: int

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or isinstance(self.k, bool) or self.k < 2:
            raise ParameterError(given("k", self.k), expected="a whole number, 2 or more", hint="2 is the least crowd")

    def promise(self, parameters: Mapping[str, Any]) -> Promise:
        k = self.k
        not_covered = [
            f"a member of a group knows one trace of it: for them the others hide among {k - 1}"
            + (" and, as there is only one other, not at all" if k == 2 else ""),
            "what all members of a group have in common: if they share a home, it can be read off (homogeneity)",
            "whether a person is in the data at all",
            "how many boxes and samples a group has, and the times at which it has none",
            "two releases of the same people: groups differ, and their intersection can be smaller than k",
            SIDE_CHANNELS,
        ]
        if not (parameters.get("align_m") and parameters.get("align_minutes")):
            not_covered.append(
                "box edges are coordinates of somebody's sample; alignment in space and in time "
                "(align_m, align_minutes) hides which"
            )
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"Every published person has exactly the same sequence of boxes as at least {k - 1} other "
                f"{'person' if k == 2 else 'people'}. "
                "Every box holds a sample of each of them, and every sample of theirs lies in a box or is left out."
            ),
            attacker=(
                "Knows any part of a person's trace, or all of it, and how the release was made; "
                f"finds no published person or at least {k} who fit equally well."
            ),
            unit="person",
            not_covered=tuple(not_covered),
        )


@dataclass(frozen=True)
class WindowHiding(Claim):
    """Whatever a person did in any interval of ``tau_s``, at least ``k`` published people fit (k^{τ,ε}-anonymity).

    >>> WindowHiding(2, 3600, 1800).to_dict()
    {'name': 'window-hiding', 'k': 2, 'tau_s': 3600, 'epsilon_s': 1800}
    """

    name: ClassVar[str] = "window-hiding"
    kinds: ClassVar[tuple[str, ...]] = ("boxes",)
    called: ClassVar[Mapping[str, str]] = {"tau_s": "tau", "epsilon_s": "epsilon"}
    k: int
    tau_s: int
    epsilon_s: int

    def __post_init__(self) -> None:
        KAnonymity(self.k)  # the same limits
        for name, value in (("tau_s", self.tau_s), ("epsilon_s", self.epsilon_s)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ParameterError(given(name, value), expected="whole seconds, 1 or more", hint="for example 3600")
        if self.tau_s % self.epsilon_s:
            raise ParameterError(
                f"{given('tau_s', self.tau_s)} with {given('epsilon_s', self.epsilon_s)}",
                expected="tau a multiple of epsilon",
                hint="take them equal, for example an hour each",
            )

    def promise(self, parameters: Mapping[str, Any]) -> Promise:
        k, tau, epsilon = self.k, lasting(self.tau_s), lasting(self.epsilon_s)
        leak = parameters.get("far_leak_share")
        beyond = f"more than {epsilon} away from what the attacker knows, nothing follows from what all of them share"
        not_covered = [
            f"an attacker who knows more than {tau} in a row, or several stretches of a life, may single somebody out",
            f"whoever hides a person knows a trace of the crowd: for them the person hides among {k - 1}"
            + (" and, as there is only one other, not at all" if k == 2 else ""),
            f"what follows from all who fit within {epsilon} before and after what the attacker knows",
            "what all who fit have in common: if they share a home, it can be read off (homogeneity)",
            "whether a person is in the data at all",
            "how many boxes a person has, and the times at which there is none",
            "two releases of the same people: who hides whom differs, and what fits both can be fewer than k",
            "box edges are coordinates of somebody's sample",
            SIDE_CHANNELS,
        ]
        if leak:
            not_covered.insert(
                1,
                f"in a share of {leak:g} of all such intervals those who fit agree on something farther than {epsilon}",
            )
        return Promise(
            claim=self.to_dict(),
            holds=(
                f"Whatever a person did in any {tau} in a row, at least {k} published people fit it, the person among "
                "them, and none of them has a box there that the person could not have"
                + ("." if leak else f"; {beyond}.")
                + " Every box holds a sample of its person, and every sample of a person lies in a box of theirs or is "
                "left out."
            ),
            attacker=(
                f"Knows everything that a person did within one interval of {tau}, also when they did nothing, and how "
                f"the release was made; finds at least {k} published people who fit, and by taking the one who fits "
                f"most tightly is right at most once in {k} times."
            ),
            unit="person",
            not_covered=tuple(not_covered),
        )
