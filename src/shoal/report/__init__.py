"""Pictures and pages made from results; nothing is computed here."""

from shoal.report.chart import Chart, Series

__all__ = ["Chart", "Series"]
