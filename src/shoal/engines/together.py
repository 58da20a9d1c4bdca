"""Progress of parts that run side by side, added up."""

from collections.abc import Sequence


class Together:
    """How far all parts are, phase by phase. For one thread: that which calls ``map``.

    Parameters
    ----------
    sizes
        What the parts count for.
    phase
        Under which finished parts count even if no part ever tells of it; none if empty.

    Examples
    --------
    >>> together = Together([10, 30], "grouping")
    >>> together.told(1, "searching · 3 found", 1, 2), together.finished(0)
    (('searching', 15, 40), [('grouping', 10, 40), ('searching', 25, 40)])
    """

    def __init__(self, sizes: Sequence[int], phase: str) -> None:
        self.total = sum(sizes)
        self._sizes, self._finished = sizes, 0
        self._running: dict[str, dict[int, int]] = {phase: {}} if phase else {}

    def told(self, part: int, phase: str, done: int, total: int) -> tuple[str, int, int]:
        """Count in what a part tells, as a piece of the whole; what it says behind a dot is true of it alone."""
        phase = phase.partition(" · ")[0]
        of_phase = self._running.setdefault(phase, {})
        piece = self._sizes[part] * min(done, total) // max(total, 1)
        of_phase[part] = max(of_phase.get(part, 0), piece)
        return self._so_far(phase)

    def finished(self, part: int) -> list[tuple[str, int, int]]:
        """Count in all of a part, in every phase."""
        self._finished += self._sizes[part]
        for of_phase in self._running.values():
            of_phase.pop(part, None)
        return [self._so_far(phase) for phase in self._running]

    def _so_far(self, phase: str) -> tuple[str, int, int]:
        return phase, self._finished + sum(self._running[phase].values()), self.total
