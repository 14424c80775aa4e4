"""The relative links of a Markdown page, which lead elsewhere once the page is read outside of the repository."""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = "https://github.com/memoryd/memoryd"
"""The address of the repository."""

_CODE = re.compile(r"^ *(?P<fence>```|~~~).*?^ *(?P=fence)$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(\]\(\s*<?)([^)\s>#]+)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def led(markdown: str, page: str, change: Callable[[str], str]) -> str:
    """Return a page with its relative links changed, code excepted.

    ``page`` is its path in the repository. ``change`` is given the path in the repository that a link leads to, and
    returns the new link, without its heading.
    """

    def replaced(link: re.Match[str]) -> str:
        if _ELSEWHERE.match(link[2]):
            return link[0]
        return link[1] + change(posixpath.normpath(posixpath.join(posixpath.dirname(page), link[2])))

    pieces, at = [], 0
    for code in _CODE.finditer(markdown):
        pieces += [_LINK.sub(replaced, markdown[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*pieces, _LINK.sub(replaced, markdown[at:])])


def at_source(path: str, revision: str = "main") -> str:
    """Return the address of a file or a folder of the repository at a branch or a tag."""
    return f"{SOURCE}/{'tree' if (ROOT / path).is_dir() else 'blob'}/{revision}/{path}"
