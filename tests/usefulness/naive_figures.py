"""Figures about points and profiles, by plain loops over rows; nothing of the package is called."""

import math
import statistics


def quartile(values, share):
    """Straight between the two nearest values."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def spread(values):
    if not values:
        return {"mean": 0, "q25": 0, "median": 0, "q75": 0}
    return {
        "mean": statistics.fmean(values),
        "q25": quartile(values, 0.25),
        "median": quartile(values, 0.5),
        "q75": quartile(values, 0.75),
    }


def points(raw, published):
    """``raw``: how many records each person has. ``published``: (person, part) of each published row."""
    parts, rows = {}, {}
    for person, part in published:
        parts.setdefault(person, set()).add(part)
        rows[person] = rows.get(person, 0) + 1
    records = sum(raw.values())
    deleted = sum(max(0, count - rows.get(person, 0)) for person, count in raw.items())
    created = sum(max(0, rows.get(person, 0) - count) for person, count in raw.items())
    return {
        "people_published": len(rows),
        "people_suppressed": len(raw) - len(rows),
        "samples_deleted_share": deleted / records,
        "samples_created": created,
        "samples_created_share": created / records,
        "compression": len(published) / records,
        "parts_per_person": spread([len(uids) for uids in parts.values()]),
    }


def profiles(raw, published, cells):
    """``raw`` and ``published``: {(person, municipality): values}; of the raw ones the first cells count."""
    similarity, loss = [], []
    off_by_cell = [[] for _ in cells]
    for key, values in published.items():
        squares = 0
        for i, value in enumerate(values):
            off = value - raw[key][i]
            off_by_cell[i].append(abs(off))
            squares += off * off
        loss.append(squares)
        similarity.append(1 / (1 + math.sqrt(squares)))
    every = [off for offs in off_by_cell for off in offs]
    people = {person for person, _ in published}
    bound = [
        statistics.pvariance([raw[key][i] for key in published if key[1] == town])
        for _, town in published
        for i in range(len(cells))
    ]
    return {
        "people_published": len(people),
        "people_suppressed": len({person for person, _ in raw} - people),
        "profiles_published": len(published),
        "profiles_suppressed": len(raw) - len(published),
        "mean_absolute_difference": statistics.fmean(every) if every else 0,
        "information_loss": statistics.fmean(loss) if loss else 0,
        "information_loss_bound": sum(bound) / len(published) if published else 0,
        "similarity": spread(similarity),
        "similar_share": sum(value > 0.95 for value in similarity) / len(similarity) if similarity else 0,
        "mean_absolute_difference_per_cell": {
            name: statistics.fmean(offs) if offs else 0 for name, offs in zip(cells, off_by_cell, strict=True)
        },
    }


def covered(samples, sequence_of, sequences):
    """Of each (person, t, x, y): the boxes (t, dt, x, dx, y, dy), numbered through, of its person that hold it."""
    numbers, count = [], 0
    for boxes in sequences:
        numbers.append(range(count, count + len(boxes)))
        count += len(boxes)
    return [
        {
            number
            for number, (t0, dt, x0, dx, y0, dy) in zip(numbers[sequence_of[p]], sequences[sequence_of[p]], strict=True)
            if t0 <= t < t0 + dt and x0 <= x < x0 + dx and y0 <= y < y0 + dy
        }
        if sequence_of[p] >= 0
        else set()
        for p, t, x, y in samples
    ]
