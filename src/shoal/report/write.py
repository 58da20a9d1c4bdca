"""From a document to a file."""

from pathlib import Path

from shoal.contract.page import LARGEST
from shoal.errors import OutputError
from shoal.files.durable import PRIVATE_FILE, whole_file
from shoal.pages.document import Document
from shoal.pages.html import written
from shoal.pages.tools import drawing_script


def page_bytes(document: Document) -> bytes:
    """Write a page; refuse one that nobody could open on a phone."""
    content = written(document, drawing_script())
    if len(content) > LARGEST:
        raise OutputError(
            f"a page of {len(content) / 1e6:.1f} MB",
            expected=f"at most {LARGEST / 1e6:g} MB",
            hint="tell us; this is a fault",
        )
    return content


def write_page(document: Document, path: Path, *, replace: bool) -> Path:
    """Write a page to a file for the owner alone; ``replace`` an older one, or refuse a name that is taken."""
    content = page_bytes(document)
    with whole_file(path, PRIVATE_FILE, replace=replace) as file:
        file.write(content)
    return path
