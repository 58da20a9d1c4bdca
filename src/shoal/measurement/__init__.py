"""What is in the data, and how hard these people are to hide."""

from shoal.measurement.kgap import KGap, measure
from shoal.measurement.overview import Overview, overview

__all__ = ["KGap", "Overview", "measure", "overview"]
