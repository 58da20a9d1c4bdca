"""Broken in the container: what hides in the bytes of the data, stray files, digests."""

import os

from shoal.auditor.selftest import broken_footer, broken_pages
from shoal.auditor.selftest.broken import Broken, append, say, say_more
from shoal.auditor.selftest.draft import Written
from shoal.contract.files import DATA, MANIFEST, PAGE


def _linked(written: Written) -> None:
    """Leave a link in place of the data."""
    moved = written.secret / "moved.parquet"
    (written.release / DATA).rename(moved)
    (written.release / DATA).symlink_to(moved)


def _attribute(written: Written) -> None:
    os.setxattr(written.release / DATA, "user.note", b"ann")


METADATA = (*broken_footer.FOOTER, *broken_pages.PAGES)

FILES = (
    Broken("a manifest that is missing", "files.present", tamper=lambda w: (w.release / MANIFEST).unlink()),
    Broken("a file too many", "files.allowed", tamper=append("notes.txt", b"x")),
    Broken("a directory in place of the page", "files.plain", tamper=lambda w: (w.release / PAGE).mkdir()),
    Broken("a link in place of the data", "files.plain", tamper=_linked),
    Broken("data that can be executed", "files.modes", tamper=lambda w: (w.release / DATA).chmod(0o755)),
    Broken("a message in an attribute of a file", "files.attributes", tamper=_attribute),
)

DIGESTS = (
    Broken("no digests", "digests.named", say("sha256", None)),
    Broken("a digest of the input", "digests.nothing_else", say("sha256", {"events.parquet": "ab" * 32})),
    Broken("data changed after publication", "digests.data", tamper=append(DATA, b"x")),
    Broken("data that are missing", "digests.data", tamper=lambda w: (w.release / DATA).unlink()),
    Broken("a page that was slipped in", "digests.page", tamper=append(PAGE, b"x")),
    Broken("a digest among the parameters", "digests.no_others", say_more("parameters", note="cd" * 32)),
)
