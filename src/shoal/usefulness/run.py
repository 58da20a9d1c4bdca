"""The public function: what is a release still good for?"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.attacks.released import find_release, open_release
from shoal.contract.files import UTILITY
from shoal.contract.kinds import BOXES, POINTS, PROFILES, Kind
from shoal.data import ReadOptions
from shoal.files.durable import whole_file
from shoal.files.paths import AnyPath, secret_beside
from shoal.pages.figures import in_units, spelled, words_for
from shoal.pages.lines import Chart, Series, in_notebook
from shoal.shown import paragraph, spreads, table
from shoal.usefulness import boxes, distances, flows, hours, points, profiles, thirds, visits, within
from shoal.usefulness.compared import Compared, SecretDirectory
from shoal.usefulness.measures import figures_of
from shoal.usefulness.pictures import pictures_of
from shoal.usefulness.words import useful_for

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
    pictures
        People counted in bins, for pages: see :mod:`shoal.usefulness.pictures`.
    """

    kind: str
    figures: Mapping[str, Any]
    pictures: Mapping[str, Any]

    def __repr__(self) -> str:
        published, suppressed = (self.figures[f"people_{what}"] for what in ("published", "suppressed"))
        return f"Accuracy({self.kind} of {published:,} people, {suppressed:,} suppressed)"

    def _repr_html_(self) -> str:
        words = useful_for(self.figures)
        plain = [
            (words_for(name), spelled(name, value))
            for name, value in self.figures.items()
            if not isinstance(value, Mapping)
        ]
        single = {name: value for name, value in self.figures.items() if _is_spread(value)}
        groups = {
            name: value
            for name, value in self.figures.items()
            if isinstance(value, Mapping) and value and all(map(_is_spread, value.values()))
        }
        tables = [
            spreads(words_for(name), in_units(group))
            for name, group in (({"How it is spread": single} if single else {}) | groups).items()
        ]
        charts = [in_notebook(self.chart)] if self.chart else []
        return "".join([paragraph(words) if words else "", table(repr(self), plain), *tables, *charts])

    @property
    def chart(self) -> Chart | None:
        """When people are seen, before and after; None where that was not measured."""
        hours = self.pictures.get("hours")
        if not hours:
            return None
        lines = (Series(name, list(range(len(shares))), shares) for name, shares in hours.items())
        return Chart("When people are seen", "hour of the day", "share of records", tuple(lines))

    def to_dict(self) -> dict[str, Any]:
        return dict(self.figures)

    def keep(self, secret: AnyPath) -> Path:
        """Write ``utility.json`` into a secret directory, in place of an older one: pages are made from it."""
        path = Path(secret) / UTILITY
        text = json.dumps({"figures": dict(self.figures), "pictures": dict(self.pictures)}, indent=1)
        with whole_file(path, replace=True) as file:
            file.write((text + "\n").encode())
        return path


def _is_spread(figure: Any) -> bool:
    return isinstance(figure, Mapping) and {"median", "mean"} <= figure.keys()


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
    return Accuracy(kind.name, figures_of(kind, compared), pictures_of(kind, compared))


def beside(
    release: AnyPath, *, original: Any, secret: AnyPath | None = None, options: ReadOptions | None = None
) -> tuple[Kind, Compared]:
    """Set a release beside its original, ready for measures; parameters as in :func:`utility`."""
    found = find_release(release)
    hidden = SecretDirectory(Path(secret) if secret is not None else secret_beside(release))
    # Boxes of a nation are not read at once.
    opened = found if found.kind is BOXES else open_release(release)
    return found.kind, _COMPARE[found.kind.name](opened, hidden, original, options)
