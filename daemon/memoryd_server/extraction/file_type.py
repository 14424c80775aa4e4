"""What type a file has: its beginning tells, then what its owner says, then the ending of its name."""

import re
from pathlib import PurePath

from memoryd_server.domain.error import DocumentUnreadable

TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_PDF_HEADER_WITHIN = 1024
"""Before its header a PDF may have what some server put there."""

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
    (b"{\\rtf", "is RTF, which is not read"),
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
    """One of the types of this module. Raises DocumentUnreadable for files that are of none of them."""
    told = _told(name, media_type)
    if data.startswith(b"%PDF-") or (told == PDF and b"%PDF-" in data[:_PDF_HEADER_WITHIN]):
        return PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return DOCX
    if data.startswith(_OLE):
        is_encrypted = _ENCRYPTED_OFFICE in data
        raise DocumentUnreadable("is encrypted" if is_encrypted else "is of an older Office, which is not read")
    for beginning, problem in _OTHER_BEGINNINGS:
        if data.startswith(beginning):
            raise DocumentUnreadable(problem)
    if _HTML_BEGINNING.match(data[:_SNIFFED_BYTES]):
        return HTML
    if told in _TYPE_NAMES:
        raise DocumentUnreadable(f"is no {_TYPE_NAMES[told]}, whatever its name says")
    return told


def _told(name: str, media_type: str) -> str:
    said = media_type.partition(";")[0].strip().lower()
    if said in (MARKDOWN, HTML, PDF, DOCX):
        return said
    if said == "application/xhtml+xml":
        return HTML
    # "text/plain" is what those say who do not know better.
    return _ENDINGS.get(PurePath(name).suffix.lower(), TEXT)
