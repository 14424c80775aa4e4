"""Reads plain text and Markdown in any encoding."""

import re

from memoryd_server.domain.error import TooLarge
from memoryd_server.extraction.file_type import MARKDOWN, TEXT
from memoryd_server.extraction.message import ReadingLimits
from memoryd_server.extraction.text_decoding import decoded
from memoryd_server.ports.extraction import UNKNOWN_FILE, ExtractedText, FileDescription

_BYTES_PER_LETTER_MAX = 4
_FIRST_HEADING = re.compile(r"\s*# +(?P<title>[^\n]+)")


def read_text(data: bytes, limits: ReadingLimits, file: FileDescription = UNKNOWN_FILE) -> ExtractedText:
    """Return plain text unchanged."""
    _check_length(data, limits)
    text, charset = decoded(data, file.charset, (file.charset_hint,))
    return ExtractedText(text, "", TEXT, charset)


def read_markdown(data: bytes, limits: ReadingLimits, file: FileDescription = UNKNOWN_FILE) -> ExtractedText:
    """Return Markdown unchanged. Its title is the heading at its beginning."""
    _check_length(data, limits)
    text, charset = decoded(data, file.charset, (file.charset_hint,))
    heading = _FIRST_HEADING.match(text)
    return ExtractedText(text, heading["title"].rstrip("# ") if heading else "", MARKDOWN, charset)


def _check_length(data: bytes, limits: ReadingLimits) -> None:
    if len(data) > _BYTES_PER_LETTER_MAX * limits.text_bytes:
        raise TooLarge("document_text_bytes", limits.text_bytes)
