"""What lies in a directory of results, opened for a page."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shoal.contract.files import AUDIT, CENSUS, MANIFEST, UTILITY
from shoal.errors import DataError
from shoal.files.paths import AnyPath, secret_beside

What = Literal["release", "census", "measure", "comparison"]

_MARKS: dict[What, str] = {
    "release": MANIFEST,
    "census": "counts.parquet",
    "measure": "summary.json",
    "comparison": "compare.csv",
}
"""What each kind of directory has that those below it do not."""


def what_lies_in(path: AnyPath) -> What:
    """Tell what kind of results a directory holds."""
    for what, name in _MARKS.items():
        if (Path(path) / name).is_file():
            return what
    raise DataError(
        "no results there",
        expected="the directory of a release, of shoal measure, shoal compare or shoal sociometer",
        hint=f"it holds one of {', '.join(_MARKS.values())}",
    )


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """A release, and what its publisher knows of it.

    Attributes
    ----------
    manifest
        What it says.
    secret
        Its secret directory.
    audit, utility, census
        What was found, None where nobody has looked.
    """

    manifest: dict[str, Any]
    secret: Path
    audit: dict[str, Any] | None
    utility: dict[str, Any] | None
    census: dict[str, Any] | None = None

    @classmethod
    def of(cls, release: AnyPath, secret: AnyPath | None = None) -> "Results":
        """Read what there is."""
        folder = Path(secret) if secret is not None else secret_beside(release)
        manifest = read_json(Path(release) / MANIFEST)
        if manifest is None:
            raise DataError(f"no readable {MANIFEST}", expected="the directory of a release", hint="see shoal audit")
        return cls(manifest, folder, *(read_json(folder / name) for name in (AUDIT, UTILITY, CENSUS)))


def read_json(path: Path) -> dict[str, Any] | None:
    """Read an object; None where there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
