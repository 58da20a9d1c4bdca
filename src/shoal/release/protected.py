"""What a mechanism hands over: what is to be published, what was withheld, and what there is to say about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from shoal.data import Boxes, Grid, Points, Profiles
from shoal.release import suppressed

Payload = Boxes | Points | Profiles


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Findings:
    """What there is to say about what a mechanism did.

    Attributes
    ----------
    grid
        What published boxes are aligned to; by default the grid that they are counted in.
    withheld
        What was left out, as :mod:`shoal.release.suppressed` lists it; who was screened is added by others.
    facts
        What the manifest publishes beside the parameters. Where it names one of them, it is the value that took effect.
    budgets
        Composed privacy budgets, where the claim has any: name to value.
    run
        Facts for the publisher's own eyes.
    tables
        More tables for the secret directory, by the name of their file without its ending.
    remarks
        Sentences for whoever runs it; they are told and kept nowhere.
    """

    grid: Grid | None = None
    withheld: pa.Table = field(default_factory=suppressed.none)
    facts: Mapping[str, object] = field(default_factory=dict)
    budgets: Mapping[str, float] = field(default_factory=dict)
    run: Mapping[str, object] = field(default_factory=dict)
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Protected(Findings):
    """The result of a mechanism.

    Attributes
    ----------
    payload
        What is to be published, still with its true owners.
    """

    payload: Payload

    def __repr__(self) -> str:
        return f"Protected({self.payload!r}, {self.withheld.num_rows:,} withheld)"
