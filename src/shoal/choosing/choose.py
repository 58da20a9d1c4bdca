"""``shoal choose``: which mechanism, with which parameters, keeps what somebody needs under the strongest promise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.choosing.compare import PEOPLE, Bench, Row
from shoal.choosing.people import Source, drawn
from shoal.choosing.settings import Setting, settings_for
from shoal.choosing.strength import ATTACKERS, holds_against, strength
from shoal.contract.claims import Claim
from shoal.errors import DataError, ParameterError, did_you_mean
from shoal.measurement.nature import Nature
from shoal.mechanisms import registry
from shoal.progress import Progress, silent
from shoal.usefulness.within import Need

COARSER = (2, 4, 8)
"""How many times coarser a need is tried when none is met."""


@dataclass(frozen=True)
class Wish:
    """What somebody asks for.

    Attributes
    ----------
    need
        The distance and the time.
    share
        Of all raw samples, those left out being misses, that shall be near what is published.
    lose
        Largest share of samples that may be left out; None sets no limit, and nothing is left out on purpose.
    against
        Attackers that the promise must be about, names of :data:`~shoal.choosing.strength.ATTACKERS`.
    """

    need: Need
    share: float = 0.5
    lose: float | None = None
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A setting with its promise, and what came out."""

    row: Row
    claim: Claim

    @property
    def setting(self) -> Setting:
        return self.row.setting

    @property
    def share(self) -> float:
        return self.row.foretold.share if self.row.foretold else 0.0

    @property
    def lost(self) -> float:
        return float(self.row.figures["need"]["lost"]) if self.row.foretold else 1.0

    def meets(self, wish: Wish) -> bool:
        return (
            self.row.foretold is not None and self.share >= wish.share and (wish.lose is None or self.lost <= wish.lose)
        )


@dataclass(frozen=True)
class Choice:
    """The answer.

    Attributes
    ----------
    candidates
        All that were tried, the strongest promise first.
    chosen
        The first that meets the wish; None where none does.
    coarser
        Where none does: the need that the best one meets, each with its candidate's share.
    more_people
        Where none does: how many people the best one would take, if more people help at all.
    """

    wish: Wish
    nature: Nature
    people: int
    sample: int
    candidates: tuple[Candidate, ...]
    chosen: Candidate | None
    coarser: tuple[Need, float] | None = None
    more_people: int | None = None

    @property
    def best(self) -> Candidate | None:
        """The one that keeps most, whatever it promises."""
        able = [one for one in self.candidates if one.row.foretold]
        return max(able, key=lambda one: one.share) if able else None


def check_attackers(names: Sequence[str]) -> tuple[str, ...]:
    """Refuse attackers that no promise is about."""
    for name in names:
        if name not in ATTACKERS:
            known = ", ".join(ATTACKERS)
            raise ParameterError(f"--against {name}", expected=f"some of {known}", hint=did_you_mean(name, ATTACKERS))
    return tuple(names)


def choose(source: Source, wish: Wish, *, people: int | None = None, progress: Progress | None = None) -> Choice:
    """Try what suits and what promises enough on some of the people; take the strongest promise that keeps the need.

    Parameters
    ----------
    source
        The data.
    wish
        What is asked for.
    people
        Try on so many; by default on 2,000 or on all.
    progress
        Told about the steps.
    """
    tell = progress or silent
    nature = source.nature()
    if nature.name == "profiles":
        raise DataError(
            "profiles, which have neither metres nor minutes",
            expected="places and times",
            hint="shoal compare shows how far the values of profiles are off",
        )
    sample = drawn(source.people, people or PEOPLE)
    bench = Bench(source, sample, wish.need, None, tell, attacked=False, measured=False)
    settings = [one for setting in settings_for(nature.name) for one in _with_losses(setting, wish)]
    promising = [(setting, setting.made().claim) for setting in settings]
    promising = [(setting, claim) for setting, claim in promising if holds_against(claim, wish.against)]
    promising.sort(key=lambda one: strength(one[1]))
    candidates: list[Candidate] = []
    chosen: Candidate | None = None
    for number, (setting, claim) in enumerate(promising):
        if chosen and strength(claim) > strength(chosen.claim):
            break  # weaker promises need not be tried any more
        tell("mechanisms", number, len(promising))
        candidates.append(Candidate(bench.row(setting, wish.share), claim))
        # Of equal promises the one that keeps more.
        chosen = max((one for one in candidates if one.meets(wish)), key=lambda one: one.share, default=None)
    tell("mechanisms", len(promising), len(promising))
    answer = Choice(wish, nature, source.people, int(sample.size), tuple(candidates), chosen)
    return answer if chosen else _with_help(answer, bench)


def _with_losses(setting: Setting, wish: Wish) -> list[Setting]:
    """The setting, and where samples may be left out and the mechanism can choose which, with that share too."""
    option = registry.find(setting.mechanism).loses
    if not wish.lose or wish.lose >= 1 or option is None:
        return [setting]
    return [setting, Setting(setting.mechanism, {**setting.parameters, option: wish.lose})]


def _with_help(answer: Choice, bench: Bench) -> Choice:
    """Find out what would help the candidate that keeps most."""
    best, wish = answer.best, answer.wish
    if best is None or best.row.foretold is None:
        return answer
    coarser = None
    for times in COARSER:
        need = Need(times * wish.need.metres, times * wish.need.seconds)
        bench.need = need
        foretold = bench.row(best.setting).foretold
        if foretold and foretold.share >= wish.share:
            coarser = need, foretold.share
            break
    more = best.row.foretold.people_for(wish.share, answer.people)
    counted: dict[str, Any] = {"coarser": coarser, "more_people": None if more is None else round(more)}
    return Choice(wish, answer.nature, answer.people, answer.sample, answer.candidates, None, **counted)
