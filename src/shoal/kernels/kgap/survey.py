"""People laid out for the search: in the order of their homes, with all that the kernels need to know of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.content import number_contents, order_by_content
from shoal.kernels.common.people import People
from shoal.kernels.common.scale import Scale
from shoal.kernels.kgap.candidates import ROUNDED, Candidates, cut_blocks, sketch_people
from shoal.kernels.kgap.digest import Digest, Measures, digest
from shoal.kernels.kgap.sites import Sites, find_sites, order_by_home, rearrange


@dataclass(frozen=True, slots=True)
class World:
    """Everything is indexed in the order of homes; ``order`` leads back to the input."""

    people: People
    sites: Sites
    digest: Digest
    measures: Measures
    rank: NDArray[np.int32]
    """Everybody's place in the order of content."""
    alike: NDArray[np.int32]
    """The same for people of the same content: the number of that content."""
    scale: Scale
    order: NDArray[np.int64]
    around: NDArray[np.int64]
    """Everybody's samples in the region of their home."""
    sketch: NDArray[np.uint16]
    """As in `shoal.kernels.kgap.candidates.Candidates`."""

    def for_settling(self) -> tuple[Any, ...]:
        """What `shoal.kernels.kgap.settle.settle` takes of it."""
        return self.rank, self.people, self.sites, self.digest, self.measures, self.scale

    def candidates(self, members: NDArray[np.int64]) -> Candidates:
        """Candidates for the search; members ascend."""
        start, entries, region = self.digest.start, self.digest.entries, self.sites.region
        home = entries[start[:-1], 0][members].astype(np.int16)
        samples = np.diff(self.people.offsets)[members].astype(np.int32)
        blocks = cut_blocks(home)
        at_home, around = (
            np.minimum.reduceat((counted[members] / samples).astype(np.float32), blocks[:-1]) * np.float32(ROUNDED)
            for counted in (entries[start[:-1], 1], self.around)
        )
        homes = home[blocks[:-1]]
        return Candidates(
            members.astype(np.int32),
            self.rank[members],
            samples,
            self.sketch[members],
            blocks,
            homes,
            region[homes],
            at_home,
            around,
        )


def survey(people: People, scale: Scale) -> World:
    """Lay out the people."""
    sites = find_sites(people, scale.space_cap)
    order = order_by_home(people, sites)
    people, sites = rearrange(people, sites, order)
    counts, units = digest(people, sites, scale)
    region = sites.region[counts.entries[:-1, 0]]
    at_home = region == np.repeat(region[counts.start[:-1]], np.diff(counts.start))
    around = np.add.reduceat(np.where(at_home, counts.entries[:-1, 1], 0), counts.start[:-1], dtype=np.int64)
    by_content, rank, alike = order_by_content(people), *(np.empty(order.size, np.int32) for _ in range(2))
    rank[by_content] = np.arange(order.size, dtype=np.int32)
    number_contents(people, by_content, alike)
    return World(people, sites, counts, units, rank, alike, scale, order, around, sketch_people(counts))
