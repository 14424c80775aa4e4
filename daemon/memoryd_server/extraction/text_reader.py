"""Reads plain text and Markdown in any encoding."""

import codecs
import re

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.extraction.file_type import MARKDOWN, TEXT
from memoryd_server.extraction.message import ReadingLimits
from memoryd_server.ports.extraction import ExtractedText

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and their encodings. UTF-32's come before UTF-16's: one of those is a prefix."""

_BYTES_PER_LETTER_MAX = 4
_SAMPLE_BYTES = 256 * 1024
_OF_MAINFRAMES = ["cp037", "cp1026", "cp1140", "cp273", "cp424", "cp500", "cp875"]
"""Encodings of mainframes, which are never guessed: any text with repetitions looks plausible in them."""
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CONTROL_SHARE_MAX = 0.01
_SAMPLE_LETTERS = 64 * 1024
_FIRST_HEADING = re.compile(r"\s*# +(?P<title>[^\n]+)")


def read_text(data: bytes, limits: ReadingLimits) -> ExtractedText:
    """Return plain text unchanged."""
    _check_length(data, limits)
    return ExtractedText(decoded(data), "", TEXT)


def read_markdown(data: bytes, limits: ReadingLimits) -> ExtractedText:
    """Return Markdown unchanged. Its title is the heading at its beginning."""
    _check_length(data, limits)
    text = decoded(data)
    heading = _FIRST_HEADING.match(text)
    return ExtractedText(text, heading["title"].rstrip("# ") if heading else "", MARKDOWN)


def decoded(data: bytes, declared: str = "") -> str:
    """Decode bytes: by their byte order mark, else as UTF-8, else as ``declared``, else by the likeliest encoding.

    Raises DocumentUnreadable if the result looks binary.
    """
    text = _decoded(data, declared)
    sample = text[:_SAMPLE_LETTERS]
    if "\0" in text or len(_CONTROL.findall(sample)) > _CONTROL_SHARE_MAX * len(sample):
        raise DocumentUnreadable("is binary, and of no supported type")
    return text


def _check_length(data: bytes, limits: ReadingLimits) -> None:
    if len(data) > _BYTES_PER_LETTER_MAX * limits.text_bytes:
        raise TooLarge("document_text_bytes", limits.text_bytes)


def _decoded(data: bytes, declared: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    for encoding in filter(None, ("utf-8", declared)):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    if b"\0" in data:
        raise DocumentUnreadable("is binary, and of no supported type")
    return data.decode(_likely_encoding(data), "replace")


def _likely_encoding(data: bytes) -> str:
    # Imported here because few texts need it, and it is slow to import.
    import charset_normalizer

    likely = charset_normalizer.from_bytes(data[:_SAMPLE_BYTES], cp_exclusion=_OF_MAINFRAMES).best()
    if likely is None:
        raise DocumentUnreadable("is binary, or in an unknown encoding")
    return likely.encoding
