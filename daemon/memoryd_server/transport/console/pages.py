"""The console's files, as responses of HTTP's that never change while the daemon runs."""

from collections.abc import Iterator
from pathlib import Path

from memoryd_server.transport.page import Page, tag_of

PATH = "/console/"
"""The path of the console, below which its files are."""

_SITE = Path(__file__).parent / "site"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_GUARDS = (
    ("content-security-policy", _POLICY),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
)


def console_pages() -> list[Page]:
    """Return the console's files by path, and redirections to it from ``/`` and ``/console``."""
    return [*(_redirection(path) for path in ("/", PATH.rstrip("/"))), *_files()]


def _redirection(path: str) -> Page:
    return Page(path, 307, [*_GUARDS, ("location", PATH), ("cache-control", "no-store")], b"")


def _files() -> Iterator[Page]:
    for file in sorted(_SITE.iterdir()):
        body = file.read_bytes()
        # A browser asks each time whether it has the newest: a daemon of another version has other files.
        headers = [*_GUARDS, ("content-type", _TYPES[file.suffix]), tag_of(body), ("cache-control", "no-cache")]
        yield Page(PATH + ("" if file.name == "index.html" else file.name), 200, headers, body)
