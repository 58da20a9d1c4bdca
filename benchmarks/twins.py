"""How small boxes could be, whatever the groups: everybody has k - 1 twins, and is grouped with them.

    python benchmarks/twins.py                    2,000 people, k = 5 and 2
    python benchmarks/twins.py --people 20000     what docs/explanation/grouping.md quotes

Twins have the same home, work, other places and far destination and as many samples; only when they call, and where
they are at a time, is drawn for each of them. No search can hope for better groups among people who are not twins. Per
raw sample that is left: mean and median of dx + dy in km and of the duration in minutes, and people with nothing left.
"""

import argparse
import sys
from dataclasses import dataclass, fields

import numpy as np

import shoal
import shoal.synth.cdr  # the module: shoal.synth has a function of this name
from grouping import by_thirds, four, spans
from shoal.mechanisms.glove.grouping import Settled
from shoal.synth import people as settling

SHARES = (0.0, 0.04, 0.083)
OF_A_FAMILY = ("samples", "home", "work", "away", "others", "outgoing", "second")


@dataclass(frozen=True)
class Families(settling.People):
    """People of whom ``size`` in a row are twins."""

    size: int = 1

    def other_place(self, person, rank):
        """As everybody of the family has it."""
        return self._near.draw(self.home[person], settling.fixed_uniform(self._seed, person // self.size, rank))


def settle_families(size):
    def settle(users, *rest):
        people, family = settling.settle(users // size, *rest), np.arange(users) // size
        alike = {field.name: getattr(people, field.name) for field in fields(people)}
        alike |= {name: alike[name][family] for name in OF_A_FAMILY}
        return Families(**alike, size=size)

    return settle


def twins(people, k):
    """Traces of families of k, and them as groups."""
    made = sys.modules["shoal.synth.cdr"]
    plain, made.settle = made.settle, settle_families(k)
    try:
        events = made.cdr(people - people % k, 14, preset="civ", seed=0)
    finally:
        made.settle = plain
    traces = shoal.read(events)
    place = {uid: number for number, uid in enumerate(traces.people.to_pylist())}
    in_order = np.array([place[uid] for uid in events["uid"].unique().to_pylist()])
    return traces, Settled(list(np.sort(in_order.reshape(-1, k), axis=1)), np.empty(0, np.int64), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=2_000)
    people = parser.parse_args().people
    print(f"{people:,} people in families of k\n  k left out    mean median km    mean median min  emptied")
    for k in (5, 2):
        traces, families = twins(people, k)
        for share in SHARES:
            found = spans(traces, families, share)
            space, wide, time, long = four(found)
            gone = by_thirds(traces, found)[1]
            print(
                f"{k:>3} {share:>8.1%} {space:>7.2f} {wide:>6.2f}    {time:>7.1f} {long:>6.1f}     {gone:>8}",
                flush=True,
            )


if __name__ == "__main__":
    main()
