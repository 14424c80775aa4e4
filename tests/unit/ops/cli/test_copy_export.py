"""The files of an export: whole, or absent."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

import pytest

from memoryd.sync.channel import Channel
from memoryd.v1 import event_service_pb2, note_pb2
from memoryd_server.ops.cli.agent.transfer.exporting import Exporter, Write, export_to, written
from memoryd_server.ops.cli.agent.transfer.line import decode_record, encode_record
from memoryd_server.ops.cli.agent.transfer.record import Record
from memoryd_server.ops.error import OperatorError


class Stream(list[Any]):
    """The responses of a call that ends after them."""

    def cancel(self) -> None:
        """Nothing runs."""


class Responses:
    """A connection whose calls have these responses."""

    def __init__(self, *responses: Any) -> None:
        self._responses = responses

    def download(self, *_: Any) -> Stream:
        return Stream(self._responses)


class Notes(Exporter):
    """Writes notes with these ids, and fails after them if it is to."""

    def __init__(self, *note_ids: str, fails: bool = False) -> None:
        self._note_ids = note_ids
        self._fails = fails

    def to_file(self, file: IO[bytes], report: Callable[[int], None], *, note: Write | None = None) -> None:
        for note_id in self._note_ids:
            if note is not None:
                note(Record("note", note_pb2.Note(note_id=note_id)))
        file.write(b"lines\n")
        if self._fails:
            raise OSError("interrupted")


def export(path: Path | str, exporter: Exporter) -> None:
    export_to(exporter, str(path), lambda _: None)


def test_an_export_that_fails_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("older\n")
    for destination in (tmp_path / "copy", f"{tmp_path / 'folder'}/"):
        with pytest.raises(OSError, match="interrupted"):
            export(destination, Notes("a", fails=True))
    assert {str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")} == {"copy", "folder"}
    assert (tmp_path / "copy").read_text() == "older\n"


def test_two_exports_to_one_file_do_not_publish_each_others_beginning(tmp_path: Path) -> None:
    path = tmp_path / "copy"
    with written(path) as first:
        first.write(b"first\n")
        with written(path) as second:
            second.write(b"second\n")
        assert path.read_text() == "second\n"
    assert path.read_text() == "first\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    export(pipe, Notes())
    reader.join()
    assert (found, pipe.is_fifo()) == (["lines\n"], True)


@pytest.mark.parametrize("note_ids", [("../outside",), ("/nowhere/outside",), ("a/b",), ("same", "same")])
def test_a_note_is_in_a_new_file_of_its_directory(tmp_path: Path, note_ids: tuple[str, ...]) -> None:
    with pytest.raises(OperatorError, match="not the name of a new file"):
        export(f"{tmp_path / 'folder'}/", Notes(*note_ids))
    assert list(tmp_path.rglob("*")) == [tmp_path / "folder"]


def test_a_call_that_ends_before_the_last_record_is_no_whole_copy(tmp_path: Path) -> None:
    one = event_service_pb2.WatchEventsResponse(revision=1, phase=event_service_pb2.WATCH_PHASE_INITIAL_STATE)
    exporter = Exporter(cast("Channel", Responses(one)), "a", ())
    with pytest.raises(OperatorError, match="ended the call before"):
        export(tmp_path / "copy", exporter)
    assert list(tmp_path.iterdir()) == []


def test_a_line_has_no_character_that_moves_the_cursor() -> None:
    content = "".join(map(chr, (0x1B, 0x7F, 0x9B, 0x202E, 0x2028, 0x2066, 0x2603)))
    line = encode_record(Record("note", note_pb2.Note(note_id="a", content=content)))
    assert [each for each in line.decode() if not each.isprintable()] == []
    assert (decoded := decode_record(line)) is not None
    assert decoded.message.content == json.loads(line)["record"]["content"] == content
    assert "☃" in line.decode()
