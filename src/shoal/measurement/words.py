"""What k-gaps mean, in a sentence each, and what to do about them."""

from collections.abc import Mapping, Sequence

from shoal.data.grid import SPACE_CAP_M, TIME_CAP_S

_EASY, _HARD = 0.1, 0.25


def meanings(deciles: Mapping[str, Sequence[float]]) -> list[str]:
    """Say what the median k-gap of each k means; ``deciles`` are eleven numbers for each.

    >>> meanings({"2": [0.0, 0.0, 0.0, 0.0, 0.0, 0.4] + [0.5] * 5})[0][:81]
    'k = 2: to look like 1 other, half of the people need samples that are stretched, '
    >>> meanings({"2": [0.0] * 11})
    ['k = 2: half of the people or more look like 1 other already.']
    """
    return [_meaning(int(k), values[5]) for k, values in deciles.items()]


def _meaning(k: int, gap: float) -> str:
    others = "1 other" if k == 2 else f"{k - 1} others"
    if gap == 0:
        return f"k = {k}: half of the people or more look like {others} already."
    # Half of the effort is space and half is time, each up to its cap.
    kilometres, minutes = 2 * gap * SPACE_CAP_M / 1000, 2 * gap * TIME_CAP_S / 60
    within = (
        f"up to {kilometres:.2g} km, or {minutes:.3g} minutes, or some of both"
        if gap <= 0.5  # beyond it neither alone would do
        else "beyond 20 km or 8 hours"
    )
    return (
        f"k = {k}: to look like {others}, half of the people need samples that are stretched, on average, by {within}. "
        f"{_advice(gap)}"
    )


def _advice(gap: float) -> str:
    if gap <= _EASY:
        return "That leaves useful data: hide them in a crowd (shoal choose says how)."
    if gap <= _HARD:
        return (
            "That is costly: leave the worst samples out, or publish shorter periods (shoal choose says what is left)."
        )
    return "They are too different to be hidden among each other: ask shoal choose for another way."
