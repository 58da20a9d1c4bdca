"""All that ``shoal utility`` tells of boxes and of points, made of the oracles of single measures.

Nothing of the package is called. A figure that has no twin here is missed by ``test_every_figure.py``.
"""

import math
import statistics

import numpy as np
from pyproj import Proj

from usefulness import naive_field as field
from usefulness import naive_points as traces
from usefulness.naive_figures import points as counted_points
from usefulness.naive_figures import spread

NEEDS = {"200 m, 10 min": (200, 600), "500 m, 30 min": (500, 1800), "2 km, 2 h": (2000, 7200)}
SIDE = 1000


def alike(raw, published, ranked):
    """``raw``, ``published``: counts by tile or way; ``ranked``: the published ones that have a rank."""
    keys = sorted(raw)
    counts = [raw[key] for key in keys], [published.get(key, 0) for key in keys]
    return {
        "jensen_shannon": field.jensen_shannon(raw, published),
        "smape": field.smape(raw, published),
        "kendall_tau": field.kendall_tau(*counts),
        "top_10": field.top_overlap(raw, ranked, 10, field.chance_in_top),
        "top_100": field.top_overlap(raw, ranked, 100, field.chance_in_top),
    }


def visits(raw, published, *, extent):
    before = field.tile_counts(raw, SIDE)[1]
    definite, expected, possible = field.tile_counts(published, SIDE)
    columns, rows = ({place[i] for place in before} for i in (0, 1))
    # Boxes of several tiles are looked at where somebody was in that column, and in that row.
    ranked = {place: count for place, count in expected.items() if place[0] in columns and place[1] in rows}
    ranked = {place: count for place, count in definite.items() if place not in ranked} | ranked
    found = {"tile_m": SIDE, "tiles": len(before), **alike(before, expected, ranked)}
    if extent:
        found["definite_share"] = sum(definite.values()) / len(published) if published else 0
        found["jensen_shannon_definite"] = field.jensen_shannon(before, definite)
        found["jensen_shannon_possible"] = field.jensen_shannon(before, possible)
    return found


def flows(raw, published, *, extent):
    before, after = field.flow_counts(raw, SIDE), field.flow_counts(published, SIDE)
    found = {
        "ways": len(before),
        "raw_moves": sum(before.values()),
        "published_moves": sum(after.values()),
        **alike(before, after, after),
    }
    if extent:
        found["definite_moves"], found["possible_moves"] = field.certain_moves(published, SIDE)
    return found


def distributions(raw, published, unit):
    return {
        f"raw_{unit}": spread(raw),
        f"published_{unit}": spread(published),
        f"earth_mover_{unit}": field.earth_mover(raw, published),
    }


def hours(raw, published, meridian, *, extent):
    clock_s = round(meridian / 15) * 3600
    step = 60 if extent else 1
    before = field.hours(raw, clock_s, step)[1]
    definite, expected, possible = field.hours(published, clock_s, step)

    def divergence(counts):
        return field.jensen_shannon(dict(enumerate(before)), dict(enumerate(counts)))

    found = {
        "jensen_shannon": divergence(expected),
        "earth_mover_hours": field.circular_earth_mover(before, expected),
    }
    if extent:
        found["definite_share"] = sum(definite) / len(published) if published else 0
        found["jensen_shannon_definite"] = divergence(definite)
        found["jensen_shannon_possible"] = divergence(possible)
    return found


def shared(raw, published, meridian, *, extent):
    """What boxes and points share; rows as in ``naive_field``."""
    jump_length = distributions(field.jumps(raw), field.jumps(published), "m")
    if extent:
        shortest, longest = field.shortest_and_longest_jumps(published, 100)
        jump_length |= {"definite_m": spread(shortest), "possible_m": spread(longest)}
    return {
        "visits_per_tile": visits(raw, published, extent=extent),
        "flows": flows(raw, published, extent=extent),
        "jump_length": jump_length,
        "radius_of_gyration": distributions(field.gyration(raw), field.gyration(published), "m"),
        "place_entropy": distributions(field.entropy(raw, SIDE), field.entropy(published, SIDE), "bits"),
        "time_of_day": hours(raw, published, meridian, extent=extent),
    }


def thirds(samples):
    """``samples``: how many each person has. The people of each third that has any."""
    numbers = sorted(samples.values())
    low, high = numbers[-(-len(numbers) // 3) - 1], numbers[-(-2 * len(numbers) // 3) - 1]
    found = {
        "sparse": [person for person, n in samples.items() if n <= low],
        "middle": [person for person, n in samples.items() if low < n <= high],
        "dense": [person for person, n in samples.items() if n > high],
    }
    return {name: people for name, people in found.items() if people}


def off_by(raw, published):
    """The mean over queries of how far a count is off, and its standard error."""
    errors = [abs(a - b) / a for a, b in zip(raw, published, strict=True)]
    return statistics.fmean(errors), standard_error(errors)


def standard_error(values):
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0


def median(values):
    return statistics.median(values) if values else 0


def boxes(raw, published, listed, queries, meridian):
    """Everything of boxes, on cells of 100 m and 60 s.

    Parameters
    ----------
    raw
        The samples of each person, (t, x, y) in cells.
    published
        The boxes of those who have any, (t, dt, x, dx, y, dy) in cells.
    listed
        (person, t, x, y) that are listed as withheld.
    queries
        Boxes to ask for.
    """
    seen, created, per_box = {}, 0, {name: [] for name in SPANS + ERRORS}
    for person, own in published.items():
        for box in own:
            t0, dt, x0, dx, y0, dy = box
            inside = [
                (t, x, y)
                for t, x, y in raw[person]
                if t0 <= t < t0 + dt and x0 <= x < x0 + dx and y0 <= y < y0 + dy and (person, t, x, y) not in listed
            ]
            spans = dict(zip(SPANS, (100 * max(dx, dy), 100 * (dx + dy), 60 * dt), strict=True))
            created += not inside
            errors = [errors_in(sample, box) for sample in inside]
            for name, value in spans.items():
                per_box[name].append(value)
            for name in ERRORS if inside else ():
                per_box[name].append(statistics.fmean(one[name] for one in errors))
            seen |= {(person, *sample): spans | error for sample, error in zip(inside, errors, strict=True)}
    samples = sum(map(len, raw.values()))
    views = rows_of_samples(raw), rows_of_boxes(raw, published)
    return {
        "people_published": len(published),
        "people_suppressed": len(raw) - len(published),
        "samples_deleted_share": 1 - len(seen) / samples,
        "samples_created": created,
        "per_sample": {name: spread([one[name] for one in seen.values()]) for name in SPANS + ERRORS},
        "per_box": {name: spread(values) for name, values in per_box.items()},
        "range_queries": box_queries(raw, published, queries),
        **shared(*views, meridian, extent=True),
        "within": {need: sum(near(one, *limits) for one in seen.values()) / samples for need, limits in NEEDS.items()},
        "thirds": {name: third_of_boxes(raw, seen, people) for name, people in thirds(lengths(raw)).items()},
    }


SPANS = ("span_max_m", "span_sum_m", "span_s")
ERRORS = ("position_error_m", "time_error_s")


def lengths(raw):
    return {person: len(samples) for person, samples in raw.items()}


def errors_in(sample, box):
    (t, x, y), (t0, dt, x0, dx, y0, dy) = sample, box
    return {
        "position_error_m": 100 * math.hypot(x + 0.5 - x0 - dx / 2, y + 0.5 - y0 - dy / 2),
        "time_error_s": 60 * abs(t + 0.5 - t0 - dt / 2),
    }


def near(one, metres, seconds):
    return one["position_error_m"] <= metres and one["time_error_s"] <= seconds


def rows_of_samples(raw):
    return sorted(
        (number, 60 * t, 60 * t + 60, 100 * x, 100 * x + 100, 100 * y, 100 * y + 100)
        for number, samples in enumerate(raw.values())
        for t, x, y in samples
    )


def rows_of_boxes(raw, published):
    return sorted(
        (number, 60 * t, 60 * (t + dt), 100 * x, 100 * (x + dx), 100 * y, 100 * (y + dy))
        for number, person in enumerate(raw)
        for t, dt, x, dx, y, dy in published.get(person, ())
    )


def box_queries(raw, published, queries):
    cells = [[(t, 1, x, 1, y, 1) for t, x, y in samples] for samples in raw.values()]
    true = [traces.box_crossings(cells, query)[0] for query in queries]
    found = [traces.box_crossings(published.values(), query) for query in queries]
    figures = {"queries": len(queries), "raw_people": statistics.fmean(true)}
    for name, counts in zip(("definite", "possible", "expected"), zip(*found, strict=True), strict=True):
        figures[f"{name}_people"] = statistics.fmean(counts)
        figures[f"distortion_{name}"], figures[f"distortion_{name}_standard_error"] = off_by(true, counts)
    return figures


def third_of_boxes(raw, seen, people):
    mine = [(person, one) for (person, *_), one in seen.items() if person in people]
    own = {person: [one for owner, one in mine if owner == person] for person in people}
    samples = sum(len(raw[person]) for person in people)
    kept = [found for found in own.values() if found]
    return {
        "people": len(people),
        "samples_per_person": median([len(raw[person]) for person in people]),
        "people_suppressed_share": 1 - len(kept) / len(people),
        "samples_deleted_share": 1 - len(mine) / samples,
        **{name: median([one[name] for _, one in mine]) for name in ("span_max_m", "span_s", *ERRORS)},
        **{
            f"personal_{name}": median([statistics.fmean(one[name] for one in found) for found in kept])
            for name in ("span_max_m", "span_s")
        },
        "within_share": sum(near(one, *NEEDS["500 m, 30 min"]) for _, one in mine) / samples,
    }


def points(raw, published, queries):
    """Everything of points.

    Parameters
    ----------
    raw
        The records of each person, (t, lat, lng), t in seconds; each time once.
    published
        Parts: the person, and what is published of it.
    queries
        (first second, last second, lat, lng, half of the height, half of the width) in degrees.
    """
    parts = {person: [part for owner, part in published if owner == person] for person in raw}
    of_person = {person: [row for part in own for row in part] for person, own in parts.items()}
    true = {person: traces.cut(records) for person, records in raw.items()}
    rows = [(person, number) for number, (person, part) in enumerate(published) for _ in part]
    metres = {
        person: [traces.spatial_error(row[1:], true[person]) for row in found] for person, found in of_person.items()
    }
    near = {
        need: {person: traces_near(records, of_person[person], *limits) for person, records in raw.items()}
        for need, limits in NEEDS.items()
    }
    records = sum(map(len, raw.values()))
    views, meridian = rows_of_points(raw, [part for _, part in published])
    return {
        **counted_points(lengths(raw), rows),
        **spatial_errors(metres),
        **stops(true, parts),
        "range_queries": point_queries(raw.values(), [part for _, part in published], queries),
        **shared(*views, meridian, extent=False),
        "within": {need: sum(map(sum, found.values())) / records for need, found in near.items()},
        "thirds": {
            name: third_of_points(raw, of_person, near["500 m, 30 min"], people)
            for name, people in thirds(lengths(raw)).items()
        },
    }


def traces_near(records, found, metres, seconds):
    one, two = ([(0, t, (lat, lng)) for t, lat, lng in rows] for rows in (records, found))
    return field.near(one, two, metres, seconds, traces.distance)


def spatial_errors(metres):
    every = [one for found in metres.values() for one in found]
    mean = statistics.fmean(every) if every else 0
    off = [sum(found) - mean * len(found) for found in metres.values() if found]
    error = standard_error(off) * len(off) / len(every) if every else 0
    return {"spatial_error_m": spread(every), "spatial_error_standard_error_m": error}


def stops(true, parts):
    per_trace, per_person = traces.retrievals(true, parts)
    return {"poi_per_trace": retrieved(per_trace), "poi_per_person": retrieved(per_person)}


def retrieved(found):
    """``found``: (raw places, published places, retrieval) of each trace or person; those without a raw one count
    with what is published of them alone."""
    able = [result for places, _, result in found if places]
    precision, recall, f_score = ([one[i] for one in able] for i in range(3))
    return {
        "counted": len(able),
        "raw_pois": sum(places for places, _, _ in found),
        "published_pois": sum(places for _, places, _ in found),
        "matched_pois": sum(result[3] for _, _, result in found),
        "precision": statistics.fmean(precision) if able else 0,
        "recall": statistics.fmean(recall) if able else 0,
        "f_score": statistics.fmean(f_score) if able else 0,
        "f_score_standard_error": standard_error(f_score),
    }


def point_queries(people, parts, queries):
    counts = [
        [
            sum(
                any(since <= t <= until and abs(a - lat) <= height and abs(b - lng) <= width for t, a, b in one)
                for one in everybody
            )
            for since, until, lat, lng, height, width in queries
        ]
        for everybody in (people, parts)
    ]
    mean, error = off_by(*counts)
    return {
        "queries": len(queries),
        "raw_uids": statistics.fmean(counts[0]),
        "published_uids": statistics.fmean(counts[1]),
        "distortion": mean,
        "distortion_standard_error": error,
    }


def rows_of_points(raw, parts):
    """Both sides on the map around the middle of the raw data, to the metre; and the meridian of its middle."""
    middle = [round(statistics.median(row[i] for rows in raw.values() for row in rows)) for i in (1, 2)]
    on_map = Proj(proj="laea", lat_0=middle[0], lon_0=middle[1], datum="WGS84")
    sides = []
    for uids in (raw.values(), parts):
        rows = []
        for number, own in enumerate(uids):
            for t, lat, lng in sorted(own):
                x, y = (int(np.floor(metres)) for metres in on_map(lng, lat))
                rows.append((number, int(t), int(t), x, x, y, y))
        sides.append(rows)
    return sides, middle[1]


def third_of_points(raw, published, near, people):
    samples = sum(len(raw[person]) for person in people)
    return {
        "people": len(people),
        "samples_per_person": median([len(raw[person]) for person in people]),
        "people_suppressed_share": sum(not published[person] for person in people) / len(people),
        "samples_deleted_share": sum(max(len(raw[p]) - len(published[p]), 0) for p in people) / samples,
        "within_share": sum(sum(near[person]) for person in people) / samples,
    }
