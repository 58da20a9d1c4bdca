"""Few synthetic people and their groups, made once."""

from functools import cache

import shoal
from shoal import synth
from shoal.mechanisms.glove.grouping import group_people
from shoal.reproduce.glove.boxes import Groups
from shoal.workers import workers


@cache
def people():
    return shoal.read(synth.cdr(90, 4, preset="civ", seed=5))


@cache
def groups(k):
    with workers() as crew:
        return Groups(people(), group_people(people(), k, 1.0, lambda *_: None, workers=crew))
