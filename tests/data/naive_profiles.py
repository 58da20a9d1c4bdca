"""Call profiles, counted day by day with Python's own calendar."""

from datetime import timedelta
from zoneinfo import ZoneInfo

KINDS, SLOTS = ("weekday", "weekend"), ("night", "day", "evening")


def slot_of(hour):
    return "night" if hour < 8 else "day" if hour < 19 else "evening"


def profiles(calls, municipality, zone):
    """Return {(uid, municipality): {cell: share}} of (uid, start, seconds, cell, cell) calls, start with a zone."""
    zone = ZoneInfo(zone)
    local = [
        (uid, start.astimezone(zone), (start + timedelta(seconds=s)).astimezone(zone), a, b)
        for uid, start, s, a, b in calls
    ]
    first, last = min(c[1].date() for c in local), max(c[1].date() for c in local)
    days = [first + timedelta(days=d) for d in range((last - first).days + 1)]
    monday = first - timedelta(days=first.weekday())

    def week(day):
        return (day - monday).days // 7 + 1

    def kind(day):
        return KINDS[day.weekday() >= 5]

    active = {}
    for uid, start, end, a, b in local:
        for moment, cell in ((start, a), (end, b)):
            if moment.date() <= last:
                active.setdefault((uid, municipality[cell]), set()).add((moment.date(), slot_of(moment.hour)))
    result = {}
    for who, seen in active.items():
        cells = {}
        for w in range(1, week(last) + 1):
            for k in KINDS:
                there = [day for day in days if week(day) == w and kind(day) == k]
                for s in SLOTS:
                    hit = sum((day, s) in seen for day in there)
                    cells[f"w{w}_{k}_{s}"] = hit / len(there) if there else 0.0
        result[who] = cells
    return result
