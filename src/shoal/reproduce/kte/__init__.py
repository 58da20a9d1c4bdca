"""*Preserving mobile subscriber privacy in open datasets of spatiotemporal trajectories*, Figs. 5–7 and suppression.

The data's way: `plan` (which runs the figures need) → `piece` (one run of the mechanism, kept on disk) → `granularity`
(its figures) → `figures`, `tables`, `findings` (judged beside what is printed); `run` leads through it.
"""
