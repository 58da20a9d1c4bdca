"""The public function: what is a release still good for?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.attacks.released import open_release
from shoal.contract.kinds import BOXES, POINTS, PROFILES, Kind
from shoal.data import ReadOptions
from shoal.files.paths import AnyPath, secret_beside
from shoal.usefulness import boxes, distances, flows, hours, points, profiles, thirds, visits, within
from shoal.usefulness.compared import Compared, SecretDirectory
from shoal.usefulness.measures import figures_of

_COMPARE: dict[str, Callable[..., Compared]] = {
    BOXES.name: boxes.compare,
    POINTS.name: points.compare,
    PROFILES.name: profiles.compare,
}

FIELD = (visits, flows, distances, hours, within, thirds)
"""Where the measures are that boxes and points share; they are known once they are loaded."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Accuracy:
    """The result of ``shoal utility``.

    Attributes
    ----------
    kind
        What is published: boxes, points or profiles.
    figures
        What the measures of that kind found, by name.
    """

    kind: str
    figures: Mapping[str, Any]

    def __repr__(self) -> str:
        published, suppressed = (self.figures[f"people_{what}"] for what in ("published", "suppressed"))
        return f"Accuracy({self.kind} of {published:,} people, {suppressed:,} suppressed)"

    def to_dict(self) -> dict[str, Any]:
        return dict(self.figures)


def utility(
    release: AnyPath, *, original: Any, secret: AnyPath | None = None, options: ReadOptions | None = None
) -> Accuracy:
    """Compare a release with the data that it was made from.

    Parameters
    ----------
    release
        The directory.
    original
        Anything that :func:`shoal.read` takes; or what was read: traces on the release's base grid for boxes, fixes for
        points, profiles for profiles.
    secret
        The secret directory; by default ``<release>.secret`` beside the release.
    options
        How to read the original.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> events = {"uid": ["a", "b"], "datetime": ["2020-01-01T00:00Z"] * 2, "lat": [6.1] * 2, "lng": [-5.2] * 2}
    >>> release = shoal.Uniform(cell_m=1000, minutes=60).protect(shoal.read(events))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     utility(release.write(f"{folder}/release", record=False), original=events)
    Accuracy(boxes of 2 people, 0 suppressed)
    """
    kind, compared = beside(release, original=original, secret=secret, options=options)
    return Accuracy(kind.name, figures_of(kind, compared))


def beside(
    release: AnyPath, *, original: Any, secret: AnyPath | None = None, options: ReadOptions | None = None
) -> tuple[Kind, Compared]:
    """Set a release beside its original, ready for measures; parameters as in :func:`utility`."""
    released = open_release(release)
    hidden = SecretDirectory(Path(secret) if secret is not None else secret_beside(release))
    return released.kind, _COMPARE[released.kind.name](released, hidden, original, options)
