"""What a GLOVE release promises, in words."""

from shoal.release import Promise


def promise_of(k: int, *, aligned: bool) -> Promise:
    """The promise for groups of at least k people."""
    not_covered = [
        f"a member of a group knows one trace of it: for them the others hide among {k - 1}"
        + (" and, as there is only one other, not at all" if k == 2 else ""),
        "what all members of a group have in common: if they share a home, it can be read off (homogeneity)",
        "whether a person is in the data at all",
        "how many boxes and samples a group has, and the times at which it has none",
        "two releases of the same people: groups differ, and their intersection can be smaller than k",
        "side channels and the publisher's own host",
    ]
    if not aligned:
        not_covered.append(
            "box edges are coordinates of somebody's sample; alignment (--align-m, --align-minutes) hides which"
        )
    return Promise(
        name="k-anonymity",
        holds=(
            f"Every published person has exactly the same sequence of boxes as at least {k - 1} other "
            f"{'person' if k == 2 else 'people'}. "
            "Every box holds a sample of each of them, and every sample of theirs lies in a box or is left out."
        ),
        attacker=(
            "Knows any part of a person's trace, or all of it, and how the release was made; "
            f"finds no published person or at least {k} who fit equally well."
        ),
        unit="person",
        not_covered=tuple(not_covered),
    )
