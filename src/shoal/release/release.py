"""A release: what is published, what is said about it, and what stays secret. Not on disk until written."""

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.contract.files import DATA, MANIFEST, MANIFEST_DIGEST, MAPPING, RUN, STAMP, SUPPRESSED, spelled
from shoal.contract.kinds import KINDS, Kind
from shoal.data.layout import Span
from shoal.data.published import PublishedOut, shown_release
from shoal.files import signals
from shoal.files.durable import errors_told, new_file, write_bytes
from shoal.files.paths import AnyPath
from shoal.files.publish import Folder, publish
from shoal.release.ledger import Ledger
from shoal.release.ledger_file import DEFAULT_POPULATION
from shoal.release.manifest import with_digest
from shoal.release.page import digest_line
from shoal.release.parquet import write_parquet
from shoal.release.spool import Rows, Spooled, in_memory
from shoal.release.targets import check_targets


@dataclass(frozen=True, eq=False, repr=False)
class Secret:
    """What leads from the published names back to the people. It never goes where the release goes.

    Attributes
    ----------
    mapping
        ``original_uid, uid``, and for profiles ``municipality``.
    suppressed
        As :mod:`shoal.release.suppressed` makes it.
    extra
        More tables of the mechanism, by the name of their file without its ending.
    run
        Facts about the run for the publisher's own eyes, written to ``run.json``.
    """

    mapping: pa.Table
    suppressed: pa.Table
    extra: Mapping[str, pa.Table] = field(default_factory=dict)
    run: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.extra:
            assert re.fullmatch(r"[a-z][a-z_]*", name)
            assert name not in (MAPPING, SUPPRESSED)

    def __repr__(self) -> str:
        return f"Secret({self.mapping.num_rows:,} uids, {self.suppressed.num_rows:,} suppressed)"


@dataclass(frozen=True, eq=False, repr=False)
class Release(PublishedOut):
    """What a mechanism hands back.

    Attributes
    ----------
    rows
        The rows to be published, sorted by (uid, time): a table, or a file where they are too many for memory.
    manifest
        What is said about them; the digest of the file is added when there is a file.
    secret
        Who is who.
    span_s
        The time that the release covers, half open, in seconds since the UTC epoch: what the ledger compares.
    not_for_release
        Made with a seed, hence repeatable by strangers: stamped, and never in the ledger.
    remarks
        Sentences for whoever made it.
    """

    rows: Rows
    manifest: dict[str, Any]
    secret: Secret
    span_s: Span
    not_for_release: bool = False
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts, stamp = self.manifest["counts"], ", not for release" if self.not_for_release else ""
        people = f"about {counts['people_published']:,} people"
        return f"Release({self.manifest['mechanism']}, {people}, {counts['rows']:,} rows{stamp})"

    def _repr_html_(self) -> str:
        return shown_release(repr(self), self.manifest)

    @property
    def kind(self) -> Kind:
        """What is published: boxes, points or profiles."""
        return KINDS[self.manifest["kind"]]

    def to_arrow(self) -> pa.Table:
        """The published rows; :meth:`to_polars`, :meth:`to_pandas` and :meth:`to_geopandas` give the same."""
        return self.data

    @property
    def data(self) -> pa.Table:
        """The rows to be published, as a table."""
        return in_memory(self.rows)

    def with_run(self, **facts: object) -> "Release":
        """Return it with more facts for the publisher's own records."""
        return replace(self, secret=replace(self.secret, run={**self.secret.run, **facts}))

    def stamped(self) -> "Release":
        """Return it stamped as not for release: the manifest says so, and no ledger is touched."""
        return replace(self, manifest={**self.manifest, STAMP: True}, not_for_release=True)

    def write(
        self,
        path: AnyPath,
        *,
        secret: AnyPath | None = None,
        ledger: AnyPath | None = None,
        population: str = DEFAULT_POPULATION,
        again: bool = False,
        record: bool = True,
    ) -> Path:
        """Publish: the release, its secret directory and the ledger's entry, or none of them.

        Parameters
        ----------
        path
            The release directory; it must not exist.
        secret
            The secret directory; by default ``<path>.secret`` beside the release.
        ledger
            The ledger's file; by default the user's own.
        population
            Whose identifiers these are: the ledger takes equal identifiers of other populations for other people.
        again
            Publish people a second time for an overlapping time, and record that.
        record
            ``False`` neither reads nor writes a ledger: for what is never handed on.

        Returns
        -------
        Path
            Where the release is.
        """
        book = Ledger(ledger, population) if record and not self.not_for_release else None
        if book:
            book.take_back()
        targets = check_targets(path, secret, ledger=book.path if book else None)
        with ExitStack() as stack:
            # From here on, and not only in publish(): the ledger's first key must not stay behind either.
            stack.enter_context(errors_told())
            stack.enter_context(signals.raising())
            entry = None
            if book:
                people, mechanism = self.secret.mapping["original_uid"], str(self.manifest["mechanism"])
                entry = stack.enter_context(book.recording(people, self.span_s, mechanism, again=again))
            publish([Folder(targets.secret, public=False), Folder(targets.release, public=True)], self._fill, entry)
        return targets.release

    def _fill(self, secret: Path, release: Path) -> None:
        if isinstance(self.rows, Spooled):
            self.rows.copy_to(release / DATA)
        else:
            _write_table(release / DATA, self.rows)
        with (release / DATA).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        manifest = spelled(with_digest(self.manifest, DATA, digest))
        write_bytes(release / MANIFEST, manifest)
        tables = {MAPPING: self.secret.mapping, SUPPRESSED: self.secret.suppressed, **self.secret.extra}
        for name, table in tables.items():
            _write_table(secret / f"{name}.parquet", table)
        # A digest beside the data proves nothing; this one is out of reach.
        write_bytes(secret / MANIFEST_DIGEST, digest_line(manifest))
        run = json.dumps(dict(self.secret.run), sort_keys=True, indent=2, default=str, ensure_ascii=False)
        write_bytes(secret / RUN, (run + "\n").encode())


def _write_table(path: Path, table: pa.Table) -> None:
    with new_file(path) as file:
        write_parquet(table, file)
