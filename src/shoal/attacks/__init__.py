"""What strangers could try on a release, one file per attacker.

All of them work on :class:`~shoal.attacks.crowd.Crowd` (what is published: boxes, or points as boxes of one cell)
and on :class:`~shoal.attacks.crowd.Samples` (what the attacker knows). They return how many published individuals
fit what is known; a failed attack proves nothing.
"""

from shoal.attacks.assess import Risk, risk
from shoal.attacks.counts_only import counts_only
from shoal.attacks.crowd import Crowd, Samples
from shoal.attacks.home_work import home_work
from shoal.attacks.insider import Corners, read_off_corners
from shoal.attacks.intersection import companions, companions_by_chance
from shoal.attacks.interval import Rate, wilson
from shoal.attacks.linkage import Linkage
from shoal.attacks.outcome import Outcome
from shoal.attacks.past_data import past_data, split_in_time
from shoal.attacks.times_only import times_only
from shoal.attacks.top_places import top_places
from shoal.attacks.unicity import unicity
from shoal.attacks.whole_trace import linked_trace, whole_trace
from shoal.attacks.window import window

__all__ = [
    "Corners",
    "Crowd",
    "Linkage",
    "Outcome",
    "Rate",
    "Risk",
    "Samples",
    "companions",
    "companions_by_chance",
    "counts_only",
    "home_work",
    "linked_trace",
    "past_data",
    "read_off_corners",
    "risk",
    "split_in_time",
    "times_only",
    "top_places",
    "unicity",
    "whole_trace",
    "wilson",
    "window",
]
