"""The type of a file: by its first bytes, else by the declared media type, else by the suffix of its name."""

import re
from pathlib import PurePath

from memoryd_server.domain.error import DocumentUnreadable

TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_PDF_HEADER_WITHIN = 1024
"""Maximum offset of a PDF's header: some servers prepend other bytes."""

_OTHER_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "is an image"),
    (b"\xff\xd8\xff", "is an image"),
    (b"GIF8", "is an image"),
    (b"II*\0", "is an image"),
    (b"MM\0*", "is an image"),
    (b"\x1f\x8b", "is compressed"),
    (b"BZh", "is compressed"),
    (b"\xfd7zXZ\0", "is compressed"),
    (b"7z\xbc\xaf\x27\x1c", "is an archive"),
    (b"{\\rtf", "is RTF, which is not supported"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")
_HTML_BEGINNING = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?xml[^>]*>|<!--.*?-->)*<(?:!doctype\s+html|html|head|body)[\s>]",
    re.DOTALL | re.IGNORECASE,
)
_SNIFFED_BYTES = 4096

_TYPE_NAMES = {PDF: "PDF", DOCX: "DOCX"}
_ENDINGS = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".pdf": PDF,
    ".docx": DOCX,
}


def type_of(data: bytes, name: str, media_type: str) -> str:
    """Return one of the types of this module. Raises DocumentUnreadable for a file of another type."""
    declared = _declared(name, media_type)
    if data.startswith(b"%PDF-") or (declared == PDF and b"%PDF-" in data[:_PDF_HEADER_WITHIN]):
        return PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return DOCX
    if data.startswith(_OLE):
        is_encrypted = _ENCRYPTED_OFFICE in data
        raise DocumentUnreadable("is encrypted" if is_encrypted else "is of an older Office, which is not supported")
    for beginning, problem in _OTHER_BEGINNINGS:
        if data.startswith(beginning):
            raise DocumentUnreadable(problem)
    if _HTML_BEGINNING.match(data[:_SNIFFED_BYTES]):
        return HTML
    if declared in _TYPE_NAMES:
        raise DocumentUnreadable(f"is not a {_TYPE_NAMES[declared]} file, although its name or media type says so")
    return declared


def _declared(name: str, media_type: str) -> str:
    stated = media_type.partition(";")[0].strip().lower()
    if stated in (MARKDOWN, HTML, PDF, DOCX):
        return stated
    if stated == "application/xhtml+xml":
        return HTML
    # Not "text/plain": it is what clients and servers state by default, so the name's suffix is better evidence.
    return _ENDINGS.get(PurePath(name).suffix.lower(), TEXT)
