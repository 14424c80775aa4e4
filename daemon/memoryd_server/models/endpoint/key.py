"""Where an endpoint's API key comes from, and to whom it may be sent."""

import ipaddress
from collections.abc import Mapping
from pathlib import Path

import httpx2


def api_key_of(path: Path | None, variable: str, environment: Mapping[str, str]) -> str | None:
    """The key that a file holds, without a file the environment's variable; None for none.

    Raises ValueError that says what is wrong, never with the key in it, and OSError.
    """
    where = variable if path is None else str(path)
    try:
        key = environment.get(variable, "") if path is None else path.read_text("ascii")
    except UnicodeDecodeError:
        raise ValueError(f"{where}: it is not text") from None
    key = key.strip()
    if not key and path is not None:
        raise ValueError(f"{where}: it holds no key")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"{where}: it holds more than a key")
    return key or None


def check_secrecy(base_url: str) -> None:
    """Raises ValueError where the key could be read on the way. A name other than localhost may resolve to anything."""
    url = httpx2.URL(base_url)
    try:
        is_loopback = ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        is_loopback = url.host == "localhost"
    if url.scheme != "https" and not is_loopback:
        raise ValueError(f"the API key would be sent to {url.host} in the clear: use https, or say --insecure")
