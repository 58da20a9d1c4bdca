"""The field's measures by plain loops over rows; nothing of the package is called.

A row is (uid, t0, t1, x0, x1, y0, y1) in seconds and metres, half open; a point has no extent. Rows of a uid are in
order of time.
"""

import itertools
import math
from fractions import Fraction


def tile(x, y, side):
    return math.floor(x / side), math.floor(y / side)


def covered(low, high, side):
    """The tiles along one side that a range touches, and its share in each."""
    if low == high:
        return {math.floor(low / side): Fraction(1)}
    first, last = math.floor(low / side), math.ceil(high / side) - 1
    return {i: Fraction(min(high, (i + 1) * side) - max(low, i * side), high - low) for i in range(first, last + 1)}


def tile_counts(rows, side):
    definite, expected, possible = {}, {}, {}
    for _, _, _, x0, x1, y0, y1 in rows:
        shares = {(i, j): p * q for i, p in covered(x0, x1, side).items() for j, q in covered(y0, y1, side).items()}
        for key, share in shares.items():
            expected[key] = expected.get(key, 0) + share
            possible[key] = possible.get(key, 0) + 1
            if len(shares) == 1:
                definite[key] = definite.get(key, 0) + 1
    return definite, expected, possible


def jensen_shannon(raw, published):
    """Of two dictionaries of counts, in bits."""
    a, b = sum(raw.values()), sum(published.values())
    if not a or not b:
        return 0.0 if a == b else 1.0
    bits = 0
    for key in raw.keys() | published.keys():
        p, q = raw.get(key, 0) / a, published.get(key, 0) / b
        for one in (p, q):
            if one > 1e-12:
                bits += one * math.log2(2 * one / (p + q)) / 2
    return bits


def smape(raw, published):
    a, b = sum(raw.values()), sum(published.values())
    if not raw:
        return 0.0
    if not b:
        return 2.0
    errors = []
    for key, count in raw.items():
        p, q = count / a, published.get(key, 0) / b
        errors.append(abs(p - q) / ((p + q) / 2))
    return sum(errors) / len(errors)


def kendall_tau(one, two):
    """Tau-b by all pairs."""
    agree = tied_one = tied_two = pairs = 0
    for i in range(len(one)):
        for j in range(i):
            a, b = one[i] - one[j], two[i] - two[j]
            agree += (a > 0) * (b > 0) + (a < 0) * (b < 0) - (a > 0) * (b < 0) - (a < 0) * (b > 0)
            tied_one += a == 0
            tied_two += b == 0
            pairs += 1
    if pairs in (tied_one, tied_two):
        return 1.0 if pairs == tied_one == tied_two else 0.0
    return agree / math.sqrt((pairs - tied_one) * (pairs - tied_two))


def in_top(counts, size):
    """Of each count: in which share of all orders, larger first, it is among the first; nothing counts that is zero."""
    orders = list(itertools.permutations(range(len(counts))))
    found = [0] * len(counts)
    for order in orders:
        for i in sorted(order, key=lambda i: -counts[i])[:size]:
            found[i] += counts[i] > 0
    return [one / len(orders) for one in found]


def chance_in_top(counts, size):
    """The same, by counting the choices among those that tie with the last one that fits in."""
    last = sorted(counts, reverse=True)[min(size, len(counts)) - 1]
    above, tied = sum(one > last for one in counts), counts.count(last)
    free = min(size, len(counts)) - above
    among = Fraction(math.comb(tied - 1, free - 1), math.comb(tied, free))
    return [(one > last) + (one == last) * among if one > 0 else 0 for one in counts]


def top_overlap(raw, published, size, in_top=in_top):
    """Of two dictionaries of counts: how many of the largest remain, beside how many would if nothing had changed."""
    if not any(raw.values()):
        return 1.0
    size = min(size, len(raw))
    keys = sorted(raw.keys() | published.keys())
    before, after = (in_top([counts.get(key, 0) for key in keys], size) for counts in (raw, published))
    return min(sum(a * b for a, b in zip(before, after, strict=True)) / sum(a * a for a in before), 1.0)


def steps(rows):
    return [(a, b) for a, b in itertools.pairwise(rows) if a[0] == b[0]]


def middle(row):
    return (row[3] + row[4]) / 2, (row[5] + row[6]) / 2


def flow_counts(rows, side):
    """Of each pair of tiles: the moves, each in nine parts unless both of its ends are in one tile."""
    ways = {}
    for a, b in steps(rows):
        whole = all(
            len(covered(row[3], row[4], side)) == 1 and len(covered(row[5], row[6], side)) == 1 for row in (a, b)
        )
        draws = (
            [(1, 1, 1, 1)] * 9 if whole else [(i, j, (i + j) % 3, (i + 2 * j) % 3) for i in range(3) for j in range(3)]
        )
        for i, j, k, m in draws:
            one = tile(a[3] + (a[4] - a[3]) * (2 * i + 1) / 6, a[5] + (a[6] - a[5]) * (2 * j + 1) / 6, side)
            two = tile(b[3] + (b[4] - b[3]) * (2 * k + 1) / 6, b[5] + (b[6] - b[5]) * (2 * m + 1) / 6, side)
            if one != two:
                ways[one, two] = ways.get((one, two), 0) + Fraction(1, 9)
    return ways


def certain_moves(rows, side):
    """How many moves leave their tile wherever in its boxes somebody was, and how many may leave it."""
    definite = possible = 0
    for a, b in steps(rows):
        one, two = (
            {(i, j) for i in covered(row[3], row[4], side) for j in covered(row[5], row[6], side)} for row in (a, b)
        )
        leaves = [p != q for p in one for q in two]
        definite += len(leaves) == 1 and leaves[0]
        possible += any(leaves)
    return definite, possible


def jumps(rows):
    return [math.dist(middle(a), middle(b)) for a, b in steps(rows)]


def shortest_and_longest_jumps(rows, cell):
    """Along each side all pairs of lines between cells are tried: the sides do not depend on each other."""
    shortest, longest = [], []
    for a, b in steps(rows):
        ways = [
            [abs(p - q) for p in range(a[i], a[i + 1] + 1, cell) for q in range(b[i], b[i + 1] + 1, cell)]
            for i in (3, 5)
        ]
        shortest.append(math.hypot(*map(min, ways)))
        longest.append(math.hypot(*map(max, ways)))
    return shortest, longest


def by_uid(rows):
    found = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return [found[uid] for uid in sorted(found)]


def gyration(rows):
    found = []
    for mine in by_uid(rows):
        places = [middle(row) for row in mine]
        centre = [sum(axis) / len(mine) for axis in zip(*places, strict=True)]
        square = sum(math.dist(place, centre) ** 2 for place in places) / len(mine)
        square += sum((row[4] - row[3]) ** 2 / 12 + (row[6] - row[5]) ** 2 / 12 for row in mine) / len(mine)
        found.append(math.sqrt(square))
    return found


def entropy(rows, side):
    found = []
    for mine in by_uid(rows):
        counts = {}
        for row in mine:
            key = tile(*middle(row), side)
            counts[key] = counts.get(key, 0) + 1
        found.append(-sum(c / len(mine) * math.log2(c / len(mine)) for c in counts.values()))
    return found


def hours(rows, clock_s=0, step=1):
    """Definite, expected and possible rows in each hour of the day, second by second; or in steps that all times are
    multiples of."""
    definite, expected, possible = [0] * 24, [0.0] * 24, [0] * 24
    for _, t0, t1, *_ in rows:
        seconds = range(t0 + clock_s, max(t1, t0 + 1) + clock_s, step)
        counts = [0] * 24
        for second in seconds:
            counts[second // 3600 % 24] += 1
        for hour, count in enumerate(counts):
            # A row that comes back to an hour on the next day was not in that hour alone.
            definite[hour] += count == len(seconds) <= 3600 // step
            expected[hour] += count / len(seconds)
            possible[hour] += count > 0
    return definite, expected, possible


def earth_mover(one, two):
    """By the quantile functions: both cut into as many equal pieces."""
    if not one or not two:
        return None if one or two else 0.0
    pieces = math.lcm(len(one), len(two))
    a = [value for value in sorted(one) for _ in range(pieces // len(one))]
    b = [value for value in sorted(two) for _ in range(pieces // len(two))]
    return sum(abs(p - q) for p, q in zip(a, b, strict=True)) / pieces


def circular_earth_mover(one, two):
    """The cheapest over all places at which the circle can be cut."""
    if not sum(one) or not sum(two):
        return 0.0 if sum(one) == sum(two) else None
    a, b = ([value / sum(counts) for value in counts] for counts in (one, two))
    best = math.inf
    for cut in range(len(a)):
        carried = cost = 0.0
        for i in range(len(a)):
            carried += a[(cut + i) % len(a)] - b[(cut + i) % len(a)]
            cost += abs(carried)
        best = min(best, cost)
    return best


def near(records, published, metres, seconds, distance):
    """Of each (person, t, place): whether that person has a published (person, t, place) near it."""
    return [
        any(p == q and abs(t - u) <= seconds and distance(a, b) <= metres for q, u, b in published)
        for p, t, a in records
    ]
