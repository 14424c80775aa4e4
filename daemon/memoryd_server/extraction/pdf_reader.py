"""Reads PDF."""

import io

from pypdf import PdfReader
from pypdf.errors import DependencyError, LimitReachedError
from pypdf.generic import DictionaryObject

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.extraction.file_type import PDF
from memoryd_server.extraction.message import ReadingLimits
from memoryd_server.ports.extraction import ExtractedText


def read_pdf(data: bytes, limits: ReadingLimits) -> ExtractedText:
    """Return the text of the pages, with a form feed between them. A file without a user password is not refused."""
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentUnreadable("is encrypted")
        _check_pages(reader, limits)
        return ExtractedText(_text(reader, limits), _title(reader), PDF)
    except DependencyError:
        raise DocumentUnreadable("is encrypted") from None
    except LimitReachedError:
        raise DocumentUnreadable("unpacks to more than the reader allows") from None


def _check_pages(reader: PdfReader, limits: ReadingLimits) -> None:
    too_many = DocumentUnreadable(f"has more than {limits.pages:,} pages")
    # Check the declared count first: it may be wrong, but it can save counting.
    tree = reader.root_object.get("/Pages")
    pages = tree.get_object() if tree is not None else None
    if isinstance(pages, DictionaryObject) and isinstance(count := pages.get("/Count"), int) and count > limits.pages:
        raise too_many
    if len(reader.pages) > limits.pages:
        raise too_many


def _text(reader: PdfReader, limits: ReadingLimits) -> str:
    pages = []
    letters = 0
    for page in reader.pages:
        text = page.extract_text().strip("\n\f")
        letters += len(text)
        if letters > limits.text_bytes:
            raise TooLarge("document_text_bytes", limits.text_bytes)
        pages.append(text.replace("\f", "\n"))
    return "\n\f".join(pages) if any(text.strip() for text in pages) else ""


def _title(reader: PdfReader) -> str:
    title = reader.metadata.title if reader.metadata else None
    return title if isinstance(title, str) else ""
