"""The centre of positions that nobody sees all at once is the one that everybody at once would give."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data.degrees import HALF_TURN, Degrees, on_circle, wrapped
from shoal.data.projection import Projection

LAT = st.floats(-90, 90) | st.integers(-180, 180).map(lambda n: n / 2)
LNG = st.floats(-180, 180) | st.integers(-360, 360).map(lambda n: n / 2)


def around(lat, lng, parts):
    """As the engine on Spark does it: summaries of parts, put together."""
    lats, lngs = np.array_split(lat, parts), np.array_split(lng, parts)
    north = Degrees.together(Degrees.of(part) for part in lats)
    east = Degrees.together(Degrees.of(part) for part in lngs)
    if east.spread > HALF_TURN:
        cut = east.east_of_widest_gap()
        east = Degrees.together(Degrees.of(on_circle(part, cut)) for part in lngs)
    return Projection(north.middle(), wrapped(east.middle()))


@given(st.lists(st.tuples(LAT, LNG), min_size=1, max_size=40), st.integers(1, 5))
@example([(0.5, 179.5), (1.5, -179.5)], 2)
@example([(0.0, 180.0), (0.0, -180.0), (0.0, 0.0)], 1)
@example([(0.0, 0.49999999999999994), (0.0, 0.5)], 2)
def test_the_middle_of_parts_is_that_of_the_whole(positions, parts):
    lat, lng = (np.array(values) for values in zip(*positions, strict=True))
    assert around(lat, lng, parts) == Projection.around(lat, lng)
