"""People laid out for the search: in the order of their homes, with all that the kernels need to know of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.content import content_rank
from shoal.kernels.common.people import People
from shoal.kernels.common.scale import Scale
from shoal.kernels.kgap.cascade import Candidates
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
    scale: Scale
    order: NDArray[np.int64]

    def for_settling(self) -> tuple[Any, ...]:
        """What `shoal.kernels.kgap.settle.settle` takes of it."""
        return self.rank, self.people, self.sites, self.digest, self.measures, self.scale

    def candidates(self, members: NDArray[np.int64]) -> Candidates:
        """Candidates for the search; members ascend."""
        start, entries, region = self.digest.start, self.digest.entries, self.sites.region
        home, at_home = entries[start[:-1], 0], entries[start[:-1], 1]
        in_region = region[entries[:-1, 0]] == np.repeat(region[home], np.diff(start))
        around = np.add.reduceat(np.where(in_region, entries[:-1, 1], 0), start[:-1]) - at_home
        home = home[members].astype(np.int16)
        homes = np.flatnonzero(np.concatenate(([True], home[1:] != home[:-1])))
        return Candidates(
            members.astype(np.int32),
            self.rank[members],
            np.diff(self.people.offsets)[members].astype(np.int32),
            at_home[members],
            around[members].astype(np.int32),
            np.concatenate((homes, [members.size])),
            home[homes],
        )


def survey(people: People, scale: Scale) -> World:
    """Lay out the people."""
    sites = find_sites(people, scale.space_cap)
    order = order_by_home(people, sites)
    people, sites = rearrange(people, sites, order)
    counts, units = digest(people, sites, scale)
    return World(people, sites, counts, units, content_rank(people), scale, order)
