"""The adaptive number of rows per request, so that rows of any size arrive in time."""

from collections.abc import Iterable

from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.redis.limit import PORTION_BYTES


class Portion:
    """The number of ``rows`` to request next: halved by a large reply, doubled by a small one, 1 after a failure."""

    def __init__(self, rows_max: int) -> None:
        self.rows = rows_max
        self._rows_max = rows_max

    def came(self, rows: Iterable[JournalRow]) -> None:
        """Report the rows of a reply."""
        if sum(len(row.data) for row in rows) > PORTION_BYTES:
            self.rows = max(self.rows // 2, 1)
        else:
            self.rows = min(self.rows * 2, self._rows_max)

    def failed(self) -> None:
        """Report that no reply arrived in time."""
        self.rows = 1
