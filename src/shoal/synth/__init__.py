"""Synthetic data, calibrated to what the papers print about data that cannot be had.

`cdr` makes call detail records of a country or a city, `gps` dense traces with the truth about homes and
stays, `calls` call records with the truth about residents, commuters and visitors. `check` and `check_calls` set
the statistics of such records beside the papers'. All of them are pure: a seed in, Arrow tables out.
"""

from shoal.synth.call_presets import CALLS_PRESETS, CallsPreset
from shoal.synth.calls import CallsData, calls
from shoal.synth.cdr import cdr
from shoal.synth.check import Statistic, check
from shoal.synth.check_calls import check_calls
from shoal.synth.gps import GpsData, gps
from shoal.synth.presets import PRESETS, Preset

__all__ = [
    "CALLS_PRESETS",
    "PRESETS",
    "CallsData",
    "CallsPreset",
    "GpsData",
    "Preset",
    "Statistic",
    "calls",
    "cdr",
    "check",
    "check_calls",
    "gps",
]
