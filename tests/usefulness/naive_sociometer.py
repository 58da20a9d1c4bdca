"""The Sociometer's rules one profile at a time (PRIMULE §5), and two labellings counted pair by pair."""

from math import sqrt
from statistics import fmean, median

NAMES = ("resident", "dynamic_resident", "commuter", "visitor", "passing_by")


def archetypes(weeks):
    cells = [(week, kind, slot) for week in range(weeks) for kind in ("wd", "we") for slot in range(3)]
    yield "resident", [1 for _ in cells]
    yield "dynamic_resident", [not (kind == "wd" and slot == 1) for _, kind, slot in cells]
    yield "commuter", [kind == "wd" and slot == 1 for _, kind, slot in cells]
    for one in range(weeks):
        yield "visitor", [week == one for week, _, _ in cells]
        yield "visitor", [week == one and kind == "wd" for week, kind, _ in cells]
        yield "visitor", [week == one and kind == "we" for week, kind, _ in cells]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True)) / sqrt(sum(x * x for x in a)) / sqrt(sum(y * y for y in b))


def label(profile):
    """The class of a profile that is a prototype of its own."""
    active = [value for value in profile if value]
    if len(active) <= 1 and all(value < 0.5 for value in active):
        return "passing_by"
    return nearest(profile)


def f_score(true, found, name):
    hits = sum(a == b == name for a, b in zip(true, found, strict=True))
    if not (found.count(name) and true.count(name) and hits):
        return 0.0 if found.count(name) or true.count(name) else None
    precision, recall = hits / found.count(name), hits / true.count(name)
    return 2 * precision * recall / (precision + recall)


def nearest(profile):
    """The class of the archetype in whose direction a prototype lies."""
    best, name = -1.0, ""
    for this, archetype in archetypes(len(profile) // 6):
        near = cosine(profile, archetype)
        if near > best + 1e-9:
            best, name = near, this
    return name


def kept(true, found, name):
    """Of those who are of a class, the share that is found in it."""
    mine = [b for a, b in zip(true, found, strict=True) if a == name]
    return mine.count(name) / len(mine) if mine else None


def share(values):
    return fmean(values) if values else 0


def agreement(true, found):
    return {
        "profiles": len(true),
        "accuracy": share([a == b for a, b in zip(true, found, strict=True)]),
        "kept": {name: kept(true, found, name) for name in NAMES},
        "f_score": {name: f_score(true, found, name) for name in NAMES},
        "matrix": {a: {b: list(zip(true, found, strict=True)).count((a, b)) for b in NAMES} for a in NAMES},
    }


def ceiling(first, others):
    """How far other labellings agree with the first: on the mean, and the least."""

    def over(function, of):
        told = {name: [function(first, other, name) for other in others] for name in NAMES}
        return {name: None if None in values else of(values) for name, values in told.items()}

    return {
        "seeds": 1 + len(others),
        "accuracy": fmean(share([a == b for a, b in zip(first, other, strict=True)]) for other in others),
        "kept": over(kept, fmean),
        "kept_least": over(kept, min),
        "f_score": over(f_score, fmean),
    }


def by_town(towns, true, found):
    """F-scores of each class in the middle of all municipalities, and by how much its share is off on their mean."""
    scores, off = {name: [] for name in NAMES}, {name: [] for name in NAMES}
    for town in sorted(set(towns)):
        one, two = ([label for label, of in zip(side, towns, strict=True) if of == town] for side in (true, found))
        for name in NAMES:
            score = f_score(one, two, name)
            scores[name] += [] if score is None else [score]
            off[name].append(abs(one.count(name) - two.count(name)) / len(one))
    return {
        "f_score_median_municipality": {name: median(values) if values else None for name, values in scores.items()},
        "share_off_mean_municipality": {name: fmean(values) for name, values in off.items()},
    }


def flows(rows):
    """``rows``: (person, municipality, class). How many commute from where to where, and which share of the commuters
    has a home elsewhere; None where nobody commutes."""
    ways, commuters = {}, [(person, town) for person, town, label in rows if label == "commuter"]
    homes = [
        [home for other, home, label in rows if other == person and label == "dynamic_resident"]
        for person, _ in commuters
    ]
    for (_, work), some in zip(commuters, homes, strict=True):
        for home in some:
            ways[home, work] = ways.get((home, work), 0) + 1
    return ways, share([bool(some) for some in homes]) if commuters else None


def census(profiles, seeds):
    """``profiles``: by uid and municipality. What is told of them where every profile is a prototype of its own."""
    labels = [label(values) for values in profiles.values()]
    return {
        "profiles": len(profiles),
        "people": len({uid for uid, _ in profiles}),
        "municipalities": len({town for _, town in profiles}),
        "weeks": len(next(iter(profiles.values()))) // 6,
        "seeds": seeds,
        "classes": {
            name: {
                "profiles": labels.count(name),
                "share": labels.count(name) / len(labels),
                "low": labels.count(name),
                "high": labels.count(name),
            }
            for name in NAMES
        },
    }
