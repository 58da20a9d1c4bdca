"""Made-up people and the sound release of their profiles: a name for each row."""

import numpy as np
import polars as pl

from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import outsider
from shoal.contract.claims import Nothing
from shoal.contract.kinds import PROFILES, cell_names


def sound_profiles(*, people: int = 40, towns: int = 3, weeks: int = 2, seed: int | None = None) -> Draft:
    """Make a release that claims nothing: everybody's profiles, rounded."""
    rng = np.random.default_rng(seed)
    rows = people * towns
    names = np.array([f"person-{number:09}" for number in rng.choice(10**9, people + 1, replace=False)])
    tokens = np.array([rng.bytes(16).hex() for _ in range(rows)])
    person, town = (n.ravel() for n in np.indices((people, towns)))
    municipality = np.array([f"town-{number}" for number in range(towns)])[town]
    values = {name: rng.uniform(0, 1, rows) for name in cell_names(weeks)}
    mine = pl.DataFrame({"uid": names[person], "municipality": municipality, **values})
    alone = mine[:1].with_columns(uid=pl.lit(names[-1]))
    raw = pl.concat([mine, alone])[rng.permutation(rows + 1)]
    rounded = {name: np.round(column, 1) + 0.0 for name, column in values.items()}
    data = pl.DataFrame({"uid": tokens, "municipality": municipality, **rounded, "group": person, "member": person})
    mapping = pl.DataFrame({"original_uid": names[person], "uid": tokens, "municipality": municipality})
    # Profiles do not say how often somebody was seen: nobody is screened.
    withheld = outsider(names[-1]).with_columns(reason=pl.lit("leftover"))
    draft = Draft(PROFILES, raw, data, mapping, withheld, {})
    draft.manifest = manifest_of(draft, Nothing(), {"decimals": 1})
    return draft
