"""The model of the data and the way in.

``read`` turns files and frames into :class:`Traces`, ``read_fixes`` into :class:`Fixes`, ``read_profiles`` into
:class:`Profiles`; mechanisms turn those into :class:`Boxes`, :class:`Points` or :class:`Profiles`.
"""

from shoal.data.boxes import Boxes
from shoal.data.fixes import Fixes
from shoal.data.grid import Grid
from shoal.data.options import ReadOptions
from shoal.data.points import Points
from shoal.data.profiles import Profiles
from shoal.data.projection import Projection
from shoal.data.read import ReadReport, build_profiles, read, read_as, read_fixes, read_profiles, read_with_report
from shoal.data.traces import Traces

__all__ = [
    "Boxes",
    "Fixes",
    "Grid",
    "Points",
    "Profiles",
    "Projection",
    "ReadOptions",
    "ReadReport",
    "Traces",
    "build_profiles",
    "read",
    "read_as",
    "read_fixes",
    "read_profiles",
    "read_with_report",
]
