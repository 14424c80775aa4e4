"""Writes a readable copy of an agent: to a file, to standard output, or to a directory with its notes as Markdown."""

import os
import secrets
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from memoryd_server.ops.cli.agent.transfer.copy_source import NOTES, RECORDS
from memoryd_server.ops.cli.agent.transfer.line import END, Header, encode_header, encode_record
from memoryd_server.ops.cli.agent.transfer.note_file import SUFFIX, encode_note
from memoryd_server.ops.cli.agent.transfer.record import Record, read_records, read_text
from memoryd_server.ops.error import OperatorError

if TYPE_CHECKING:
    from memoryd.sync.channel import Channel

Write = Callable[[Record], None]


class Exporter:
    """Reads an agent at one revision, and writes its records of these kinds."""

    def __init__(self, channel: "Channel", agent_id: str, kinds: Sequence[str]) -> None:
        self._channel = channel
        self._agent_id = agent_id
        self._kinds = kinds
        self._memory_ids: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.revision = 0

    def to_file(self, file: IO[bytes], report: Callable[[int], None], *, note: Write | None = None) -> None:
        """Write all lines. ``note`` writes the notes elsewhere. Raises CallFailed, OSError, OperatorError."""
        for revision, records in read_records(self._channel, self._agent_id, self._kinds):
            if not self.revision:
                self.revision = revision
                file.write(encode_header(self._header()) + b"\n")
            for record in records:
                if not self._is_kept(record):
                    continue
                if note is not None and record.kind == "note":
                    note(record)
                else:
                    file.write(encode_record(self._complete(record)) + b"\n")
                self.counts[record.kind] += 1
                report(self.counts.total())
        file.write(END + b"\n")

    def _header(self) -> Header:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return Header(agent_id=self._agent_id, revision=str(self.revision), export_time=now)

    def _is_kept(self, record: Record) -> bool:
        """Return False for a link to a forgotten memory, which is not exported."""
        if record.kind == "memory":
            self._memory_ids.add(record.message.memory_id)
        return (
            record.kind != "memory_link"
            or {record.message.from_memory_id, record.message.to_memory_id} <= self._memory_ids
        )

    def _complete(self, record: Record) -> Record:
        if record.kind != "document":
            return record
        text = read_text(self._channel, self._agent_id, record.message)
        if text is None:
            raise OperatorError(
                f"{record.name} changed during the export, whose records are of revision {self.revision}: export again"
            )
        return record._replace(text=text)


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that its owner alone may read. It replaces an existing one at the end of the with block."""
    # Two exports to one file would otherwise publish each other's beginning.
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def export_to(exporter: Exporter, destination: str, report: Callable[[int], None]) -> None:
    """Write a copy to a file, to standard output (``-``), or to a directory, if one exists or a slash ends its name.

    Raises OperatorError for a directory that is not empty, CallFailed and OSError.
    """
    if destination == "-":
        exporter.to_file(sys.stdout.buffer, report)
        return
    path = Path(destination)
    if path.is_dir() or destination.endswith("/"):
        _export_to_directory(exporter, path, report)
        return
    # A device or a pipe is written to, and stays what it is.
    with path.open("wb") if path.exists() and not path.is_file() else written(path) as file:
        exporter.to_file(file, report)


def _export_to_directory(exporter: Exporter, path: Path, report: Callable[[int], None]) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(path.iterdir()):
        raise OperatorError(f"{path} is not empty: name a new directory")
    notes = path / NOTES
    notes.mkdir(mode=0o700)

    def write_note(record: Record) -> None:
        note = notes / f"{record.message.note_id}{SUFFIX}"
        if note.parent != notes or note.exists():
            # Where the file system ignores case, two ids may be one name.
            raise OperatorError(f"{note} is not the name of a new file, for {record.name}: export to a file instead")
        with written(note) as file:
            file.write(encode_note(record.message).encode())

    try:
        with written(path / RECORDS) as file:
            exporter.to_file(file, report, note=write_note)
    except BaseException:
        # An import would take them for a copy of notes alone, and --delete the others.
        shutil.rmtree(notes)
        raise
