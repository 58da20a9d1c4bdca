"""Broken in the company that traces keep: nobody at the same times, nobody near, nobody else."""

from datetime import timedelta

import polars as pl

from shoal.auditor.selftest.broken import Broken, one_member, rows
from shoal.auditor.selftest.broken_books import one_person_twice
from shoal.contract.claims import Cylinder

_LAST = one_member() & (pl.col("datetime") == pl.col("datetime").filter(one_member()).max())

CYLINDERS = (
    Broken(
        "a trace that goes on a second longer",
        "cylinder.same_times",
        rows(_LAST, datetime=pl.col("datetime") + timedelta(seconds=1)),
        claim=Cylinder,
    ),
    Broken(
        "a trace that leaves the cylinder once",
        "cylinder.near_one",
        rows(_LAST, lat=(pl.col("lat") + 0.003).round(6)),
        claim=Cylinder,
    ),
    Broken("a cylinder of one person's traces", "cylinder.people", one_person_twice, claim=Cylinder),
)
