"""What to tell whoever is about to make a claim: where it is weaker than it sounds."""

from shoal.contract.claims.boxes import KAnonymity
from shoal.contract.claims.profiles import KAnonymousCells

GROUPS_OF_TWO = (
    "k = 2 hides people from strangers; each of the two knows their own trace, and so sees the other's. "
    "Take k = 3 or more if members of the data are to be feared."
)


def groups_of_two(claim: object) -> str | None:
    """Explain k = 2, where it is claimed.

    >>> groups_of_two(KAnonymity(3)) is None, groups_of_two(KAnonymity(2))[:5]
    (True, 'k = 2')
    """
    return GROUPS_OF_TWO if isinstance(claim, KAnonymity | KAnonymousCells) and claim.k == 2 else None
