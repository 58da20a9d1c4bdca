"""What a release is still good for: how much was withheld, and how far what is left lies from the truth."""

from shoal.usefulness.run import Accuracy, utility

__all__ = ["Accuracy", "utility"]
