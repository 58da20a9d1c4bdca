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
    manifest,
    secret,
)

THEMES = (container, manifest, boxes, groups, identifiers, secret, coverage, attackers, inference, intersection)
