"""The encoding of any text as a part of a key or of an agent's id. Different texts become different parts."""

import hashlib
import re
from urllib.parse import quote, unquote

KEY_BYTES_MAX = 1_024
PART_BYTES_MAX = 200
CONVERSATION_ID_BYTES_MAX = 256

# The escape character, the separator, control characters, which keys must not have, and what agents' ids must not.
_ESCAPED = re.compile(r"[%/*\x00-\x1f\x7f-\x9f]")


def escape(text: str) -> str:
    """Return the text without separators, asterisks and control characters. ``unescape`` reverses it."""
    return _ESCAPED.sub(lambda found: quote(found[0], safe=""), text)


def unescape(escaped: str) -> str:
    """Return the text that was escaped."""
    return unquote(escaped)


def part(text: str) -> str:
    """Return the escaped text, or its digest if it is longer than 200 bytes.

    In an escaped text, two hexadecimal digits follow each percent sign, so that it never equals a digest.
    """
    escaped = escape(text)
    if len(escaped.encode()) <= PART_BYTES_MAX:
        return escaped
    return "%sha256-" + hashlib.sha256(text.encode()).hexdigest()


def conversation_id(*names: str) -> str:
    """Return the id of a conversation for names such as a user's and a session's. Other names have another id."""
    joined = "/".join(map(escape, names))
    if joined.strip() and len(joined.encode()) <= CONVERSATION_ID_BYTES_MAX:
        return joined
    return "%sha256-" + hashlib.sha256(joined.encode()).hexdigest()
