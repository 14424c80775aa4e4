"""The audit log: a file of JSON Lines, which is only appended to, by a thread of its own."""

import contextlib
import logging
import os
import stat
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec

from memoryd_server.ops.auditing.audit_line import line_of
from memoryd_server.ops.error import SettingError
from memoryd_server.ops.limit import AUDIT_END_S, AUDIT_QUEUE_MAX, AUDIT_RETRY_S
from memoryd_server.ports.audit import AuditRecord
from memoryd_server.ports.instrument import Counter, Gauge

log = logging.getLogger("memoryd.audit")

STANDARD_OUTPUT = Path("/dev/stdout")
_MODE = 0o600
"""For the owner alone, whatever the umask: the group may be that of the callers, who share the daemon's socket."""


class AuditTelemetry:
    """The metrics of the audit log."""

    def __init__(self) -> None:
        self.written = Counter("agents.memory.audit.written_total", "Records that were written to the audit log")
        self.lost = Counter(
            "agents.memory.audit.lost_total", "Records that the audit log lacks, as it was not writable"
        )
        self.failing = Gauge("agents.memory.audit.failing", "Whether the audit log cannot be written (1)")

    def instruments(self) -> tuple[Counter | Gauge, ...]:
        """Return the metrics."""
        return (self.written, self.lost, self.failing)


class AuditFile:
    """Appends records to a file, in the order in which they are added, within milliseconds. Raises SettingError.

    While the file cannot be written, up to AUDIT_QUEUE_MAX records wait, and it is tried again every AUDIT_RETRY_S.
    Further records are lost, and the next one says how many. Several processes may append to one file. ``notify`` is
    called, on either thread, with False when the file cannot be written, and with True once it can again.
    """

    def __init__(self, path: Path, telemetry: AuditTelemetry) -> None:
        self._path = path
        self._telemetry = telemetry
        self._waiting: deque[AuditRecord] = deque()
        self._changed = threading.Condition()
        self._lost = 0
        self._is_to_reopen = False
        self._is_closed = False
        self.notify: Callable[[bool], None] = lambda _: None
        try:
            self._file = _opened(path)
        except OSError as error:
            raise SettingError("audit_log", f"{path} cannot be written: {error.strerror}") from error
        self._end_last_line()
        self._thread = threading.Thread(target=self._run, name="audit log", daemon=True)
        self._thread.start()

    def add(self, record: AuditRecord) -> None:
        """Have a record written. Implements ``AuditLog``."""
        if not self._queue(record):
            self._telemetry.lost.add()
            # Nothing else would say so where a write neither fails nor ends, as to a pipe that nobody reads.
            self._report("too many records wait for it")

    @property
    def can_be_followed(self) -> bool:
        """True if what any process appends can be read by the path: not from a pipe, or from standard output."""
        return self._path != STANDARD_OUTPUT and stat.S_ISREG(os.fstat(self._file).st_mode)

    async def reopen(self) -> None:
        """Open the path again, as another program may have moved the file away. If that fails, the old one stays."""
        with self._changed:
            self._is_to_reopen = True
            self._changed.notify()

    def close(self) -> None:
        """Write what waits, and close the file. Blocks for at most AUDIT_END_S."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join(AUDIT_END_S)
        if self._thread.is_alive():
            log.error("audit log not written to its end", extra={"file": str(self._path)})

    def _queue(self, record: AuditRecord) -> bool:
        """Have a record wait to be written. Return False if too many do."""
        with self._changed:
            if len(self._waiting) >= AUDIT_QUEUE_MAX:
                self._lost += 1
                return False
            if self._lost:
                record = msgspec.structs.replace(record, omitted_count=record.omitted_count + self._lost)
                self._lost = 0
            self._waiting.append(record)
            self._changed.notify()
            return True

    def _end_last_line(self) -> None:
        """End a line of which a process that ended on a full disk has written a part: the next one is then whole."""
        # Neither is certain: the log may not be readable, and the disk may still be full.
        with contextlib.suppress(OSError):
            if self.can_be_followed and not _is_at_line_start(self._path):
                os.write(self._file, b"\n")

    def _run(self) -> None:
        while (records := self._next()) is not None:
            if self._take_reopening() or self._is_moved():
                self._reopen()
            if records and self._write(b"".join(map(line_of, records))):
                self._telemetry.written.add(len(records))
            elif records:
                self._telemetry.lost.add(len(records))
                log.error("audit records lost", extra={"file": str(self._path), "count": len(records)})
        self._close_file()

    def _next(self) -> list[AuditRecord] | None:
        """Wait, and return the records to write; none when the path is to be opened again; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_to_reopen or self._is_closed)
            if not self._waiting and self._is_closed:
                return None
            records = list(self._waiting)
            self._waiting.clear()
            return records

    def _write(self, lines: bytes) -> bool:
        """Write all of the lines, as soon as that can be done. Return False if it could not until the end."""
        written = 0
        while written < len(lines):
            try:
                written += os.write(self._file, lines[written:])
            except OSError as error:
                self._report(error.strerror or str(error))
                with self._changed:
                    ended = self._changed.wait_for(lambda: self._is_closed or self._is_to_reopen, AUDIT_RETRY_S)
                    if ended and self._is_closed:
                        return False
                # To move it away, or to remove it, is what makes room.
                if (self._take_reopening() or self._is_moved()) and self._reopen():
                    # A line that the old file has in part is written to the new one as a whole.
                    written = lines.rfind(b"\n", 0, written) + 1
        self._report("")
        return True

    def _report(self, fault: str) -> None:
        """Report that the file cannot be written, once, and that it can again if there is no fault."""
        is_failing = bool(fault)
        if is_failing == bool(self._telemetry.failing.value):
            return
        self._telemetry.failing.set(int(is_failing))
        if is_failing:
            log.error("audit log cannot be written", extra={"file": str(self._path), "error": fault})
        else:
            log.warning("audit log is written again", extra={"file": str(self._path)})
        self.notify(not is_failing)

    def _take_reopening(self) -> bool:
        with self._changed:
            is_asked, self._is_to_reopen = self._is_to_reopen, False
            return is_asked

    def _is_moved(self) -> bool:
        """Return True if the path no longer names the open file."""
        if self._path == STANDARD_OUTPUT:
            return False
        try:
            return not os.path.samestat(self._path.stat(), os.fstat(self._file))
        except OSError:
            return True

    def _reopen(self) -> bool:
        """Open the path instead of the open file. Return True if it names another one now."""
        try:
            opened = _opened(self._path)
        except OSError as error:
            log.error("audit log not opened again", extra={"file": str(self._path), "error": error.strerror})
            return False
        is_another = not os.path.samestat(os.fstat(opened), os.fstat(self._file))
        self._close_file()
        self._file = opened
        return is_another

    def _close_file(self) -> None:
        try:
            os.close(self._file)
        except OSError as error:
            # A network file system reports here what it could not write. The file is closed all the same.
            log.error("audit log not closed well", extra={"file": str(self._path), "error": error.strerror})


def _is_at_line_start(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return file.read(1) in (b"", b"\n")


def _opened(path: Path) -> int:
    if path == STANDARD_OUTPUT:
        # Its own path cannot be opened where it is a socket, or belongs to another user.
        return os.dup(1)
    # Without O_NONBLOCK, a named pipe would be waited for that nobody reads.
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, _MODE)
    os.set_blocking(file, True)
    return file
