"""The model of the data and the way in.

``read`` turns files and frames into :class:`Traces`; mechanisms turn those into :class:`Boxes`, points or
:class:`Profiles`.
"""

from shoal.data.boxes import Boxes
from shoal.data.grid import Grid
from shoal.data.options import ReadOptions
from shoal.data.profiles import Profiles
from shoal.data.projection import Projection
from shoal.data.read import ReadReport, read, read_with_report
from shoal.data.traces import Traces

__all__ = [
    "Boxes",
    "Grid",
    "Profiles",
    "Projection",
    "ReadOptions",
    "ReadReport",
    "Traces",
    "read",
    "read_with_report",
]
