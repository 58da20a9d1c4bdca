"""A release beside its original: who is who, by the secret directory."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa

from shoal.attacks.crowd import Ints
from shoal.contract.files import MAPPING
from shoal.contract.kinds import KINDS
from shoal.errors import DataError
from shoal.usefulness.measures import Figures, measure


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """What every measure can look at; each kind of release adds its own.

    Attributes
    ----------
    people
        People in the original.
    people_published
        Those of whom something is published.
    """

    people: int
    people_published: int


@measure(*KINDS.values())
def people(compared: Compared) -> Figures:
    """Count the people. Suppressed are those of whom nothing is published, for whatever reason."""
    return {
        "people_published": compared.people_published,
        "people_suppressed": compared.people - compared.people_published,
    }


class SecretDirectory:
    """What its publisher keeps of a release."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def table(self, name: str, columns: tuple[str, ...]) -> pl.DataFrame:
        """Read some columns of a table."""
        path = self._path / f"{name}.parquet"
        try:
            return pl.read_parquet(path, columns=list(columns), glob=False, hive_partitioning=False)
        except (OSError, pl.exceptions.PolarsError):
            raise DataError(
                f"no readable {path.name}", expected="the secret directory of the release", hint="check its `secret`"
            ) from None

    def has(self, name: str) -> bool:
        return (self._path / f"{name}.parquet").exists()

    def owners(self, uids: pl.Series, of: pl.DataFrame) -> Ints:
        """Find whose each uid is: the row of the original's table that has what the mapping says of the uid.

        Parameters
        ----------
        uids
            Published, each once.
        of
            What tells people of the original apart, ``original_uid`` first; a row per person, or per profile.
        """
        keys = of.columns
        mapping = self.table(MAPPING, (*keys, "uid"))
        known = mapping.join(of.with_row_index("row"), on=keys, how="left")
        found = uids.to_frame("uid").join(known.select("uid", "row"), on="uid", how="left", maintain_order="left")
        if known["row"].null_count() or found["row"].null_count() or found.height != uids.len():
            raise DataError(
                "people in the release whom the mapping or the original does not know",
                expected="the secret directory and the data of this very release",
                hint="give the `secret` and the `original` that belong to it, read with the same options",
            )
        return found["row"].to_numpy().astype("int64")


def names_of(people: pa.StringArray) -> pl.DataFrame:
    """Tell people apart by their identifiers alone."""
    return pl.DataFrame({"original_uid": pl.Series(people).cast(pl.String)})


def not_the_original(found: str, expected: str) -> DataError:
    """Make the error for data that the release cannot have been made from."""
    return DataError(found, expected=expected, hint="give the data that the release was made from as `original`")
