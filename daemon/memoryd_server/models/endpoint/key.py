"""The API key of an endpoint: its source, and the check that it is not sent in the clear."""

import ipaddress
from collections.abc import Mapping
from pathlib import Path

import httpx2


def api_key_of(path: Path | None, variable: str, environment: Mapping[str, str]) -> str | None:
    """Return the key from a file or, without a file, from the environment's variable; None if that is empty.

    Raises OSError, and ValueError with a message that says what is wrong and never contains the key.
    """
    where = variable if path is None else str(path)
    try:
        key = environment.get(variable, "") if path is None else path.read_text("ascii")
    except UnicodeDecodeError:
        raise ValueError(f"{where}: the API key is not ASCII text") from None
    key = key.strip()
    if not key and path is not None:
        raise ValueError(f"{where}: the file is empty; it must contain the API key")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"{where}: the API key has a character that is not printable ASCII, or a space")
    return key or None


def check_secrecy(base_url: str) -> None:
    """Raise ValueError if the key would be sent to another machine without TLS.

    A host name other than localhost counts as another machine.
    """
    url = httpx2.URL(base_url)
    try:
        is_loopback = ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        is_loopback = url.host == "localhost"
    if url.scheme != "https" and not is_loopback:
        raise ValueError(f"the API key would be sent to {url.host} in the clear: use https, or --insecure")
