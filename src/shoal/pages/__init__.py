"""How a page is written: values become bytes, and nothing is computed.

Makers of pages and the auditor share this room, as they share the contract: the auditor writes a published page again
from the few numbers that it holds, and compares the bytes.
"""

from shoal.pages.document import Code, Document, Figure, List, Section, Table, Text, Verdict

__all__ = ["Code", "Document", "Figure", "List", "Section", "Table", "Text", "Verdict"]
