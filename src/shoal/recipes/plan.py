"""What a recipe would do, and about how long that takes; nothing is written."""

import time
from typing import Any, NamedTuple

from shoal.contract.durations import lasting
from shoal.contract.kinds import BOXES, POINTS, PROFILES
from shoal.errors import counted
from shoal.mechanisms.pace import PACES, Pace
from shoal.progress import Progress
from shoal.recipes.lock import lock_of
from shoal.recipes.ready import Ready, check
from shoal.recipes.recipe import Recipe
from shoal.recipes.sections import AUDIT, MEASURE, PROTECT, UTILITY
from shoal.recipes.spelling import said_of_keys
from shoal.recipes.steps import NOBODY, Listener, Source
from shoal.workers import processors

MEASURING, COMPARING = Pace(2, 0.2), Pace(3)
AUDITING = {BOXES: Pace(15), POINTS: Pace(6), PROFILES: Pace(250)}
"""Paces of the other steps, measured as those of the mechanisms were; auditing differs by what is published."""

_SOME = 5
"""Seconds below which no number is worth telling."""


class Step(NamedTuple):
    """One step: its name, what it does, and about how many seconds it takes (None: not known)."""

    name: str
    what: str
    seconds: float | None

    @property
    def about(self) -> str:
        return "not known" if self.seconds is None else about(self.seconds)


class Plan(NamedTuple):
    """What a recipe would do.

    Attributes
    ----------
    steps
        In their order.
    basis
        What the times rest on, in a sentence.
    writes
        What would be written.
    remarks
        What is worth knowing before.
    """

    steps: list[Step]
    basis: str
    writes: list[str]
    remarks: list[str]

    def to_dict(self) -> dict[str, Any]:
        return self._asdict() | {"steps": [step._asdict() for step in self.steps]}


def plan(
    recipe: Recipe,
    *,
    again: bool = False,
    update_lock: bool = False,
    listener: Listener = NOBODY,
    progress: Progress | None = None,
) -> Plan:
    """Read the input, refuse what a run would refuse, and estimate the rest; parameters as for ``follow``."""
    with said_of_keys():
        ready = check(recipe, update_lock=update_lock, progress=progress)
        source, start = Source(recipe, listener, progress), time.monotonic()
        people = source.as_(recipe.mechanism.takes)
        took = time.monotonic() - start
        if ready.book and not again:
            ready.book.check(people.ids, people.span_s)
    size = (len(people.ids), people.records, recipe.protect.threads or processors())
    steps = [Step("read", _files(ready), took), *_steps(recipe, *size)]
    words = f"{counted(size[0], 'person', 'people')}, {counted(size[1], 'sample', 'samples')}"
    basis = (
        f"reading was timed just now; the rest is an estimate from {words} and "
        f"{counted(size[2], 'thread', 'threads')}, at a pace of other data: it tells seconds from hours, no more"
    )
    return Plan(steps, basis, _writes(recipe, ready), ready.remarks)


def _steps(recipe: Recipe, people: int, samples: int, threads: int) -> list[Step]:
    steps = []
    if recipe.measure:
        sizes = ", ".join(map(str, recipe.measure.k))
        steps.append(Step(MEASURE, f"k = {sizes}", MEASURING.seconds(people, samples, threads)))
    mechanism = recipe.mechanism
    pace = PACES.get(mechanism.name)
    # In neighbourhoods everybody is compared with the neighbours only.
    compared = min(people, getattr(mechanism, "partition", None) or people)
    seconds = None if pace is None else pace.seconds(compared, samples, threads)
    words = ", ".join(f"{name} = {value}" for name, value in mechanism.parameters().items() if value is not None)
    steps.append(Step(PROTECT, f"{mechanism.name}: {words}", seconds))
    if recipe.audit:
        demand = f"at least {recipe.audit.require_k} candidates" if recipe.audit.require_k else "what is promised"
        steps.append(Step(AUDIT, demand, AUDITING[mechanism.gives].seconds(people, samples)))
    if recipe.utility:
        steps.append(Step(UTILITY, "what is left, and how accurate", COMPARING.seconds(people, samples)))
    return steps


def _files(ready: Ready) -> str:
    return counted(len(ready.pinned.inputs), "file", "files")


def _writes(recipe: Recipe, ready: Ready) -> list[str]:
    others = (recipe.output.measured, recipe.output.utility, lock_of(recipe.path))
    return [str(path.absolute()) for path in (ready.targets.release, ready.targets.secret, *others) if path is not None]


def about(seconds: float) -> str:
    """Spell an estimate with no more digits than it is worth.

    >>> about(0.3), about(34), about(420), about(50_000)
    ('some seconds', 'about 30 seconds', 'about 7 minutes', 'about 14 hours')
    """
    if seconds < _SOME:
        return "some seconds"
    for size, most in ((10, 95), (60, 3_600), (3_600, 1e12)):
        if seconds <= most:
            return f"about {lasting(max(size, round(seconds / size) * size))}"
    raise AssertionError
