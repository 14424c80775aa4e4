"""How any text becomes a part of a key or of an agent's id, so that no two are taken for each other."""

import hashlib
import re
from urllib.parse import quote, unquote

KEY_BYTES_MAX = 1_024
PART_BYTES_MAX = 200

# The sign of escapes, the separator, and the control characters, which keys must not have.
_ESCAPED = re.compile(r"[%/\x00-\x1f\x7f-\x9f]")


def escape(text: str) -> str:
    """Answer the text without separators and control characters; ``unescape`` answers the text again."""
    return _ESCAPED.sub(lambda found: quote(found[0], safe=""), text)


def unescape(escaped: str) -> str:
    """Answer the text that was escaped."""
    return unquote(escaped)


def part(text: str) -> str:
    """Answer the escaped text, or a digest of one that is long: at most 200 bytes.

    What is escaped has two digits after each percent sign, so that it never looks like a digest.
    """
    escaped = escape(text)
    if len(escaped.encode()) <= PART_BYTES_MAX:
        return escaped
    return "%sha256-" + hashlib.sha256(text.encode()).hexdigest()
