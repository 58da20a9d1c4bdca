"""The verdict, kept for the publisher alone, where the mapping is."""

import json
from dataclasses import replace
from pathlib import Path

from shoal.auditor.verdict import Verdict
from shoal.contract.files import AUDIT
from shoal.errors import OutputError
from shoal.files.durable import whole_file


def keep(verdict: Verdict, secret: Path) -> Verdict:
    """Write ``audit.json`` in place of an older one; the verdict that comes back says where, or why it could not be.

    A verdict is not lost because it cannot be written down.
    """
    text = json.dumps(verdict.to_dict(), indent=2, ensure_ascii=False) + "\n"
    try:
        with whole_file(secret / AUDIT, replace=True) as file:
            file.write(text.encode())
    except OutputError as error:
        return replace(verdict, not_kept=error.found)
    return replace(verdict, kept=secret / AUDIT)
