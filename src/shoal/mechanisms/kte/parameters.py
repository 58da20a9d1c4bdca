"""The parameters of kte, checked once, and the way from traces to a release."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from shoal.contract.claims import WindowHiding
from shoal.contract.durations import lasting
from shoal.contract.kinds import BOXES, Kind
from shoal.data import Traces
from shoal.data.grid import Grid
from shoal.errors import DataError, ParameterError, given
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.neighbourhoods import MOST_PEOPLE, refuse_too_small
from shoal.mechanisms.options import choice, duration, whole
from shoal.release import Protected

if TYPE_CHECKING:
    from shoal.mechanisms.kte.decide import Decision

LARGEST_K = 10_000
MOST_EPOCHS = 62
"""In a window, less one: whether somebody is there in each of them is kept in the bits of a number."""

PER_MILLE = 1000
"""Digits of the share that is told of leaks: rounded up."""


@dataclass(frozen=True)
class Kte(Mechanism):
    """Whatever a person did in any interval of ``tau``, at least ``k`` published people fit it (kte §II, §III).

    Deviates from the paper, whose construction breaks its promise: see :mod:`shoal.mechanisms.kte.windows`.

    Attributes
    ----------
    k
        Least number of people who fit.
    tau
        Longest interval of which the attacker knows everything: seconds, or text such as ``"60m"``.
    epsilon
        How far beyond that interval those who fit may still have something in common; tau is a multiple of it.
    variant
        ``repaired``, or ``paper``: the construction as printed, for comparison.
    partition
        Hide people within neighbourhoods of at most so many; off by default.

    >>> Kte(k=2, tau="1h", epsilon="30m").claim
    WindowHiding(k=2, tau_s=3600, epsilon_s=1800)
    """

    name: ClassVar[str] = "kte"
    summary: ClassVar[str] = "Hide every stretch of every life among k people, others from window to window."
    example: ClassVar[str] = "--k 2 --tau 60m --epsilon 60m"
    takes: ClassVar[type[Traces]] = Traces
    gives: ClassVar[Kind] = BOXES
    compiles: ClassVar[bool] = True
    suits: ClassVar[tuple[str, ...]] = ("calls",)
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {"k": 2, "tau": "4h", "epsilon": "4h"},
        {"k": 2, "tau": "60m", "epsilon": "60m"},
    )
    in_a_crowd: ClassVar[bool] = True

    k: int = whole(default=2, help="Least number of people who fit.", low=2, high=LARGEST_K)
    tau: int = duration(default="60m", help="Longest interval of which an attacker knows everything.")
    epsilon: int = duration(default="60m", help="How far beyond it he may learn more; tau is a multiple of it.")
    variant: Literal["repaired", "paper"] = choice(
        "repaired", "paper", help="paper: the construction as printed, which breaks its promise."
    )
    partition: int | None = whole(
        default=None, help="Hide people within neighbourhoods of at most so many.", low=1, high=MOST_PEOPLE
    )

    def _check_together(self) -> None:
        if self.tau % self.epsilon:
            raise ParameterError(
                f"{given('tau', self.tau)} with {given('epsilon', self.epsilon)} (seconds)",
                expected="`tau` a whole multiple of `epsilon`",
                hint="take them equal, for example an hour each",
            )
        refuse_too_small(self.partition, self.k)
        if self.partition is not None and self.variant == "paper":
            raise ParameterError(
                "`partition` with `variant='paper'`",
                expected="`variant='repaired'`, or no neighbourhoods",
                hint="the paper's construction is kept as printed, for comparison at small sizes",
            )

    @property
    def claim(self) -> WindowHiding:
        return WindowHiding(self.k, self.tau, self.epsilon)

    def slots(self, grid: Grid) -> tuple[int, int]:
        """Tau and epsilon in steps of the grid."""
        if self.epsilon % grid.dt_s:
            raise ParameterError(
                f"{given('epsilon', self.epsilon)} on a grid of {grid.dt_s} seconds",
                expected=f"a whole multiple of {grid.dt_s} seconds",
                hint="choose a multiple, or read the data on a finer grid (`grid.dt_s`)",
            )
        return self.tau // grid.dt_s, self.epsilon // grid.dt_s

    def _protect(self, people: Traces, run: Run) -> Protected:
        # The kernels, and numba with them, are loaded when there is work for them.
        from shoal.mechanisms.kte.decide import decide
        from shoal.mechanisms.kte.hiding import epochs_of
        from shoal.mechanisms.kte.publication import hiding_table, published_boxes, withheld_list

        slots = self.slots(people.grid)
        if len(people) < self.k:
            raise DataError(
                f"fewer people than k = {self.k}", expected=f"at least {self.k} people", hint="lower `k`, or add people"
            )
        several = self.variant == "paper" or epochs_of(people, *slots).windows > 1
        if several and self.tau // self.epsilon > MOST_EPOCHS:
            raise ParameterError(
                f"{given('tau', self.tau)} with {given('epsilon', self.epsilon)} (seconds)",
                expected=f"`tau` at most {MOST_EPOCHS} times `epsilon`, or longer than the data",
                hint="the shorter epsilon, the more must be suppressed; take them equal",
            )
        decision = decide(people, *slots, self.k, self.variant, run, self.partition)
        hiding = decision.hiding
        return Protected(
            payload=published_boxes(people, decision.drawing),
            withheld=withheld_list(people, hiding),
            facts=self._leaks(decision),
            run={"epochs": hiding.epochs.count, "windows": hiding.epochs.windows, "pairs": int(hiding.window.size)},
            tables={"hiding": hiding_table(people, hiding)},
            remarks=self._remarks(one_window=hiding.epochs.windows == 1),
        )

    def _leaks(self, decision: "Decision") -> dict[str, float]:
        """What the manifest tells of leaks: for pairs, and for groups, whose members tell all to who knows the end."""
        if self.k > 2 and decision.hiding.epochs.windows > 1:
            return {}
        return {"far_leak_share": math.ceil(PER_MILLE * decision.leaking / max(1, decision.intervals)) / PER_MILLE}

    def _remarks(self, *, one_window: bool) -> tuple[str, ...]:
        """Say where the release is not what its name suggests."""
        remarks = []
        if self.variant == "paper":
            remarks.append("the construction as printed breaks its own promise: the audit will say so; not for release")
        elif one_window:
            remarks.append(
                f"tau and epsilon ({lasting(self.tau)} and {lasting(self.epsilon)}) cover all of the data: "
                f"everybody is in a group of {self.k} or more with the same boxes (k-anonymity)"
            )
        return tuple(remarks)
