"""The way of audit records: into the log, and to those who watch."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator

import msgspec

from memoryd_server.domain.error import Draining
from memoryd_server.ports.audit import AuditLog, AuditRecord
from memoryd_server.transport.limit import AUDIT_DENIALS_MAX, AUDIT_DENIALS_S, AUDIT_WATCH_RECORDS_MAX

Wanted = Callable[[AuditRecord], bool]


class AuditTrail:
    """Takes the records of calls. Of one caller's denied calls, those beyond AUDIT_DENIALS_MAX in AUDIT_DENIALS_S are
    only counted.

    Otherwise a caller that sends wrong tokens could fill the disk. Such calls have no caller, and are counted together.
    If ``others_publish`` is true, watches get what ``publish`` is called with, and not what is added here.
    """

    def __init__(
        self, log: AuditLog, clock: Callable[[], float] = time.monotonic, *, others_publish: bool = False
    ) -> None:
        self._log = log
        self._clock = clock
        self.others_publish = others_publish
        self._watches: set[AuditWatch] = set()
        self._denials: dict[str, int] = {}
        self._denials_since = clock()
        self._omitted = 0
        self._is_closed = False

    def add(self, record: AuditRecord) -> None:
        """Keep a record, and send it to those who watch. It neither blocks nor raises."""
        if record.denied and not self._is_within_bound(record.caller):
            self._omitted += 1
            return
        if self._omitted:
            record = msgspec.structs.replace(record, omitted_count=self._omitted)
            self._omitted = 0
        self._log.add(record)
        if not self.others_publish:
            self.publish(record)

    def publish(self, record: AuditRecord) -> None:
        """Send a record to those who watch."""
        for watch in self._watches:
            watch.add(record)

    @contextlib.contextmanager
    def watch(self, wanted: Wanted) -> Iterator["AuditWatch"]:
        """Watch the records that are wanted for the duration of a with block."""
        watch = AuditWatch(wanted, is_ended=self._is_closed)
        self._watches.add(watch)
        try:
            yield watch
        finally:
            self._watches.discard(watch)

    def close(self) -> None:
        """End all watches, each once it has emitted what it has."""
        self._is_closed = True
        for watch in self._watches:
            watch.end()

    @property
    def watch_count(self) -> int:
        """Number of watches."""
        return len(self._watches)

    def _is_within_bound(self, caller: str) -> bool:
        now = self._clock()
        if now - self._denials_since >= AUDIT_DENIALS_S:
            self._denials_since = now
            self._denials.clear()
        # Nobody can make up a caller: each is in the policy, or a trusted issuer or authority has signed for it.
        count = self._denials[caller] = self._denials.get(caller, 0) + 1
        return count <= AUDIT_DENIALS_MAX


class AuditWatch:
    """The records that one reader is still to get. When they are too many, the oldest are dropped, and counted.

    How many records were omitted before one that is not wanted is passed on to the next; before one that is dropped,
    they count as dropped, too.
    """

    def __init__(self, wanted: Wanted, *, is_ended: bool = False) -> None:
        self._wanted = wanted
        self._records: deque[AuditRecord] = deque(maxlen=AUDIT_WATCH_RECORDS_MAX)
        self._missed = self._omitted = 0
        self._is_ended = is_ended
        self._changed = asyncio.Event()

    def add(self, record: AuditRecord) -> None:
        """Add a record, if it is wanted."""
        if not self._wanted(record):
            self._omitted += record.omitted_count
            return
        if self._omitted:
            record = msgspec.structs.replace(record, omitted_count=record.omitted_count + self._omitted)
            self._omitted = 0
        if len(self._records) == AUDIT_WATCH_RECORDS_MAX:
            self._missed += 1 + self._records[0].omitted_count
        self._records.append(record)
        self._changed.set()

    def end(self) -> None:
        """Let the watch end once it has emitted what it has."""
        self._is_ended = True
        self._changed.set()

    async def records(self) -> AsyncGenerator[tuple[AuditRecord, int], None]:
        """Yield each record with the number of those before it that were dropped. Raises Draining at the end."""
        while True:
            while self._records:
                missed, self._missed = self._missed, 0
                yield self._records.popleft(), missed
            if self._is_ended:
                raise Draining
            self._changed.clear()
            await self._changed.wait()
