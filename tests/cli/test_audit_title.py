"""The heading of an audit fits on a line."""

from shoal.cli.audit import _title


def test_a_claim_about_many_cells_tells_how_many():
    claim = {"name": "k-anonymous-cells", "k": 20, "cells": [f"w{week}_weekday_day" for week in range(1, 25)]}
    title = _title({"mechanism": "primule", "claim": claim})
    assert title == "Audit of a primule release that claims k-anonymous-cells, k = 20, cells = 24"
