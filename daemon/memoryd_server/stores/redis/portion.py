"""How many rows are asked for at a time, so that they come in time whatever their size."""

from collections.abc import Iterable

from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.redis.limit import PORTION_BYTES


class Portion:
    """``rows`` is how many to ask for next: fewer after many bytes, one after what did not come, then more again."""

    def __init__(self, rows_max: int) -> None:
        self.rows = rows_max
        self._rows_max = rows_max

    def came(self, rows: Iterable[JournalRow]) -> None:
        """A reply held these rows."""
        if sum(len(row.data) for row in rows) > PORTION_BYTES:
            self.rows = max(self.rows // 2, 1)
        else:
            self.rows = min(self.rows * 2, self._rows_max)

    def failed(self) -> None:
        """No reply came in time."""
        self.rows = 1
