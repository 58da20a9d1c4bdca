"""PRUDEnce by enumeration, from the definitions: every instance, everybody, one after the other.

People are lists of (time, place). Nothing of the package is called here.
"""

from collections import Counter
from itertools import combinations


def risk(people, target, family, size, *, step=60, tolerance=0.0):
    """Return the risk of one person: the largest 1 / matches over all instances."""
    if family == "home-work":
        pair = home_work(people[target])
        return 1 / sum(pair <= home_work(person) for person in people)
    matches = MATCHES[family]
    known = KNOWN[family](people[target], step)
    count = len(known) if size is None else min(size, len(known))
    return max(
        1 / sum(matches(KNOWN[family](person, step), instance, tolerance) for person in people)
        for instance in combinations(known, count)
    )


def home_work(person):
    visits = Counter(place for _, place in person)
    return set(sorted(visits, key=lambda place: (-visits[place], place))[:2])


def in_order(person, step):
    return [place for _, place in sorted(person)]


def in_time(person, step):
    return [(place, t // step) for t, place in person]


def frequencies(person, step):
    return sorted(Counter(place for _, place in person).items())


def probabilities(person, step):
    return [(place, count / len(person)) for place, count in frequencies(person, step)]


def holds_multiset(other, instance, tolerance):
    return not Counter(instance) - Counter(other)


def holds_sequence(other, instance, tolerance):
    rest = iter(other)
    return all(place in rest for place in instance)


def holds_places(other, instance, tolerance):
    return {place for place, _ in instance} <= {place for place, _ in other}


def holds_values(other, instance, tolerance):
    theirs = dict(other)
    return all(place in theirs and close(value, theirs[place], tolerance) for place, value in instance)


def holds_proportions(other, instance, tolerance):
    theirs = dict(other)
    if not holds_places(other, instance, tolerance):
        return False
    most, their_most = max(v for _, v in instance), max(theirs[p] for p, _ in instance)
    return all(close(value / most, theirs[place] / their_most, tolerance) for place, value in instance)


def close(value, theirs, tolerance):
    return theirs - theirs * tolerance <= value <= theirs + theirs * tolerance


KNOWN = {
    "location": in_order,
    "sequence": in_order,
    "location-time": in_time,
    "unique-location": frequencies,
    "frequency": frequencies,
    "probability": probabilities,
    "proportion": frequencies,
}
MATCHES = {
    "location": holds_multiset,
    "sequence": holds_sequence,
    "location-time": holds_multiset,
    "unique-location": holds_places,
    "frequency": holds_values,
    "probability": holds_values,
    "proportion": holds_proportions,
}
