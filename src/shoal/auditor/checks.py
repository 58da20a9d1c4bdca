"""All files of checks: importing them registers what is in them."""

from shoal.auditor import (
    attackers,
    boxes,
    container,
    coverage,
    groups,
    identifiers,
    inference,
    intersection,
    order,
    parameters,
    promise,
    rawness,
    schema,
    secret,
    values,
)

THEMES = (
    *(schema, container, values, boxes, groups, promise, identifiers, secret, order, coverage, attackers, inference),
    *(parameters, rawness, intersection),
)
