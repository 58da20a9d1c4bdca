"""The measures of Promesse §V by plain loops, from the paper; nothing of the package is called.

A trace is a list of ``(t, lat, lng)``, t in seconds. Distances are geodesics.
"""

import math
from itertools import chain
from statistics import fmean

import numpy as np
from pyproj import Geod

EARTH = Geod(ellps="WGS84")


def distance(a, b):
    return EARTH.inv(a[-1], a[-2], b[-1], b[-2])[2]


def cut(trace, gap=4 * 3600):
    """Cut a trace where the next point comes after ``gap`` or more."""
    traces = []
    for point in trace:
        if not traces or point[0] - traces[-1][-1][0] >= gap:
            traces.append([])
        traces[-1].append(point)
    return traces


def stays(trace, diameter=200, least=15 * 60):
    """Runs in which every point is within ``diameter`` of every other, and which last."""
    found, run = [], []

    def lasts():
        return len(run) >= 2 and run[-1][0] - run[0][0] >= least

    for point in trace:
        while not all(distance(point, other) <= diameter for other in run):
            if lasts():
                found.append(run)
                run = []
            else:
                run = run[1:]
        run = [*run, point]
    if lasts():
        found.append(run)
    return found


def place(points):
    return fmean(p[-2] for p in points), fmean(p[-1] for p in points)


def pois(trace):
    """Of each stay: the middle of its time, and its place."""
    return [((run[0][0] + run[-1][0]) / 2, *place(run)) for run in stays(trace)]


def joined(places, reach=100):
    """Each goes to the nearest group that began within reach."""
    groups = []
    for one in sorted(places):
        near = [(distance(one, group[0]), i) for i, group in enumerate(groups)]
        near = [(far, i) for far, i in near if far <= reach]
        if near:
            groups[min(near)[1]].append(one)
        else:
            groups.append([one])
    return [place(group) for group in groups]


def retrieval(true, published, reach=100):
    """Precision, recall, F, and how many distinct true places were found."""
    matched = set()
    for one in published:
        near = [(distance(one, other), i) for i, other in enumerate(true)]
        near = [(far, i) for far, i in near if far <= reach]
        if near:
            matched.add(min(near)[1])
    if not matched:
        return 0, 0, 0, 0
    precision, recall = len(matched) / len(published), len(matched) / len(true)
    return precision, recall, 2 * precision * recall / (precision + recall), len(matched)


def retrievals(true, parts):
    """Of each trace, and of each person with stays joined: how many places are true, how many are published, and the
    retrieval. ``true`` has the traces of each person, ``parts`` what is published of each."""
    per_trace, per_person = [], []
    for person, traces in true.items():
        places, found = [pois(trace) for trace in traces], [[] for _ in traces]
        for poi in (poi for part in parts[person] for trace in cut(part) for poi in pois(trace)):
            away = [max(trace[0][0] - poi[0], poi[0] - trace[-1][0], 0) for trace in traces]
            found[away.index(min(away))].append(poi)
        per_trace += [(len(a), len(b), retrieval(a, b)) for a, b in zip(places, found, strict=True)]
        a, b = joined(chain(*places)), joined(chain(*found))
        per_person.append((len(a), len(b), retrieval(a, b)))
    return per_trace, per_person


def spatial_error(point, traces):
    """How far a point ``(lat, lng)`` lies from the nearest segment: tries many places of each, and between them."""
    best = math.inf
    for trace in traces:
        for a, b in zip(trace, trace[1:] or trace, strict=False):
            azimuth, _, length = EARTH.inv(a[2], a[1], b[2], b[1])
            low, high = 0.0, length
            for _ in range(5):
                tried = np.linspace(low, high, 100)
                same = np.ones(100)
                lng, lat, _ = EARTH.fwd(a[2] * same, a[1] * same, azimuth * same, tried)
                away = EARTH.inv(lng, lat, point[1] * same, point[0] * same)[2]
                nearest, step = tried[away.argmin()], tried[1] - tried[0]
                low, high = max(nearest - step, 0), min(nearest + step, length)
            best = min(best, away.min())
    return best


def crosses(trace, middle, hours, half_diagonal):
    """Whether a record lies within half the hours of ``middle`` and in the square around it."""
    t0, lat0, lng0 = middle
    half = half_diagonal / math.sqrt(2)
    # A degree of longitude is as long as the parallel's circle is large.
    e2 = EARTH.es
    parallel = EARTH.a * math.cos(math.radians(lat0)) / math.sqrt(1 - e2 * math.sin(math.radians(lat0)) ** 2)
    for t, lat, lng in trace:
        if abs(t - t0) > hours * 1800:
            continue
        north = distance((lat0, lng0), (lat, lng0))
        turn = math.remainder(lng - lng0, 360)
        if north <= half and abs(math.radians(turn)) * parallel <= half:
            return True
    return False


def box_crossings(people, query):
    """Definite, possible and expected number of people; boxes and the query are ``(t, dt, x, dx, y, dy)``."""
    definite = possible = expected = 0
    for boxes in people:
        inside, touched, missed = False, False, 1
        for box in boxes:
            share = 1
            for i in (0, 2, 4):
                low, high = max(box[i], query[i]), min(box[i] + box[i + 1], query[i] + query[i + 1])
                share *= max(high - low, 0) / box[i + 1]
            inside |= share == 1
            touched |= share > 0
            missed *= 1 - share
        definite += inside
        possible += touched
        expected += 1 - missed
    return definite, possible, expected
