"""Releases in the shapes that other libraries work with."""

from shoal.exports.run import Exported, export
from shoal.exports.shapes import SHAPES

__all__ = ["SHAPES", "Exported", "export"]
