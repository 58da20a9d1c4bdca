"""*Time distortion anonymization for the publication of mobility data with high utility* (Promesse), Tables I–VI.

The data's way: `prepared` (§V-A: 20 days of everybody, cut into traces) → `plan` (what is run) → `piece` (one
mechanism: protected, measured, kept on disk) → `findings` (judged beside what is `printed`), `tables`.
"""
