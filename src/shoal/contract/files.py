"""What lies in a release and in its secret directory."""

import json
from collections.abc import Mapping
from typing import Any

from shoal.contract.kinds import Column

DATA, MANIFEST, PAGE = "data.parquet", "manifest.json", "report.html"
"""The files of a release; there may be no others."""

MAPPING, SUPPRESSED = "mapping", "suppressed"
"""Tables that every secret directory holds, without their ending; a mechanism may add more."""

MANIFEST_DIGEST, RUN, AUDIT, UTILITY = "manifest.sha256", "run.json", "audit.json", "utility.json"
CENSUS = "census.json"
PRIVATE_PAGE = "report-private.html"
"""The other files of a secret directory."""

ABOUT_OTHERS = "about_other_releases"
"""Figure of a check that was not run because it is about another kind of release, or another claim."""

FORMAT_VERSION = 2

MANIFEST_KEYS = (
    *("format_version", "mechanism", "parameters", "promise", "budgets", "kind", "schema", "crs", "grid", "base_grid"),
    *("sha256", "versions", "counts", "date"),
)
"""Keys of the manifest, all of them always there. One more is there only where it is true: ``not_for_release``."""

STAMP = "not_for_release"
COUNTS = ("people_published", "people_suppressed", "rows", "samples_suppressed")
GRID_KEYS = ("cell_m", "dt_s")
VERSIONS_OF = ("python", "shoal", "numpy", "numba", "pyarrow", "polars", "pyproj")
"""What a result may depend on."""

OLDEST: Mapping[str, tuple[int, ...]] = {
    "python": (3, 11),
    "shoal": (0, 1),
    "numpy": (2, 4),
    "numba": (0, 68),
    "pyarrow": (26,),
    "polars": (2, 1),
    "pyproj": (3, 7),
}
"""The first version of each with which a release can have been made."""

SUPPRESSED_COLUMNS = (
    Column("original_uid", "string"),
    Column("t", "timestamp[us, UTC]"),
    Column("x", "int32"),
    Column("y", "int32"),
    Column("reason", "string"),
)
"""``t, x, y`` are null where a whole person is withheld."""

SUPPRESSED_PROFILES_COLUMNS = (*SUPPRESSED_COLUMNS, Column("municipality", "string"))
"""Of a release of profiles: where the person's profile is withheld, null where the whole person is."""


def spelled(manifest: Mapping[str, Any]) -> bytes:
    """The one spelling of a manifest, to the byte: sorted keys, two spaces, a final newline."""
    text = json.dumps(manifest, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()
