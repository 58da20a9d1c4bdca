"""Budgets as they are published."""


def rounded_up(value: float) -> float:
    """Round up to two digits: a budget is a count of a person's draws, and an exact one would single that person out.

    >>> rounded_up(0.0601), rounded_up(160.0), rounded_up(99.5), rounded_up(0.07)
    (0.061, 160.0, 100.0, 0.07)
    """
    near = float(f"{value:.1e}")
    if near >= value * (1 - 1e-12):
        return near
    digits, _, exponent = f"{value:.1e}".partition("e")
    return float(f"{round(10 * float(digits)) + 1}e{int(exponent) - 1}")
