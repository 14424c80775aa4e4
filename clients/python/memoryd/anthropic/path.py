"""Paths of memory files, such as ``/memories/people/ada.md``."""

import re
from urllib.parse import unquote

from anthropic.lib.tools import ToolError

ROOT = "/memories"
# The maximum size of a document's title, in bytes of UTF-8.
PATH_BYTES_MAX = 1_024

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def normalized(path: str) -> str:
    """Return the path without repeated or trailing slashes. Raises ToolError unless it is within ``/memories``."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    # A model may have learned to encode what is refused; a name with percent signs is otherwise allowed.
    if ".." in re.split(r"[/\\]", unquote(path)):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    whole = "/" + "/".join(parts)
    if _CONTROL.search(whole) or _has_surrogate(whole):
        raise ToolError(f"Error: Path {path!r} has control characters or lone surrogates")
    if len(whole.encode()) > PATH_BYTES_MAX:
        raise ToolError(f"Error: Path {path} is longer than {PATH_BYTES_MAX} bytes")
    return whole


def parents(path: str) -> list[str]:
    """Return the directories that contain the path, without ``/memories``, which always exists."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(3, len(parts))]


def is_below(path: str, directory: str) -> bool:
    """Return whether the path is that of something in the directory, at any depth."""
    return path.startswith(f"{directory}/")


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
