# %% [markdown]
# # A first look
#
# What is in the data, and how hard the people in them are to hide. These people are synthetic: 200 of them, for three
# days. The file of this page is `docs/gallery/1-first-look.py`; it was run when the site was built.

# %%
import shoal
from shoal import synth

events = synth.cdr(200, 3, preset="abidjan", seed=1)
events.slice(0, 3).to_pandas()

# %% [markdown]
# Anything that is a table can be read: files, pandas, polars, Arrow, geopandas.

# %%
traces = shoal.read(events)
shoal.overview(traces)

# %% [markdown]
# The k-gap of a person says how far the data must be stretched until k people look the same: 0 is already hidden, 1 is
# hopeless. The middle of the row is the median person. Neither the least nor the greatest is shown: each would be one
# person's value.

# %%
shoal.measure(traces, k=(2, 5))

# %% [markdown]
# Four random moments, each known to the hour and to 1 km: how many people does that single out?

# %%
risk = shoal.risk(events, "unicity", size=4, cell_m=1000)
print(f"{risk.summary['share_at_1']:.0%} of the people are singled out")
