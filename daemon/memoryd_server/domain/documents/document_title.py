"""What a document is called that its writer gave no title."""

from urllib.parse import unquote

from memoryd_server.domain.limit import TITLE_BYTES_MAX

_FIRST_LETTERS = 4 * TITLE_BYTES_MAX


def title_of(document_id: str, text: str, own_title: str = "", name: str = "") -> str:
    """The file's own title, else its name, else its first line, else the document's id: in one line, and cut."""
    first = text.lstrip()[:_FIRST_LETTERS].partition("\n")[0].lstrip("#")
    for title in (own_title, name, first):
        in_line = _in_line(title)
        if in_line:
            return in_line
    return document_id


def name_in(source: str) -> str:
    """The name of a file in its path or its URL; empty when it ends without one."""
    _, is_url, rest = source.partition("://")
    if not is_url:
        return _in_line(source.replace("\\", "/").rpartition("/")[2])
    path = rest.partition("#")[0].partition("?")[0].partition("/")[2]
    return _in_line(unquote(path.rpartition("/")[2]))


def _in_line(text: str) -> str:
    """The text without control characters, its blanks made single ones, within the bytes of a title."""
    kept = "".join(letter if letter.isprintable() else " " for letter in text[:_FIRST_LETTERS])
    return " ".join(kept.split()).encode()[:TITLE_BYTES_MAX].decode(errors="ignore").rstrip()
