"""The cheapest boxes for the samples of a group, with optimal suppression at a price (kte §III).

- `stamps`: what the dynamic programme works on: stamps, plans, costs
- `solve` (exact): the programme for one group
- `batch` (drives): many groups: layout, checks, threads
- `driver` (drives): all groups at one price, or at the price that leaves out a given share, some spared; the way in
- `pairs` (exact): the cost alone, for two members, many times over
"""
