"""What a release is still good for: how much was withheld, and how far what is left lies from the truth."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.usefulness.run import Accuracy, utility

__all__ = ["Accuracy", "utility"]


def __getattr__(name: str) -> Any:
    # Loaded when it is used: whoever only wants `words` for a release would wait for all attacks, too.
    if name not in __all__:
        raise AttributeError(f"module 'shoal.usefulness' has no attribute '{name}'")
    from shoal.usefulness import run

    return getattr(run, name)
