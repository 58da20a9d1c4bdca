"""Lengths of time in words, to the second: promises are made of them."""

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def lasting(seconds: int) -> str:
    """Spell a length of time in the largest unit that gives a whole number.

    >>> lasting(3600), lasting(5400), lasting(172_800), lasting(1)
    ('1 hour', '90 minutes', '2 days', '1 second')
    """
    size, name = next((size, name) for size, name in _UNITS if seconds % size == 0)
    count = seconds // size
    return f"{count:,} {name}{'' if count == 1 else 's'}"
