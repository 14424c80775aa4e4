"""The health of each service, for the protocols that report it to load balancers and orchestrators."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping

from memoryd_server.domain.error import Draining

WRITES = "memoryd.v1.Writes"
"""The name under which the health of changes is reported, which the server as a whole does not depend on."""
AUDIT = "memoryd.v1.Audit"
"""The name under which the health of the audit log is reported, where there is one. Nothing else depends on it."""


class Health:
    """The health of all services. The empty name stands for the server as a whole. Initially none serves.

    With a full store the services serve, because reads and removals succeed; only WRITES does not. So does AUDIT not
    while the audit log, which is there if ``is_audited``, cannot be written.
    """

    def __init__(self, service_names: Iterable[str], *, is_audited: bool = False) -> None:
        audit = [AUDIT] if is_audited else []
        self._serving = dict.fromkeys(("", *service_names, WRITES, *audit), False)
        self._changed = asyncio.Event()
        self._ended = False

    @property
    def serving(self) -> Mapping[str, bool]:
        """True for each service that serves, by its full name."""
        return self._serving

    def set_all(self, *, serving: bool, without: Collection[str] = ()) -> None:
        """Set the health of every service, and notify the watches. The names in ``without`` do not serve."""
        self._serving = {name: serving and name not in without for name in self._serving}
        self._wake()

    def end_watches(self) -> None:
        """End all watches, each after it has emitted the last change."""
        self._ended = True
        self._wake()

    async def watch(self, service_name: str) -> AsyncGenerator[bool | None, None]:
        """Yield the health of a service now, and after each change; None for a service that does not exist.

        Raises Draining once the watches have been ended. A server that stops would cancel an open stream, and the
        client might never read the last change.
        """
        emitted: bool | None = None
        is_first = True
        while True:
            serving, changed, ended = self._serving.get(service_name), self._changed, self._ended
            if is_first or serving != emitted:
                yield serving
                emitted, is_first = serving, False
            if ended:
                raise Draining
            await changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
