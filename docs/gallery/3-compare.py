# %% [markdown]
# # Compare mechanisms
#
# Several mechanisms on the same synthetic people: what attackers get, and what is left. `shoal compare` does this on
# the command line, and `shoal choose` decides from the accuracy that you need.

# %%
from shoal import synth
from shoal.choosing.compare import compare
from shoal.choosing.people import Source

people = Source(synth.cdr(150, 2, preset="abidjan", seed=1))
found = compare(people, "compared", mechanisms=["glove", "uniform"])
found

# %% [markdown]
# *points*, *whole*: the share of people who are singled out by who knows some moments of theirs, or all of a life.
# *lost*: samples left out. *near*: raw samples that lie near what is published. *visits, flows, hours*: how much the
# published distributions differ from the true ones; 0 is equal, 1 has nothing in common.
#
# No row is best in everything. That is the point of looking.
