"""Metres on the WGS84 ellipsoid, near a point: how long a degree is there."""

import numpy as np

from shoal.data.layout import Floats

A_M = 6_378_137.0
E2 = 6.694_379_990_141_317e-3


def metres_per_degree(lat: Floats) -> tuple[Floats, Floats]:
    """Length of a degree of longitude and of latitude, in metres, at each latitude.

    >>> [round(float(metres[0])) for metres in metres_per_degree(np.array([45.0]))]
    [78847, 111132]
    """
    radians = np.radians(lat)
    flattened = 1.0 - E2 * np.sin(radians) ** 2
    east = A_M / np.sqrt(flattened) * np.cos(radians)
    north = A_M * (1.0 - E2) / flattened**1.5
    return np.radians(east), np.radians(north)
