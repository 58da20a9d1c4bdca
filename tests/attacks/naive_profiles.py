"""The risk of profiles with known cells, person by person and choice by choice (PRIMULE §4)."""

from itertools import combinations


def known_cells(weeks, first=None, any_of=None, cells=None):
    """All sets of cells that an attacker may know; cells are numbered, six a week."""
    if cells is not None:
        return [cells]
    chosen = [range(first or weeks)] if any_of is None else combinations(range(weeks), any_of)
    return [[6 * week + cell for week in some for cell in range(6)] for some in chosen]


def risks(rows, instances):
    """Risk of each person of (person, municipality, values) rows: the largest over places and instances."""
    result = {}
    for person, place, values in rows:
        for cells in instances:
            alike = sum(q == place and all(v[c] == values[c] for c in cells) for _, q, v in rows)
            result[person] = max(result.get(person, 0), 1 / alike)
    return result
