"""The way out: tokens, manifest, secret directory, atomic publication, ledger.

A mechanism hands its result to :func:`release_of_boxes`, :func:`release_of_points` or
:func:`release_of_profiles`; the :class:`Release` that comes back writes itself, all or nothing.
"""

from shoal.files.signals import Terminated
from shoal.release import suppressed
from shoal.release.build import release_of_boxes, release_of_points, release_of_profiles
from shoal.release.ledger import ALWAYS, Ledger
from shoal.release.manifest import with_digest
from shoal.release.promise import Promise
from shoal.release.release import Release, Secret
from shoal.release.targets import Targets, check_targets

__all__ = [
    "ALWAYS",
    "Ledger",
    "Promise",
    "Release",
    "Secret",
    "Targets",
    "Terminated",
    "check_targets",
    "release_of_boxes",
    "release_of_points",
    "release_of_profiles",
    "suppressed",
    "with_digest",
]
