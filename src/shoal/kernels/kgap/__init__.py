"""The nearest of everybody, exact, without looking at every pair (GLOVE §4.2; anonymizability §2.2, §4.3).

What is computed:

- `stretch` (exact): the stretch of two people, sample by sample
- `pairs` (exact): the same for given pairs, plainly; what the search is measured against
- `anatomy` (exact): what a k-gap is made of: parts in space and time, Gini coefficient, tail weight

How people are laid out for the search:

- `sites`: places that are few enough for tables; people in the order of their homes
- `digest`: how often everybody was at which site, and when
- `candidates`: whom to compare with, in blocks, with what drops most of them at a glance
- `survey`: all of it together, the `World` of a search

The search:

- `fields` (bound): tables over sites and time bins around one person, and the bounds read off them
- `nearest`: lists of the nearest so far, in exact order
- `seeds` (bound): a first guess of everybody's nearest
- `cascade` (bound): which pairs can still matter, by bounds from cheap to dear
- `settle` (exact): the stretch of those pairs
- `neighbours` (drives): hands chunks of people to threads and keeps the lists
"""
