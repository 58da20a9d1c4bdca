"""kte-hide as printed (kte §III-G, Algorithm 2): for comparison, because it does not keep its promise.

Per epoch: cost of merging any two active people → spectral clustering → those of one cluster who also were in the same
clusters during the window's earlier epochs form a subset → k - 1 cycles through the subset → whoever comes before i in
a cycle is in i's hiding set. No cycles: what the subset has in the window is suppressed.

What goes wrong, with cases in the tests: only people who are active in the window's last epoch get a hiding set for it
(line 7), so that whoever is not may be published as they are; a suppression takes away what an earlier window relies on
(line 16); and merging covers the members of i's hiding set with i's boxes, so it is they who are hidden by i.

Where the paper is silent, the plainest reading:

- Affinity of two people is one over their cost: it has no parameter, and it is never zero.
- Number of clusters: one for every `PEOPLE_PER_CLUSTER` active people.
- To be absent in an epoch is a cluster of its own, so people of a subset are active in the same epochs.
- "Greedy": a cycle goes to the cheapest next person, by the costs of the newest epoch, which are those at hand. Where
  it cannot go on or not close it steps back, and after `STEPS` and so many per person it gives up.
- The reuse constraint is the "simple way" of §III-E: j is in at most one hiding set of i. That i may then be in one of
  j's is not excluded.
- A suppressed subset loses all its samples of the window, not only those of its last epoch; clusters stay as they are.
- The one random thing, where k-means starts, has a fixed seed: it protects nobody.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.data.layout import Ints64
from shoal.data.traces import Traces
from shoal.errors import DataError
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte.hiding import Epochs, Hiding

if TYPE_CHECKING:
    from shoal.workers import Workers

Costs = NDArray[np.int32]
Mask = NDArray[np.bool_]

MOST_ACTIVE = 5_000
"""People in one epoch: the matrices of so many take about a gigabyte."""

PEOPLE_PER_CLUSTER = 50
"""With it 4 to 6 % of the samples are suppressed (abidjan, 1,000 and 2,000 people, two days, 60 min), which is in the
paper's range of 1 to 7 %; with 25 it is 13 %, and with 100 boxes are a quarter larger."""

STEPS, STEPS_PER_PERSON = 700, 10
"""Enough to try everything for up to six people, and to mend the end of a long cycle."""

ABSENT = -1
"""In place of a cluster, who has no sample in the epoch."""


def hide_as_printed(traces: Traces, epochs: Epochs, k: int, run: Run) -> Hiding:
    """Decide who hides whom, as the paper does.

    Parameters
    ----------
    traces
        All people.
    epochs
        How time is cut.
    k
        People among whom each is meant to be hidden.
    run
        Engine and progress; the result depends on neither.

    Returns
    -------
    Hiding
        The hider of a row is the person whose boxes cover; the hidden one is a member of its hiding set h.

    Raises
    ------
    DataError
        More people are active in one epoch than a matrix of all pairs is made for.
    """
    cells = _Cells(traces, epochs)
    most = int(cells.active.sum(axis=0).max(initial=0))
    if most > MOST_ACTIVE:
        raise DataError(
            f"{most:,} people with samples in one epoch",
            expected=f"at most {MOST_ACTIVE:,} with the paper's variant, which compares all pairs of them",
            hint="the paper's variant is for comparison at small sizes: take fewer people, or leave `variant` out",
        )
    clusters = np.full((epochs.count, len(traces)), ABSENT, np.int64)
    suppressed = np.zeros((len(traces), epochs.count), np.bool_)
    hiding_sets = _HidingSets(len(traces))
    with run.engine.workers() as workers:
        for epoch in range(epochs.count):
            run.progress("hiding", epoch, epochs.count)
            people, window = np.flatnonzero(cells.active[:, epoch]), epoch - epochs.reach
            costs = cells.pair_costs(people, epoch, workers)
            clusters[epoch, people] = _clusters(costs)
            if window < 0:
                continue
            for members in _subsets(clusters[window : epoch + 1, people]):
                among = costs[np.ix_(members, members)]
                if not hiding_sets.extend(window, people[members], among, k):
                    suppressed[people[members], window : epoch + 1] = True
    run.progress("hiding", epochs.count, epochs.count)
    windows, hiders, hidden = hiding_sets.rows()
    return Hiding(epochs, cells.active & ~suppressed, windows, hiders, hidden)


class _Cells:
    """Who has which samples in which epoch."""

    def __init__(self, traces: Traces, epochs: Epochs) -> None:
        self.traces = traces
        self.epoch_of = epochs.of(traces.t)
        self.active = np.zeros((len(traces), epochs.count), np.bool_)
        self.active[traces.owner, self.epoch_of] = True

    def pair_costs(self, people: Ints64, epoch: int, workers: "Workers") -> Costs:
        """The cost of the best merge of any two of these people within the epoch (lines 3 and 4).

        As far as 31 bits can tell: what costs more is out of the question.
        """
        from shoal.kernels.kmerge.driver import Rule, kmerge_cost2_pairs, pair_room

        rows = np.flatnonzero(self.epoch_of == epoch)
        t, x, y = (column[rows] for column in (self.traces.t, self.traces.x, self.traces.y))
        owner = np.searchsorted(self.traces.offsets, rows, side="right") - 1
        offsets = np.concatenate((np.searchsorted(owner, people), [rows.size]))
        costs = np.zeros((people.size, people.size), np.int32)
        largest = np.iinfo(np.int32).max

        def fill(some: Ints64) -> None:
            room = pair_room(2 * int(np.diff(offsets).max(initial=0)))
            for i in some:
                others = np.arange(i)
                out = np.empty(i, np.int64)
                kmerge_cost2_pairs(t, x, y, offsets, np.full(i, i), others, Rule(True), room, out)
                costs[i, :i] = costs[:i, i] = np.minimum(out, largest)

        # Every so many-th row, so that short and long ones are shared out.
        pieces = [np.arange(1 + first, people.size, workers.threads) for first in range(workers.threads)]
        for job in [workers.pool.submit(partial(fill, piece)) for piece in pieces]:
            job.result()
        return costs


def _clusters(costs: Costs) -> Ints64:
    """Cluster people by their pairwise costs (line 5)."""
    count = len(costs) // PEOPLE_PER_CLUSTER
    if count < 2:
        return np.zeros(len(costs), np.int64)
    from sklearn.cluster import SpectralClustering
    from threadpoolctl import threadpool_limits

    affinity = 1 / np.maximum(costs, 1)
    # Its threads wait for each other more than they work, and the labels must not depend on how many there are.
    with threadpool_limits(1):
        labels = SpectralClustering(count, affinity="precomputed", random_state=0).fit_predict(affinity)
    return np.asarray(labels, np.int64)


def _subsets(sequences: Ints64) -> Iterator[Ints64]:
    """Split people, one to a column, by their sequences of clusters (lines 7 and 8)."""
    _, subset_of = np.unique(sequences, axis=1, return_inverse=True)
    order = np.argsort(subset_of, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(subset_of[order])) + 1) if order.size else []


class _HidingSets:
    """The hiding sets of everybody so far, and who was in one of i's before."""

    def __init__(self, people: int) -> None:
        self.met: list[set[int]] = [set() for _ in range(people)]
        self.windows: list[Ints64] = []
        self.owners: list[Ints64] = []
        self.members: list[Ints64] = []

    def extend(self, window: int, people: Ints64, costs: Costs, k: int) -> bool:
        """Find k - 1 cycles through all these people, and make hiding sets of them; tell whether there are any."""
        place = {int(person): i for i, person in enumerate(people)}
        free = ~np.eye(people.size, dtype=np.bool_)
        for i, person in enumerate(people):
            free[[place[other] for other in self.met[person] & place.keys()], i] = False
        cycles = []
        for _ in range(k - 1):
            cycle = greedy_cycle(costs, free)
            if cycle is None:
                return False
            free[cycle, np.roll(cycle, -1)] = False
            cycles.append(cycle)
        for cycle in cycles:
            parents, children = people[cycle], people[np.roll(cycle, -1)]
            self.windows.append(np.full(cycle.size, window))
            self.owners.append(children)
            self.members.append(parents)
            for parent, child in zip(parents.tolist(), children.tolist(), strict=True):
                self.met[child].add(parent)
        return True

    def rows(self) -> tuple[Ints64, Ints64, Ints64]:
        """Window, whose hiding set, and who is in it, a row each."""
        none = np.empty(0, np.int64)
        windows, owners, members = (
            np.concatenate((none, *columns)) for columns in (self.windows, self.owners, self.members)
        )
        return windows, owners, members


def greedy_cycle(costs: Costs, free: Mask) -> Ints64 | None:
    """Find a cycle through everybody, or None where there is none or the search gives up (line 11).

    Parameters
    ----------
    costs
        Of any two people.
    free
        ``free[j, i]``: whether i may come after j.

    Examples
    --------
    >>> costs, free = np.array([[0, 9, 1], [9, 0, 9], [1, 9, 0]]), ~np.eye(3, dtype=bool)
    >>> greedy_cycle(costs, free).tolist()
    [0, 2, 1]
    >>> free[0, 2] = False
    >>> greedy_cycle(costs, free).tolist()
    [0, 1, 2]
    >>> greedy_cycle(costs[:1, :1], free[:1, :1]) is None
    True
    """
    people = len(costs)
    if people < 2 or not (free.any(axis=0).all() and free.any(axis=1).all()):
        return None
    visited = np.zeros(people, np.bool_)
    visited[0] = True

    def ways_from(person: int) -> Iterator[int]:
        """Where to go, cheapest first."""
        open_ = np.flatnonzero(free[person] & ~visited)
        yield from open_[np.argsort(costs[person, open_], kind="stable")].tolist()

    path, ways = [0], [ways_from(0)]
    for _ in range(STEPS + STEPS_PER_PERSON * people):
        if len(path) == people and free[path[-1], 0]:
            return np.array(path, np.int64)
        following = next(ways[-1], None) if len(path) < people else None
        if following is not None:
            visited[following] = True
            path.append(following)
            ways.append(ways_from(following))
            continue
        visited[path.pop()] = False
        ways.pop()
        if not path:
            return None
    return None
