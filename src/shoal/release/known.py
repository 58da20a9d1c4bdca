"""How many other releases of the same people does the ledger know?"""

import json
from pathlib import Path

import pyarrow.parquet as pq

from shoal.contract.files import MAPPING, RUN
from shoal.errors import LedgerError, ParameterError
from shoal.release.ledger import Ledger
from shoal.release.ledger_file import DEFAULT_POPULATION


def other_releases(ledger: Path | None, secret: Path) -> int | None:
    """Count the other releases of a release's people; None where that cannot be told.

    An audit does not fail because of somebody's ledger.
    """
    try:
        people = pq.read_table(secret / f"{MAPPING}.parquet", columns=["original_uid"])["original_uid"]
        facts = json.loads((secret / RUN).read_bytes())
        return Ledger(ledger, facts.get("population", DEFAULT_POPULATION)).others(people)
    except (LedgerError, ParameterError, OSError, ValueError, KeyError, AttributeError):
        return None
