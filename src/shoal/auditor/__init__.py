"""The auditor: checks what a release promises, on the bytes that were written.

It believes nothing that a release says of itself: what kind it is follows from its bytes, and its claim counts only
once a check has examined it. It shares no code with what made the release: it reads files, projects, grids and covers
by itself, and attacks with :mod:`shoal.attacks`; the two have the specification in common, :mod:`shoal.contract`. Each
check is a small function in a file by theme, made of named conditions (:mod:`shoal.auditor.conditions`);
:mod:`shoal.auditor.registry` runs them.
"""

from shoal.auditor.run import audit
from shoal.auditor.verdict import Check, Verdict

__all__ = ["Check", "Verdict", "audit"]
