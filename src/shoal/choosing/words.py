"""What ``shoal choose`` answers, in a few lines."""

from shoal.choosing.choose import Candidate, Choice
from shoal.choosing.settings import suiting
from shoal.choosing.strength import in_words
from shoal.contract.claims.advice import groups_of_two


def kept(candidate: Candidate) -> str:
    """Say what a candidate keeps, with its error."""
    foretold = candidate.row.foretold
    if foretold is None:
        return "cannot be run"
    if foretold.crowd is not None:
        return f"{foretold.share:.0%} with {foretold.crowd:,} people"
    return f"{foretold.share:.0%} ± {max(foretold.error, 0.001):.1%}"


def whys(found: Choice) -> list[str]:
    """Say why, in about five lines."""
    lines = [f"The data: {found.people:,} people; {found.nature.words}."]
    if found.chosen:
        lines += _of_the_chosen(found, found.chosen)
    else:
        lines += _of_none(found)
    lines.append(_how_it_is_known(found))
    return lines


def _of_the_chosen(found: Choice, chosen: Candidate) -> list[str]:
    wish = found.wish
    lines = [
        f"The promise: {in_words(chosen.claim)}.",
        f"Kept: {kept(chosen)} of all raw samples lie within {wish.need} of what is published "
        f"({wish.share:.0%} were asked for); {chosen.lost:.1%} are left out.",
    ]
    before = found.candidates[: found.candidates.index(chosen)]
    if before:
        told = "; ".join(f"{one.setting.typed} {kept(one)}" for one in before)
        lines.append(f"Stronger promises keep too little: {told}.")
    return lines + _not_for_it(found) + [words for words in [groups_of_two(chosen.claim)] if words]


def _not_for_it(found: Choice) -> list[str]:
    """Name mechanisms that are made for other data, and keep too little of these."""
    made_for = set(suiting(found.nature.name))
    able = {one.setting.mechanism for one in found.candidates if one.meets(found.wish)}
    unfit = sorted({one.setting.mechanism for one in found.candidates} - made_for - able)
    return (
        [f"Not for such data: {', '.join(unfit)} (people are seen too rarely to be hidden in a crowd)."]
        if unfit
        else []
    )


def _of_none(found: Choice) -> list[str]:
    best, wish = found.best, found.wish
    if best is None:
        return ["No mechanism with such a promise can be run on these data."]
    lines = [
        f"None keeps {wish.share:.0%} within {wish.need}"
        + (f" and leaves out at most {wish.lose:.0%}" if wish.lose is not None else "")
        + f". The best: {best.setting.typed} keeps {kept(best)}, and leaves out {best.lost:.1%}."
    ]
    lines += _not_for_it(found)
    helps = []
    if found.coarser:
        helps.append(f"a coarser need ({found.coarser[0]} holds for {found.coarser[1]:.0%})")
    if found.more_people:
        helps.append(f"more people (about {_rounded(found.more_people)}, as far as crowds of this sort tell)")
    helps += ["shorter periods, each published with uids of its own", "counts of people instead of traces"]
    if wish.against:
        helps.append("a weaker attacker than --against names")
    return [*lines, "What would help: " + "; ".join(helps) + "."]


def _rounded(people: int) -> str:
    digits = 10 ** max(len(str(people)) - 2, 0)
    return f"{-(-people // digits) * digits:,}"


def _how_it_is_known(found: Choice) -> str:
    if found.sample == found.people:
        words = "Measured on all people; ± is one standard error if other people had been drawn."
    else:
        words = (
            f"Measured on {found.sample:,} people drawn at random; where a crowd matters, on halves and quarters of "
            f"them too, and carried on to all {found.people:,}. ± is one standard error."
        )
    if any(one.row.foretold and one.row.foretold.crowd for one in found.candidates):
        words += " What keeps far too little with few people was not tried with more."
    return words
