"""The way out: tokens, manifest, secret directory, atomic publication, ledger.

A mechanism's result, :class:`Protected`, becomes a :class:`Release` through :func:`build_release`, whatever its kind; a
release writes itself, all or nothing.
"""

from shoal.files.signals import Terminated
from shoal.release import suppressed
from shoal.release.build import build_release
from shoal.release.ledger import Ledger
from shoal.release.manifest import with_digest
from shoal.release.protected import Findings, Protected
from shoal.release.release import Release, Secret
from shoal.release.targets import Targets, check_targets

__all__ = [
    "Findings",
    "Ledger",
    "Protected",
    "Release",
    "Secret",
    "Targets",
    "Terminated",
    "build_release",
    "check_targets",
    "suppressed",
    "with_digest",
]
