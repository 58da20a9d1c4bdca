"""The auditor: checks what a release promises, on the bytes that were written.

It shares no code with what made the release: it reads files, projects, grids and covers by itself, and attacks with
:mod:`shoal.attacks`. Each check is a small function in a file by theme; :mod:`shoal.auditor.registry` runs them.
"""

from shoal.auditor.run import audit
from shoal.auditor.selftest.run import self_test
from shoal.auditor.verdict import Check, Verdict

__all__ = ["Check", "Verdict", "audit", "self_test"]
