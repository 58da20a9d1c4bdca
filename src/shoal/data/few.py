"""A handful of invented people: what work is rehearsed with."""

import numpy as np
import polars as pl

PEOPLE, SAMPLES = 12, 4

LARGEST_CROWD = 5
"""Of them there are two such crowds, and two people more."""


def few_people() -> pl.DataFrame:
    """Return records of people of one town within two days, the same ones each time.

    >>> few_people().shape
    (48, 4)
    """
    rng = np.random.default_rng(1)
    size = PEOPLE * SAMPLES
    seconds = rng.integers(0, 2 * 86_400, size).astype("timedelta64[s]")
    return pl.DataFrame(
        {
            "uid": np.repeat(np.arange(PEOPLE), SAMPLES),
            "datetime": np.datetime64("2020-01-01", "us") + seconds,
            "lat": 6 + rng.integers(0, 20, size) / 500,
            "lng": 3 + rng.integers(0, 20, size) / 500,
        }
    ).with_columns(pl.col("datetime").dt.replace_time_zone("UTC"))
