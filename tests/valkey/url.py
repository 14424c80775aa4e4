"""Options of a store's URL."""

from urllib.parse import urlencode


def with_options(url: str, **options: str | int) -> str:
    """Return the URL with these options appended to those that it has."""
    return f"{url}{'&' if '?' in url else '?'}{urlencode(options)}"
