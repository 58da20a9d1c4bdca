"""All files of checks: importing them registers what is in them."""

from shoal.auditor import (
    attackers,
    boxes,
    budgets,
    cell_noise,
    cells,
    cells_truth,
    container,
    coverage,
    cylinders,
    groups,
    identifiers,
    inference,
    intersection,
    noise,
    order,
    parameters,
    points_attacks,
    profile_attacks,
    profile_books,
    promise,
    rawness,
    schema,
    secret,
    smoothing,
    values,
    windows,
)

THEMES = (
    *(schema, container, values, boxes, groups, promise, identifiers, secret, order, coverage, attackers, inference),
    *(parameters, rawness, intersection, windows, smoothing, noise, budgets, cylinders),
    *(points_attacks, profile_books, cells, cells_truth, cell_noise, profile_attacks),
)
