"""What strangers could try on a release, one file per attacker.

All of them work on :class:`~shoal.attacks.crowd.Crowd` (what is published: boxes, or points as boxes of one cell)
and on :class:`~shoal.attacks.crowd.Samples` (what the attacker knows). They return how many published individuals
fit what is known; a failed attack proves nothing.
"""

from shoal.attacks.crowd import Crowd, Samples
from shoal.attacks.home_work import home_work
from shoal.attacks.interval import Rate, wilson
from shoal.attacks.outcome import Outcome
from shoal.attacks.times_only import times_only
from shoal.attacks.top_places import top_places
from shoal.attacks.unicity import unicity
from shoal.attacks.whole_trace import whole_trace

__all__ = [
    "Crowd",
    "Outcome",
    "Rate",
    "Samples",
    "home_work",
    "times_only",
    "top_places",
    "unicity",
    "whole_trace",
    "wilson",
]
