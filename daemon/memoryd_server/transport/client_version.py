"""The versions of clients that the daemon serves, as their user agents name them.

The clients of this project begin theirs with ``memoryd-LANGUAGE/VERSION``. All others are served.
"""

import re

from memoryd_server import __version__
from memoryd_server.domain.error import VersionUnsupported
from memoryd_server.transport.limit import MINOR_VERSIONS_APART_MAX, USER_AGENTS_MAX

_USER_AGENT = re.compile(r"memoryd-[a-z]+/((\d{1,9})\.(\d{1,9})[0-9A-Za-z.+-]{0,40})(?: |$)")


class ClientVersions:
    """Refuses clients whose version does not work with the daemon's.

    ``supported`` has user agents that ``check`` accepts, so that nearly every call costs one look into a set.
    """

    def __init__(self, version: str = __version__) -> None:
        self._version = version
        major, minor = version.split(".")[:2]
        self._release = (int(major), int(minor))
        self.supported: set[str | None] = {None}

    def check(self, user_agent: str | None) -> None:
        """Raise VersionUnsupported if the user agent is that of a client that does not work with the daemon."""
        if user_agent in self.supported:
            return
        if named := _USER_AGENT.match(user_agent or ""):
            release = (int(named[2]), int(named[3]))
            if not _work_together(release, self._release):
                raise VersionUnsupported(named[1], self._version, "client" if release < self._release else "server")
        # Bounded: user agents are the clients' own texts.
        if len(self.supported) < USER_AGENTS_MAX:
            self.supported.add(user_agent)


def _work_together(client: tuple[int, int], server: tuple[int, int]) -> bool:
    is_stable, distance = server[0] > 0, abs(client[1] - server[1])
    return client[0] == server[0] and (is_stable or distance <= MINOR_VERSIONS_APART_MAX)
