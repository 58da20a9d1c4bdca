"""The Sociometer (PRIMULE §5): who is a resident, a commuter or a visitor, counted from call profiles.

- `archetypes`: what the classes look like, and which one is nearest
- `labels`: prototypes per municipality, and a class for every profile
- `agreement`: two labellings of the same profiles beside each other
- `flows`: from where people commute to where
- `census`: the result, and its files
- `run`: the public function
"""

from shoal.usefulness.sociometer.census import Census
from shoal.usefulness.sociometer.run import sociometer

__all__ = ["Census", "sociometer"]
