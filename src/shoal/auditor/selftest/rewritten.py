"""The data of a draft, written as another table or with other options."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.selftest.broken import Change
from shoal.auditor.selftest.draft import Draft
from shoal.contract.parquet import COMPRESSION, WRITER


def rewritten(other: Callable[[pa.Table], pa.Table], **options: Any) -> Change:
    """Return what writes another table in place of the published one; its schema goes as it is."""

    def change(draft: Draft) -> None:
        sink = pa.BufferOutputStream()
        pq.write_table(other(draft.rows()), sink, **{"compression": COMPRESSION, **WRITER, **options})
        draft.forged = lambda _: bytes(sink.getvalue())

    return change
