"""Window hiding audited by its words, slowly: every person, every interval, everybody else.

A sample is ``(t, x, y)``, a box ``(t0, t1, x0, x1, y0, y1)``, half open; all in slots. Nothing of the package is used.
"""

from fractions import Fraction


def holds(box, sample):
    t, x, y = sample
    t0, t1, x0, x1, y0, y1 = box
    return t0 <= t < t1 and x0 <= x < x1 and y0 <= y < y1


def covers(boxes, sample):
    return any(holds(box, sample) for box in boxes)


def who_fits(people, boxes, i, known):
    """People whose boxes cover at least as many of the known samples as i's own do."""
    own = sum(covers(boxes[i], sample) for sample in known)
    return [j for j in boxes if sum(covers(boxes[j], sample) for sample in known) >= own]


def ruled_out(boxes, samples, start, stop):
    """Whether one of these boxes lies inside the interval, and none of the samples lies in it."""
    inside = [box for box in boxes if start <= box[0] and box[1] - 1 <= stop]
    return any(not any(holds(box, sample) for sample in samples) for box in inside)


def leaks(people, boxes, i, crowd, start, stop, epsilon):
    far = [sample for sample in people[i] if sample[0] < start - epsilon or sample[0] > stop + epsilon]
    return any(all(covers(boxes[j], sample) for j in crowd) for sample in far)


def looseness(boxes, known):
    """The mean size of the smallest boxes around the known samples that these boxes cover."""
    sizes = [
        min((t1 - t0) * (x1 - x0 + y1 - y0) for t0, t1, x0, x1, y0, y1 in boxes if holds((t0, t1, x0, x1, y0, y1), s))
        for s in known
        if covers(boxes, s)
    ]
    return Fraction(sum(sizes), len(sizes))


def audit(people, boxes, k, tau, epsilon):
    """Return for each published person what the fast version counts.

    Parameters
    ----------
    people
        Samples of everybody, by person.
    boxes
        What is published, by person: all names of a person together.
    """
    times = [t for samples in people.values() for t, _, _ in samples]
    found = {}
    for i in boxes:
        if not people[i]:
            continue
        row = {
            **dict.fromkeys(("intervals", "few_cover", "few_left", "withheld", "leaking"), 0),
            "least_cover": None,
            "least_left": None,
            "tightest": Fraction(0),
        }
        for start in range(min(times), max(times) + 1):
            stop = start + tau
            known = [sample for sample in people[i] if start <= sample[0] <= stop]
            if not known:
                continue
            if not any(covers(boxes[i], sample) for sample in known):
                row["withheld"] += 1
                continue
            row["intervals"] += 1
            fitting = who_fits(people, boxes, i, known)
            left = [j for j in fitting if j == i or not ruled_out(boxes[j], people[i], start, stop)]
            row["few_cover"] += len(fitting) < k
            row["few_left"] += len(left) < k
            row["least_cover"] = min(len(fitting), row["least_cover"] or len(fitting))
            row["least_left"] = min(len(left), row["least_left"] or len(left))
            row["leaking"] += leaks(people, boxes, i, left, start, stop, epsilon)
            loose = {j: looseness(boxes[j], known) for j in left}
            tightest = [j for j in left if loose[j] == min(loose.values())]
            row["tightest"] += Fraction(int(i in tightest), len(tightest))
        found[i] = row
    return found
