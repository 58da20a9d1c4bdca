"""The Sociometer's rules one profile at a time (PRIMULE §5), and two labellings counted pair by pair."""

from math import sqrt

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
    best, name = -1.0, ""
    for this, archetype in archetypes(len(profile) // 6):
        near = cosine(profile, archetype)
        if near > best + 1e-9:
            best, name = near, this
    return name


def f_score(true, found, name):
    hits = sum(a == b == name for a, b in zip(true, found, strict=True))
    if not (found.count(name) and true.count(name) and hits):
        return 0.0 if found.count(name) or true.count(name) else None
    precision, recall = hits / found.count(name), hits / true.count(name)
    return 2 * precision * recall / (precision + recall)
