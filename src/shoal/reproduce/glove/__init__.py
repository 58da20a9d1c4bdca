"""*Hiding mobile traffic fingerprints with GLOVE*, Figs. 7–11 and Table 2.

The data's way: `plan` (which groupings the figures need) → `subsets` → `piece` (one grouping, published in all `ways`,
kept on disk) → `accuracy` (its figures) → `figures`, `tables`, `findings` (judged beside what is `printed`). Table
2's other method is in `wait_for_me`.
"""
