"""How long work tells how far it is."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with a phase, how much of it is done, and of how much.

What a phase has behind a dot ("searching · 3 found") may change on the way.
"""


def silent(_phase: str, _done: int, _total: int) -> None:
    """Tell nobody."""
