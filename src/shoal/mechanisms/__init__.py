"""The ways to protect people, one file each: parameters, promise, ``protect()``."""

from shoal.mechanisms.base import Local, Mechanism
from shoal.mechanisms.glove import Glove
from shoal.mechanisms.uniform import Uniform

__all__ = ["Glove", "Local", "Mechanism", "Uniform"]
