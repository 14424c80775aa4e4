"""A readable copy that is read: a file, standard input, or a directory whose notes are files of Markdown."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple, Self

from memoryd_server.ops.cli.agent.transfer.line import Header, decode_header, decode_record
from memoryd_server.ops.cli.agent.transfer.note_file import SUFFIX, decode_note
from memoryd_server.ops.cli.agent.transfer.record import Record
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import COPY_LINE_BYTES_MAX

RECORDS, NOTES = "records.jsonl", "notes"
"""The content of a directory: the file of all records but the notes, and the directory of the notes."""


class Placed(NamedTuple):
    """A record of a copy, and where it is: the line or the file."""

    place: str
    record: Record


class CopySource:
    """A copy that is read any number of times in a with block. ``-`` is standard input, which is kept in a file.

    So is a pipe. ``header`` is None for a directory that has notes alone. Raises OSError and OperatorError.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._stack = ExitStack()
        self._file: IO[bytes] | None = None
        self._notes: list[Path] = []
        self.header: Header | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._file = self._opened(stack)
            if self._file is not None:
                self.header = decode_header(_line_of(self._file, 1))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def _opened(self, stack: ExitStack) -> IO[bytes] | None:
        path = Path(self._path)
        if self._path == "-":
            return _kept(sys.stdin.buffer, stack)
        if not path.is_dir():
            file = stack.enter_context(path.open("rb"))
            return file if file.seekable() else _kept(file, stack)
        notes = path / NOTES
        found = notes.iterdir() if notes.is_dir() else ()
        # Not a pipe, whose writer may never come, nor the link that an editor leaves as its lock.
        self._notes = sorted(each for each in found if each.suffix == SUFFIX and each.is_file())
        if (path / RECORDS).exists():
            return stack.enter_context((path / RECORDS).open("rb"))
        if not self._notes:
            raise OperatorError(f"{path} has neither {RECORDS} nor {NOTES}/*{SUFFIX}")
        return None

    @property
    def size_bytes(self) -> int:
        """The size of all files."""
        size = sum(each.stat().st_size for each in self._notes)
        return size if self._file is None else size + self._file.seek(0, 2)

    def records(self, report: Callable[[int], None] = lambda _: None) -> Iterator[Placed]:
        """Yield all records in their order, and report the number of bytes read. Raises OperatorError."""
        done = 0
        for placed in self._lines():
            yield placed
            assert self._file is not None
            report(done := self._file.tell())
        for path in self._notes:
            content = _content_of(path)
            with _placed(str(path)):
                note = decode_note(content.decode(), path.stem)
            yield Placed(str(path), note)
            report(done := done + len(content))

    def _lines(self) -> Iterator[Placed]:
        if self._file is None:
            return
        self._file.seek(0)
        number = 1
        _line_of(self._file, number)
        while line := _line_of(self._file, number := number + 1):
            if not line.isspace():
                with _placed(f"line {number}"):
                    record = decode_record(line)
                if record is None:
                    return
                yield Placed(f"line {number}", record)
        raise OperatorError(f"the copy is incomplete: it has no end after line {number - 1}")


def _kept(source: IO[bytes], stack: ExitStack) -> IO[bytes]:
    """Return a copy, which the stack closes, of a file that can be read once."""
    kept: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
    stack.push(kept)
    shutil.copyfileobj(source, kept)
    kept.seek(0)
    return kept


def _content_of(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(COPY_LINE_BYTES_MAX + 1)
    if len(content) > COPY_LINE_BYTES_MAX:
        raise OperatorError(f"{path} is longer than {COPY_LINE_BYTES_MAX:,} bytes")
    return content


def _line_of(file: IO[bytes], number: int) -> bytes:
    line = file.readline(COPY_LINE_BYTES_MAX + 1)
    if len(line) > COPY_LINE_BYTES_MAX:
        raise OperatorError(f"line {number} is longer than {COPY_LINE_BYTES_MAX:,} bytes")
    return line


@contextmanager
def _placed(place: str) -> Iterator[None]:
    """Name the place in the error for what cannot be read there."""
    try:
        yield
    except UnicodeDecodeError:
        raise OperatorError(f"{place}: not UTF-8") from None
    except RecursionError:
        raise OperatorError(f"{place}: its values are nested too deeply") from None
    except (ValueError, OverflowError) as error:
        raise OperatorError(f"{place}: {error}") from None
