"""What is in the data, and how hard these people are to hide."""

from shoal.measure.overview import Overview, overview

__all__ = ["Overview", "overview"]
