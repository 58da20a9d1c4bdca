"""PRUDEnce: how far could the worst instance of some background knowledge narrow a person down?

The risk of a person is the maximum of ``1 / people who match`` over all instances, of a size, of what an attacker may
know (Pellungrini et al., ACM TIST 9(3), 2017; the families are those of scikit-mobility). Nothing is enumerated that
bounds can rule out: more knowledge never matches more people, so the search goes for the instance with the fewest
matches and stops at the number of people who match everything. Where people have few instances, nothing is searched:
all of them stand in one table.
"""

from shoal.attacks.prudence.families import FAMILIES, Found, prudence
from shoal.attacks.prudence.records import Records

__all__ = ["FAMILIES", "Found", "Records", "prudence"]
