"""How far published points lie from the way that their person took (Promesse §V-C, spatial error)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.tracks import side_by_side
from shoal.data import Points
from shoal.usefulness.figures import Floats, Ints
from shoal.workers import Workers


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The polylines of all people, ready to be asked: see :mod:`shoal.kernels.compared.polyline` for the columns."""

    place: Floats
    step: NDArray[np.int8]
    offsets: Ints
    segment: Ints
    node_offsets: Ints
    nodes: Floats

    @classmethod
    def through(cls, traces: Points, crew: Workers) -> "Lines":
        """Draw lines through the points of each trace, none from one trace to the next.

        Parameters
        ----------
        traces
            Person after person; a trace of a single point is a point.
        crew
            Who does it.
        """
        from shoal.kernels.compared.polyline import FAN, count_pieces, fill_tree
        from shoal.kernels.points.earth import places_in_space

        points, lengths = traces.t_us.size, np.diff(traces.offsets)
        step = np.ones(points, np.int8)
        step[traces.offsets[1:][lengths > 1] - 1] = -1
        step[traces.offsets[1:][lengths == 1] - 1] = 0
        pieces = np.empty(points, np.int8)
        place = places_in_space(traces.lat, traces.lng)
        count_pieces(place, step, pieces)
        rows = traces.offsets[np.searchsorted(traces.person_of, np.arange(len(traces) + 1))]
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(pieces, dtype=np.int64)))[rows]
        count = total = -(-np.diff(offsets) // FAN)
        while (count > 1).any():
            count = np.where(count > 1, -(-count // FAN), 0)
            total = total + count
        node_offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(total)))
        segment = np.empty(int(offsets[-1]), np.int64)
        nodes = np.empty((int(node_offsets[-1]), 6))

        def fill(lo: int, hi: int) -> None:
            fill_tree(rows[lo : hi + 1], place, step, pieces, offsets[lo : hi + 1], segment, node_offsets[lo:hi], nodes)

        side_by_side(crew, rows, fill)
        return cls(place, step, offsets, segment, node_offsets, nodes)

    def distances(self, published: Points, crew: Workers) -> Floats:
        """Return how many metres each point lies from the nearest line of its own person."""
        from shoal.kernels.compared.polyline import distances

        group = published.person_of.astype(np.int64)
        out = np.empty(published.t_us.size)
        tree = self.place, self.step, self.offsets, self.segment, self.node_offsets, self.nodes

        def ask(lo: int, hi: int) -> None:
            starts = published.offsets[lo : hi + 1]
            distances(*tree, group[lo:hi], starts, published.lat, published.lng, out)

        side_by_side(crew, published.offsets, ask)
        return out
