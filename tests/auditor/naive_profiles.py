"""Slow, plain versions of what the auditor does with profiles, from the definitions; they call none of its code."""

import math
from collections import Counter, defaultdict
from fractions import Fraction


def agreeing(rows, cells):
    """How many rows (dicts with a municipality) agree with each one on some cells, in its municipality; itself too."""
    return [
        sum(
            other["municipality"] == row["municipality"] and all(other[name].hex() == row[name].hex() for name in cells)
            for other in rows
        )
        for row in rows
    ]


def people_agreeing(rows, cells, people):
    """The same in different people: one for each row."""
    found = []
    for row in rows:
        same = {
            person
            for other, person in zip(rows, people, strict=True)
            if other["municipality"] == row["municipality"] and all(other[name] == row[name] for name in cells)
        }
        found.append(len(same))
    return found


def crowds(rows):
    """How many rows the municipality of each has."""
    sizes = Counter(row["municipality"] for row in rows)
    return [sizes[row["municipality"]] for row in rows]


def wrong_means(published, true, cells):
    """Rows with a value that is not the exact mean of what was recorded of those who share it, up to rounding."""
    groups = defaultdict(list)
    for number, row in enumerate(published):
        groups[(row["municipality"], *(row[name] for name in cells))].append(number)
    wrong = set()
    for members in groups.values():
        for name in cells:
            mean = sum(Fraction(true[number][name]) for number in members) / len(members)
            wrong |= {
                number for number in members if abs(Fraction(published[number][name]) - mean) > Fraction(1, 10**9)
            }
    return wrong


def noise_chances(epsilon, widest):
    """The chance of each number of steps, by adding up what it is in proportion to; exact up to what is left out."""
    weights = {z: math.exp(-epsilon * abs(z) / 1000) for z in range(-widest, widest + 1)}
    whole = math.fsum(weights.values())
    return {z: weight / whole for z, weight in weights.items()}


def cut_chances(epsilon, base, widest):
    """The chance of each published step from a recorded one, after cutting."""
    found = defaultdict(float)
    for z, chance in noise_chances(epsilon, widest).items():
        found[min(max(base + z, 0), 1000)] += chance
    return found


def budget_of_people(epsilon, cells, rows):
    """What each person's cells add up to; rows are (person, municipality)."""
    return {person: epsilon * cells * count for person, count in Counter(person for person, _ in rows).items()}


def nearest_is_right(known, published, own):
    """The chance that the nearest of some profiles is the own one, ties shared; all are lists of numbers."""
    distances = [sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(known, row, strict=True)) for row in published]
    nearest = [number for number, distance in enumerate(distances) if distance == min(distances)]
    return Fraction(own in nearest, len(nearest))
