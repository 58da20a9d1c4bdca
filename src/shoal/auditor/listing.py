"""The list of what is withheld against the original: which sample is listed, and why."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints, Samples
from shoal.attacks.packing import keys
from shoal.contract.reasons import REASONS

Mask = NDArray[np.bool_]

_CODES = {name: code for code, name in enumerate(REASONS, start=1)}
_OTHER = len(_CODES) + 1
_PER_GROUP = [reason.name for reason in REASONS.values() if reason.per_group and not reason.whole_person]


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """What the list says of each sample.

    Attributes
    ----------
    code
        Of each sample: 0 where it is not listed, otherwise its reason.
    unknown
        Rows of the list for which there is no sample.
    """

    code: NDArray[np.int8]
    unknown: int

    @property
    def listed(self) -> Mask:
        return np.asarray(self.code > 0)

    def of(self, *reasons: str) -> Mask:
        """Tell which samples are listed for one of these reasons."""
        wanted = np.zeros(_OTHER + 1, np.bool_)
        wanted[[_CODES[name] for name in reasons]] = True
        return wanted[self.code]

    def take(self, rows: Ints) -> "Listing":
        """Return what it says of these samples alone; rows without a sample are none of theirs."""
        return Listing(self.code[rows], 0)

    @property
    def per_group(self) -> Mask:
        """Tell which samples are listed for a reason that takes a whole group at a time."""
        return self.of(*_PER_GROUP)


def listing(samples: Samples, ids: pl.Series, suppressed: pl.DataFrame) -> Listing:
    """Match the list with the samples, by person, time and place.

    Parameters
    ----------
    samples
        The original on its grid.
    ids
        The person of each number that ``samples.owner`` has.
    suppressed
        The list; rows of whole people are passed over.
    """
    code = np.zeros(samples.t.size, np.int8)
    people = pl.DataFrame({"original_uid": ids}).with_row_index("person")
    rows = suppressed.filter(pl.col("t").is_not_null()).join(people, on="original_uid", how="left")
    if not rows.height:
        return Listing(code, 0)
    rows = rows.sort("person", maintain_order=True)
    person = rows["person"].cast(pl.Int64).fill_null(-1).to_numpy()
    t = rows["t"].dt.epoch("s").to_numpy()
    x, y = (rows[name].cast(pl.Int64).to_numpy() for name in ("x", "y"))
    reason = rows["reason"].replace_strict(_CODES, default=_OTHER, return_dtype=pl.Int8).to_numpy()
    unknown = int((person < 0).sum())
    for low, part in samples.parts():
        listed = slice(*np.searchsorted(person, (low, low + len(part))))
        theirs = person[listed] - low, t[listed], x[listed], y[listed]
        at, known = _found(*keys((part.owner, part.t, part.x, part.y), theirs))
        here = code[samples.offsets[low] : samples.offsets[low + len(part)]]
        here[at[known]] = reason[listed][known]
        unknown += int((~known).sum())
    return Listing(code, unknown)


def _found(ours: Ints, theirs: Ints) -> tuple[Ints, Mask]:
    """Return where each of theirs stands among ours, which ascend, and whether it does."""
    if not ours.size:
        return np.zeros(theirs.size, np.int64), np.zeros(theirs.size, np.bool_)
    at = np.minimum(np.searchsorted(ours, theirs), ours.size - 1)
    return at, np.asarray(ours[at] == theirs)
