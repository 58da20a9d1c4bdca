"""What window hiding promises, counted by brute force from its definition (kte §II-C; no code of the package is used).

People are a dictionary: name to samples (t, x, y). Published are boxes (t0, t1, x0, x1, y0, y1), half open, by name. An
interval is s .. s + tau, both slots included, for every slot s from the first sample of all to the last.
"""


def inside(sample, box):
    (t, x, y), (t0, t1, x0, x1, y0, y1) = sample, box
    return t0 <= t < t1 and x0 <= x < x1 and y0 <= y < y1


def covered(samples, boxes):
    """The samples that lie in a box."""
    return {sample for sample in samples if any(inside(sample, box) for box in boxes)}


def intervals(people, tau):
    """All intervals: first and last slot."""
    slots = [t for samples in people.values() for t, _, _ in samples]
    return [(start, start + tau) for start in range(min(slots), max(slots) + 1)]


def known(samples, interval):
    """What the attacker knows."""
    return [sample for sample in samples if interval[0] <= sample[0] <= interval[1]]


def covering(person, interval, people, published):
    """Whose boxes cover at least as many of a person's samples in an interval as its own do; None if those do none."""
    seen = known(people[person], interval)
    own = len(covered(seen, published.get(person, [])))
    if not own:
        return None
    return {other for other, boxes in published.items() if len(covered(seen, boxes)) >= own}


def fitting(person, interval, people, published):
    """Those of them who have no box within the interval that holds none of the person's samples."""
    found = covering(person, interval, people, published)
    if found is None:
        return None
    return {
        other
        for other in found
        if all(
            covered(people[person], [box])
            for box in published[other]
            if interval[0] <= box[0] and box[1] - 1 <= interval[1]
        )
    }


def leaks(person, interval, people, published, epsilon):
    """Whether all who fit cover a sample of the person more than epsilon away from the interval."""
    far = {s for s in people[person] if s[0] < interval[0] - epsilon or s[0] > interval[1] + epsilon}
    for other in fitting(person, interval, people, published) or ():
        far = covered(far, published[other])
    return bool(far)


def figures(people, published, tau, epsilon):
    """The fewest who cover and who fit in any interval; the number of intervals with something published; of leaks."""
    fewest_cover = fewest_fit = float("inf")
    count = leaking = 0
    for person in published:
        for interval in intervals(people, tau):
            found = covering(person, interval, people, published)
            if found is None:
                continue
            count += 1
            fewest_cover = min(fewest_cover, len(found))
            fewest_fit = min(fewest_fit, len(fitting(person, interval, people, published)))
            leaking += leaks(person, interval, people, published, epsilon)
    return fewest_cover, fewest_fit, count, leaking
