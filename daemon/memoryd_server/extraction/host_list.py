"""The hosts from which documents may be downloaded."""

import re
from collections.abc import Iterable

import httpx2

_PATTERN = re.compile(r"(?P<wide>\*\.)?(?P<host>\[.+\]|[^:]+)(?::(?P<port>[0-9]+))?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class HostList:
    """Hosts such as ``example.org``, ``*.example.org`` (those below it) or ``example.org:8080``.

    Without a port, the scheme's default port is allowed. Names are in ASCII, as DNS has them.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._exact: set[tuple[str, int | None]] = set()
        self._wide: set[tuple[str, int | None]] = set()
        for pattern in patterns:
            found = _PATTERN.fullmatch(pattern.lower())
            assert found is not None, pattern
            place = found["host"].strip("[]"), int(found["port"]) if found["port"] else None
            (self._wide if found["wide"] else self._exact).add(place)

    def has(self, url: httpx2.URL) -> bool:
        """Return True if the host of an http or https URL is on the list."""
        host, own_port = url.raw_host.decode("ascii").lower(), _DEFAULT_PORTS[url.scheme]
        ports = {url.port or own_port} | ({None} if url.port in (None, own_port) else set())
        above = host.split(".")
        wide = {".".join(above[start:]) for start in range(1, len(above))}
        return any((host, port) in self._exact or any((each, port) in self._wide for each in wide) for port in ports)
