"""Titles of documents whose writers gave none."""

import re
from urllib.parse import unquote

from memoryd_server.domain.limit import TITLE_BYTES_MAX

_FIRST_LETTERS = 4 * TITLE_BYTES_MAX
_OF_TEMPLATE = re.compile(
    r"(?:microsoft )?(?:word|excel|powerpoint|office)(?: document| presentation| - .*)?|word-dokument|document ?\d*"
    r"|untitled(?: document)?(?:[ -]?\d+)?|(?:no|new) title|title|presentation ?\d*|slide 1|unbenannt|sans titre",
    re.IGNORECASE,
)
"""Titles that programs write into files that nobody has given a title."""


def title_of(document_id: str, text: str, own_title: str = "", name: str = "") -> str:
    """Return a title of one line: the file's own title, else its name, else its first line, else the document's id.

    A title that a template or a program has written is not the file's own.
    """
    if _OF_TEMPLATE.fullmatch(own_title.strip()[:_FIRST_LETTERS]):
        own_title = ""
    first = text.lstrip()[:_FIRST_LETTERS].partition("\n")[0].lstrip("#")
    for title in (own_title, name, first):
        in_line = _in_line(title)
        if in_line:
            return in_line
    return document_id


def name_in(source: str) -> str:
    """Return the name of the file in a path or a URL; empty if it ends without one."""
    _, is_url, rest = source.partition("://")
    if not is_url:
        return _in_line(source.replace("\\", "/").rpartition("/")[2])
    path = rest.partition("#")[0].partition("?")[0].partition("/")[2]
    return _in_line(unquote(path.rpartition("/")[2]))


def _in_line(text: str) -> str:
    """Return the text on one line, with single blanks, without control characters, cut to the bytes of a title."""
    kept = "".join(letter if letter.isprintable() else " " for letter in text[:_FIRST_LETTERS])
    return " ".join(kept.split()).encode()[:TITLE_BYTES_MAX].decode(errors="ignore").rstrip()
