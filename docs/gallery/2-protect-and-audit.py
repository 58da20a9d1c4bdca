# %% [markdown]
# # Protect, audit, hand on
#
# From data to a release that was attacked before anybody else could. The people are synthetic, and nothing here is
# recorded in a ledger.

# %%
import shoal
from shoal import synth

traces = shoal.read(synth.cdr(200, 3, preset="abidjan", seed=1))
mechanism = shoal.Glove(k=2, suppress_share=0.05)
print(mechanism.promise.holds)

# %%
release = mechanism.protect(traces).stamped()
release

# %% [markdown]
# Written, all or nothing; the secret directory beside it stays at home. Then the audit, which shares no code with what
# made the release, attacks it.

# %%
path = release.write("release")
verdict = shoal.audit(path, original=traces, secret="release.secret")
verdict

# %% [markdown]
# What is left of the accuracy:

# %%
shoal.utility(path, original=traces)

# %% [markdown]
# The release as a frame of boxes, to be drawn on a map with anything that reads geopandas:

# %%
shoal.open_release(path).to_geopandas()[["t_start", "t_end", "geometry"]].head(3)

# %% [markdown]
# And what those who sign need, with what was not examined:

# %%
dossier = shoal.dossier(path, recipient="partner")
print("\n".join(dossier.content["missing"]))
