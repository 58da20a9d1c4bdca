"""Mechanisms that protect everybody alone: what becomes of a person does not depend on who else is there.

Such work can be divided at will, person by person. What is told about all of it, budgets for instance, is computed in
the end from what was counted on the way.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.data.layout import Ints64, Span
from shoal.mechanisms.base import Mechanism, Run
from shoal.release import Findings, Protected, suppressed
from shoal.release.protected import Payload

Tally = Mapping[str, Ints64]
"""Numbers per person or per piece, by name."""


@dataclass(frozen=True, eq=False, slots=True)
class Some:
    """The result for some people.

    Attributes
    ----------
    payload
        What is to be published of them.
    withheld, tables
        As in :class:`shoal.release.Findings`.
    tally
        What was counted, for the account in the end.
    """

    payload: Payload
    withheld: pa.Table = field(default_factory=suppressed.none)
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    tally: Tally = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Alone(Mechanism):
    """A mechanism that protects everybody alone."""

    @abstractmethod
    def _protect_some(self, people: Any, run: Run) -> Some:
        """Protect some people, at least one."""

    @abstractmethod
    def _account(self, tally: Tally) -> Findings:
        """Say what there is to say about all people, from what was counted; refuse a result that is none."""

    def _protect(self, people: Any, run: Run) -> Protected:
        some = self._protect_some(people, run)
        return Protected(payload=some.payload, **vars_of(self._found([some])))

    def _found(self, parts: Iterable["Some | Beside"]) -> Findings:
        """Put together what was found on all people, in the order of the parts."""
        parts = list(parts)
        names = parts[0].tally.keys()
        found = self._account({name: np.concatenate([part.tally[name] for part in parts]) for name in names})
        tables = {name: pa.concat_tables([part.tables[name] for part in parts]) for name in parts[0].tables}
        withheld = suppressed.concat(*(part.withheld for part in parts))
        return Findings(**{**vars_of(found), "withheld": withheld, "tables": tables})


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Beside:
    """What is known of some people beside what is published of them: it goes to whoever keeps the books.

    Attributes
    ----------
    screened
        Identifiers of those who did not take part.
    mapping
        Who is who; None where nobody took part.
    withheld, tables, tally
        As in :class:`Some`.
    people, records, span_s
        How many took part, their records, and the time that these cover.
    anew
        Whether kernels were compiled here for this process alone.
    """

    screened: pa.Array
    mapping: pa.Table | None = None
    withheld: pa.Table = field(default_factory=suppressed.none)
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    tally: Tally = field(default_factory=dict)
    people: int = 0
    records: int = 0
    span_s: Span = (0, 0)
    anew: bool = False


def vars_of(found: Findings) -> dict[str, Any]:
    """The fields of findings, by name."""
    return {one.name: getattr(found, one.name) for one in fields(Findings)}
