"""Made-up people and the sound release of their profiles in groups of k, with a municipality that is too small."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import outsider
from shoal.contract.claims import KAnonymousCells
from shoal.contract.kinds import KINDS_OF_DAY, PROFILES, cell_names

K, WEEKS, KNOWN_WEEKS = 4, 2, 1
SMALL = "hamlet"
"""Fewer than k people have a profile there."""

_DAYS = {"weekday": 5, "weekend": 2}

Floats = NDArray[np.float64]
Names = NDArray[np.str_]


def sound_cells(*, people: int = 40, towns: int = 3, seed: int | None = None) -> Draft:
    """Make a release that keeps its promise: on the first week k or more profiles of a town have the same values.

    In the small municipality there are two of these people, and one who is nowhere else.
    """
    rng = np.random.default_rng(seed)
    names = made_up_names(rng, people + 1)
    person, town = (n.ravel() for n in np.indices((people, towns)))
    municipality = np.array([f"town-{number}" for number in range(towns)])[town]
    values = made_up_values(rng, person.size, WEEKS)
    group = _groups(rng, people, towns)[person, town]
    known = len(cell_names(KNOWN_WEEKS))
    published = values.copy()
    for one in np.unique(group):
        published[group == one, :known] = values[group == one, :known].mean(axis=0)
    tokens = np.array([rng.bytes(16).hex() for _ in range(person.size)])
    few = [*names[:2], names[-1]]
    raw = pl.concat(
        [
            profile_table(names[person], municipality, values),
            profile_table(np.array(few), np.array([SMALL] * len(few)), made_up_values(rng, len(few), WEEKS)),
        ]
    )
    draft = Draft(
        PROFILES,
        raw[rng.permutation(raw.height)],
        profile_table(tokens, municipality, published).with_columns(group=group, member=person),
        pl.DataFrame({"original_uid": names[person], "uid": tokens, "municipality": municipality}),
        pl.concat([withheld(name, SMALL) for name in few]),
        {},
    )
    parameters = {"k": K, "weeks": KNOWN_WEEKS, "small": "suppress"}
    draft.manifest = manifest_of(draft, KAnonymousCells(K, cell_names(KNOWN_WEEKS)), parameters)
    return draft


def _groups(rng: np.random.Generator, people: int, towns: int) -> NDArray[np.int64]:
    """Number groups of k people in each town; the last one has all who are left."""
    many = people // K
    sizes = np.minimum(np.arange(people) // K, many - 1)
    columns = [sizes[np.argsort(rng.permutation(people))] + town * many for town in range(towns)]
    return np.stack(columns, axis=1)


def made_up_names(rng: np.random.Generator, people: int) -> Names:
    return np.array([f"person-{number:09}" for number in rng.choice(10**9, people, replace=False)])


def made_up_values(rng: np.random.Generator, rows: int, weeks: int) -> Floats:
    """Draw shares of days: of five, or of two at weekends."""
    days = np.array([_DAYS[kind] for name in cell_names(weeks) for kind in KINDS_OF_DAY if f"_{kind}_" in name])
    return np.asarray(rng.integers(0, days + 1, (rows, days.size)) / days)


def profile_table(uids: Names, municipality: Names, values: Floats) -> pl.DataFrame:
    """Put profiles into the columns of the contract."""
    names = cell_names(values.shape[1] // len(cell_names(1)))
    cells = {name: values[:, number] for number, name in enumerate(names)}
    return pl.DataFrame({"uid": uids, "municipality": municipality, **cells})


def withheld(name: str, municipality: str | None, reason: str = "small") -> pl.DataFrame:
    """List a profile as withheld, or without a municipality a whole person."""
    return outsider(name).with_columns(reason=pl.lit(reason), municipality=pl.lit(municipality, pl.String))
