"""``shoal compare``: several mechanisms with several parameters on the same people, in one table."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.choosing.growth import Foretold, foretell
from shoal.choosing.people import Source, drawn, smaller_crowds
from shoal.choosing.piece import Figures, keep_piece, kept_piece, tried
from shoal.choosing.settings import Setting, settings_for
from shoal.data.layout import Ints64
from shoal.errors import OutputError
from shoal.files.durable import PRIVATE_FOLDER
from shoal.files.paths import AnyPath, new_target
from shoal.measurement.nature import Nature
from shoal.pages.lines import Chart, Series, in_notebook
from shoal.progress import Progress, silent
from shoal.shown import table
from shoal.usefulness.within import LADDER, Need

PEOPLE = 2_000
"""So many are drawn unless somebody wants more or fewer."""

FEWEST = 50
"""Smaller crowds tell nothing about larger ones."""

NEED = LADDER[1]
PIECES = "pieces"
_ENDS = (-0.03, 1.03)
"""Of axes of shares: a mark at 0 or 1 is seen whole."""


@dataclass(frozen=True)
class Row:
    """What came out for one setting.

    Attributes
    ----------
    setting, figures
        What was run, and what :func:`shoal.choosing.piece.tried` told.
    foretold
        The share of samples that are near enough, among all people of the data; None where it was refused.
    """

    setting: Setting
    figures: Figures
    foretold: Foretold | None


@dataclass(frozen=True)
class Comparison:
    """The result of ``shoal compare``.

    Attributes
    ----------
    nature, people, sample
        What sort of data these are, how many people are in them, and on how many of them mechanisms were run.
    need
        What "near" means in it.
    """

    nature: Nature
    people: int
    sample: int
    need: Need
    rows: tuple[Row, ...]

    def _repr_html_(self) -> str:
        from shoal.choosing.table import HEAD, cells_of

        title = f"{self.sample:,} of {self.people:,} people, near: within {self.need}"
        return table(title, [cells_of(row) for row in self.rows], HEAD) + in_notebook(self.chart)

    @property
    def chart(self) -> Chart:
        """Privacy against usefulness: a mark for each setting that could be run and has both."""
        from shoal.choosing.table import POINTS, singled_out

        both = [(row, singled_out(row, POINTS), row.foretold) for row in self.rows]
        marks = tuple(
            Series(row.setting.words, [near.share], [found], marks=True)
            for row, found, near in both
            if found is not None and near is not None
        )
        return Chart("What is paid for what", "share near the truth", "singled out by points", marks, _ENDS, _ENDS)


@dataclass
class Bench:
    """Where mechanisms are tried: some people, and a place to keep pieces, or none."""

    source: Source
    sample: Ints64
    need: Need
    folder: Path | None
    progress: Progress
    attacked: bool = True
    measured: bool = True

    def row(self, setting: Setting, wanted: float | None = None) -> Row:
        """Try a setting on the sample, and on smaller crowds where the number of people matters and not all are in.

        Where a share is ``wanted``, the smallest crowd comes first: what cannot come near it is not tried on more.
        """
        crowds = list(enumerate(smaller_crowds(self.sample, FEWEST), start=1)) if setting.type.in_a_crowd else []
        if wanted is not None and crowds:
            number, crowd = crowds[-1]
            figures = self.figures(setting, crowd, number)
            if hopeless(figures, wanted, self.source.people / crowd.size):
                return Row(setting, figures, _given_up(figures, int(crowd.size)))
        figures = self.figures(setting, self.sample, 0)
        if "need" not in figures:
            return Row(setting, figures, None)
        share, error = figures["need"]["share"], figures["need"]["standard_error"]
        everybody = self.source.people
        if self.sample.size == everybody or not setting.type.in_a_crowd:
            return Row(setting, figures, Foretold(share, error, self.sample.size == everybody))
        tries = [(self.sample, figures), *((crowd, self.figures(setting, crowd, number)) for number, crowd in crowds)]
        told = [(int(crowd.size), found["need"]) for crowd, found in tries if "need" in found]
        sizes = [size for size, _ in told]
        if len(set(sizes)) < 2:
            return Row(setting, figures, Foretold(share, error, measured=False))
        shares, lost = ([need[name] for _, need in told] for name in ("share", "lost"))
        return Row(setting, figures, foretell(sizes, shares, lost, everybody))

    def figures(self, setting: Setting, crowd: Ints64, number: int) -> Figures:
        """Try a setting on a crowd; the first one alone is attacked and measured in full."""
        whole = number == 0
        options = {"attacked": self.attacked and whole, "measured": self.measured and whole}
        made_from = {
            "data": self.source.digest if self.folder else "",
            "people": int(crowd.size),
            "crowd": number,
            "mechanism": setting.mechanism,
            "parameters": dict(setting.parameters),
            "need": list(self.need),
            **options,
        }
        path = self.folder / f"{setting.file}-{crowd.size}-{number}.json" if self.folder else None
        kept = kept_piece(path, made_from) if path else None
        if kept is not None:
            return kept

        def tell(phase: str, done: int, total: int) -> None:
            self.progress(f"{setting.words}, {crowd.size:,}: {phase}", done, total)

        people = self.source.some(setting.type.takes, crowd)
        found = tried(setting, people, tell, need=self.need, **options)
        if path:
            keep_piece(path, made_from, found)
        return found


def _given_up(figures: Figures, crowd: int) -> Foretold | None:
    told = figures.get("need")
    return Foretold(told["share"], told["standard_error"], measured=False, crowd=crowd) if told else None


def hopeless(figures: Figures, wanted: float, times: float) -> bool:
    """Tell whether a crowd so many times larger cannot come near a share: odds grow more slowly than crowds do.

    >>> hopeless({"need": {"share": 0.01}}, 0.5, 4.0), hopeless({"need": {"share": 0.3}}, 0.5, 4.0)
    (True, False)
    """
    if "need" not in figures:
        return True
    share = min(figures["need"]["share"], 0.999)
    return bool(share / (1 - share) * times < wanted / max(1 - wanted, 1e-3))


def compare(
    source: Source,
    out: AnyPath,
    *,
    mechanisms: Sequence[str] = (),
    settings: Sequence[Setting] = (),
    people: int | None = None,
    need: Need = NEED,
    progress: Progress | None = None,
) -> Comparison:
    """Run mechanisms on the same people, and keep what came out; nothing is for release, no ledger is touched.

    Parameters
    ----------
    source
        The data.
    out
        Directory for the table and the pieces; one of an earlier run is gone on with.
    mechanisms
        Names; by default all that suit such data.
    settings
        Just these, instead.
    people
        On so many, drawn at random; by default on 2,000 or on all.
    need
        How near is near enough.
    progress
        Told about the steps.
    """
    from shoal.choosing.table import write_tables

    folder = _directory(out)
    nature = source.nature()
    settings = list(settings) or settings_for(nature.name, mechanisms)
    for setting in settings:
        setting.made()
    sample = drawn(source.people, people or PEOPLE)
    bench = Bench(source, sample, need, folder / PIECES, progress or silent)
    rows = []
    with _kept_or_gone(folder):
        for number, setting in enumerate(settings):
            (progress or silent)("mechanisms", number, len(settings))
            rows.append(bench.row(setting))
    (progress or silent)("mechanisms", len(settings), len(settings))
    found = Comparison(nature, source.people, int(sample.size), need, tuple(rows))
    write_tables(found, folder)
    return found


def _directory(out: AnyPath) -> Path:
    """A new place, or that of an earlier comparison."""
    path = Path(os.path.realpath(out))
    if (path / PIECES).is_dir():
        return path
    try:
        return new_target(out)
    except OutputError as taken:
        if path.is_dir() and not any(path.iterdir()):
            return path
        raise taken from None


@contextmanager
def _kept_or_gone(folder: Path) -> Iterator[None]:
    """Make the place of the pieces; where work ends before the first of them, nothing of it is left."""
    made = not folder.exists()
    (folder / PIECES).mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    folder.chmod(PRIVATE_FOLDER)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # finished pieces stay: the next run goes on with them
            (folder / PIECES).rmdir()
            if made:
                folder.rmdir()
        raise


def to_dict(found: Comparison) -> dict[str, Any]:
    """Return everything, for JSON."""
    return {
        "nature": found.nature.name,
        "people": found.people,
        "sample": found.sample,
        "need": {"metres": found.need.metres, "seconds": found.need.seconds},
        "runs": [
            {
                "mechanism": row.setting.mechanism,
                "parameters": dict(row.setting.parameters),
                **row.figures,
                "foretold": None if row.foretold is None else row.foretold._asdict(),
            }
            for row in found.rows
        ],
    }
