"""Names for the ways in which groups can be published, and for what may be left out."""

from dataclasses import dataclass
from typing import Literal

Way = Literal["paper", "split", "hull", "kmerge"]

WAYS: dict[Way, str] = {
    "paper": "paper's boxes, not reshaped",
    "split": "split at overlaps",
    "hull": "hull of overlaps (publish=merge)",
    "kmerge": "k-merge (publish=kmerge)",
}


@dataclass(frozen=True, slots=True)
class Suppression:
    """What may be left out: boxes beyond thresholds, or (k-merge only) a share of the samples."""

    km: float | None = None
    hours: float | None = None
    share: float = 0

    def __str__(self) -> str:
        """Name it.

        >>> str(Suppression()), str(Suppression(15, 6)), str(Suppression(share=0.083))
        ('nothing', '15 km, 6 h', '8.3 %')
        """
        limits = [f"{value:g} {unit}" for value, unit in ((self.km, "km"), (self.hours, "h")) if value is not None]
        return ", ".join(limits) or (f"{self.share * 100:g} %" if self.share else "nothing")


NOTHING = Suppression()
