"""The audit log as a file: what is appended, rotation, and a disk that cannot be written."""

import json
import logging
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX, until

from memoryd_server.ops.auditing import audit_file
from memoryd_server.ops.auditing.audit_file import AuditFile, AuditTelemetry
from memoryd_server.ops.auditing.audit_line import line_of, record_of
from memoryd_server.ops.auditing.audit_tail import AuditTail
from memoryd_server.ops.error import SettingError
from memoryd_server.ports.audit import AuditPhase, AuditRecord

TIME_NS = 1_785_000_000_623_456_000
WHOLE = AuditRecord(
    time_ns=TIME_NS,
    phase=AuditPhase.END,
    method="memoryd.v1.SnapshotService/ExportSnapshot",
    caller="ada",
    peer="ipv4:127.0.0.1:1",
    agent_ids=("a", "team-*"),
    user_id="u",
    request_id="r",
    target_id="s",
    requests=("delete_note",),
    trace_id="0" * 32,
    status="PERMISSION_DENIED",
    reason="VERB_FORBIDDEN",
    denied=True,
    duration_ns=1_500_000,
    omitted_count=3,
)


def record(number: int) -> AuditRecord:
    return AuditRecord(TIME_NS, AuditPhase.CALL, f"Service/{number}")


def numbers(path: Path) -> list[int]:
    """Return the numbers of the records in a file."""
    lines = path.read_text().splitlines()
    return [int(json.loads(line)["method"].removeprefix("Service/")) for line in lines]


class Written:
    """An audit log in a folder, with what it has notified."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.telemetry = AuditTelemetry()
        self.notified: list[bool] = []
        self.file = AuditFile(path, self.telemetry)
        self.file.notify = self.notified.append

    def add(self, *added: int) -> None:
        for number in added:
            self.file.add(record(number))


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Written]:
    written = Written(tmp_path / "audit.log")
    yield written
    written.file.close()


class Disk:
    """Writes for the audit log: whole, in part, not at all, or once it goes on."""

    def __init__(self) -> None:
        self.error: OSError | None = None
        self.bytes_max = self.room = 1 << 30
        self.goes_on, self.is_waiting = threading.Event(), threading.Event()
        self.goes_on.set()
        self._write = os.write

    def write(self, file: int, data: bytes) -> int:
        if not self.goes_on.is_set():
            self.is_waiting.set()
            self.goes_on.wait()
        if self.error is not None:
            raise self.error
        if not self.room:
            raise OSError(28, "No space left on device")
        written = self._write(file, data[: min(self.bytes_max, self.room)])
        self.room -= written
        return written


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(audit_file.os, "write", disk.write)  # type: ignore[attr-defined]
    monkeypatch.setattr(audit_file, "AUDIT_RETRY_S", 0.01)  # time: the next try
    monkeypatch.setattr(audit_file, "AUDIT_QUEUE_MAX", 3)
    return disk


def test_a_record_is_a_line_without_what_is_empty_and_is_read_again() -> None:
    line = line_of(WHOLE)
    assert json.loads(line)["time"] == "2026-07-25T17:20:00.623456Z"
    assert json.loads(line)["duration_ms"] == 1.5
    assert record_of(line) == WHOLE
    assert set(json.loads(line_of(record(1)))) == {"time", "phase", "method"}
    for bad in (b"", b"{", b"{}", b'{"time":"x"}', b"[]", line[:50]):
        with pytest.raises(ValueError, match=r".*"):
            record_of(bad)


def test_records_are_appended_in_their_order_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "audit.log"
    path.write_bytes(line_of(record(0)))
    written = Written(path)
    written.add(*range(1, 100))
    written.file.close()
    assert numbers(path) == list(range(100))
    assert (written.telemetry.written.value, written.telemetry.lost.value, written.notified) == (99, 0, [])


def test_a_line_that_was_left_in_part_spoils_no_other(tmp_path: Path) -> None:
    path, part = tmp_path / "audit.log", line_of(record(0))[:9]
    path.write_bytes(line_of(record(1)) + part)
    for number in (2, 3):
        written = Written(path)
        written.add(number)
        written.file.close()
    assert path.read_bytes().splitlines() == [
        each.removesuffix(b"\n") for each in (line_of(record(1)), part, line_of(record(2)), line_of(record(3)))
    ]


def test_a_new_log_is_read_by_its_owner_alone(written: Written) -> None:
    assert stat.S_IMODE(written.path.stat().st_mode) & 0o177 == 0


def test_a_log_that_cannot_be_opened_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"none/audit\.log cannot be written: No such file"):
        AuditFile(tmp_path / "none" / "audit.log", AuditTelemetry())


def test_a_named_pipe_is_refused_at_the_start_while_nobody_reads_it(tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "pipe")
    with pytest.raises(SettingError, match="cannot be written: No such device"):
        AuditFile(path, AuditTelemetry())
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    written = Written(path)
    written.add(1)
    written.file.close()
    assert os.read(reader, 1_000) == line_of(record(1))
    os.close(reader)


def test_only_what_is_appended_to_a_regular_file_can_be_followed(written: Written, tmp_path: Path) -> None:
    assert written.file.can_be_followed
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (pipe, Path("/dev/null"), audit_file.STANDARD_OUTPUT):
        other = Written(path)
        assert not other.file.can_be_followed
        other.file.close()
    os.close(reader)


def test_a_log_that_was_moved_away_or_removed_is_opened_again(written: Written) -> None:
    written.add(1)
    until(lambda: numbers(written.path) == [1], "the record is written")
    moved = written.path.rename(written.path.with_suffix(".1"))
    written.add(2)
    until(lambda: written.path.exists() and numbers(written.path) == [2], "the record is in a new file")
    assert numbers(moved) == [1]


async def test_a_log_that_was_moved_away_is_let_go_when_it_is_opened_again(written: Written) -> None:
    moved = written.path.rename(written.path.with_suffix(".1"))
    await written.file.reopen()
    until(written.path.exists, "the log is opened again")
    written.add(1)
    until(lambda: numbers(written.path) == [1], "the record is written")
    assert numbers(moved) == []


def test_what_waits_while_the_disk_is_full_is_written_once_there_is_room(
    written: Written, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    disk.error = OSError(28, "No space left on device")
    with caplog.at_level(logging.WARNING):
        written.add(1)
        until(lambda: written.notified == [False], "the failure is reported")
        assert written.telemetry.failing.value == 1
        # Three wait, and two are lost.
        written.add(2, 3, 4, 5, 6)
        disk.error = None
        until(lambda: written.notified == [False, True], "the end of the failure is reported")
    until(lambda: numbers(written.path) == [1, 2, 3, 4], "what waited is written")
    written.add(7)
    until(lambda: numbers(written.path) == [1, 2, 3, 4, 7], "the next one is written")
    assert json.loads(written.path.read_text().splitlines()[-1])["omitted_count"] == 2
    assert (written.telemetry.lost.value, written.telemetry.failing.value) == (2, 0)
    assert [each.message for each in caplog.records] == ["audit log cannot be written", "audit log is written again"]


def test_a_write_that_does_not_end_is_reported_once_records_are_lost(written: Written, disk: Disk) -> None:
    disk.goes_on.clear()
    written.add(1)
    until(disk.is_waiting.is_set, "the first record is about to be written")
    written.add(2, 3, 4)
    assert (written.notified, written.telemetry.failing.value) == ([], 0)
    written.add(5, 6)
    assert (written.notified, written.telemetry.failing.value) == ([False], 1)
    disk.goes_on.set()
    until(lambda: written.notified == [False, True], "the end of the failure is reported")
    until(lambda: numbers(written.path) == [1, 2, 3, 4], "what waited is written")
    assert (written.telemetry.lost.value, written.telemetry.failing.value) == (2, 0)


def test_a_record_that_is_written_in_part_is_completed(written: Written, disk: Disk) -> None:
    disk.bytes_max = 5
    written.add(1, 2, 3)
    until(lambda: written.telemetry.written.value == 3, "all are written")
    assert numbers(written.path) == [1, 2, 3]


def test_a_log_that_is_moved_away_to_make_room_is_opened_again_and_has_whole_lines(
    written: Written, disk: Disk
) -> None:
    whole = len(line_of(record(1)))
    disk.room = whole + 5
    written.add(1, 2)
    until(lambda: written.notified == [False], "the failure is reported")
    moved = written.path.rename(written.path.with_suffix(".1"))
    disk.room = 1 << 30
    until(lambda: written.telemetry.written.value == 2, "all are written")
    assert numbers(written.path)[-1:] == [2]
    assert moved.read_bytes()[:whole] == line_of(record(1))


async def test_a_line_is_completed_in_a_log_that_is_opened_again_and_was_not_moved(
    written: Written, disk: Disk
) -> None:
    disk.room = 5
    written.add(1)
    until(lambda: written.notified == [False], "the failure is reported")
    await written.file.reopen()
    disk.room = 1 << 30
    until(lambda: written.telemetry.written.value == 1, "the record is written")
    assert numbers(written.path) == [1]


def test_a_log_goes_on_where_a_file_reports_as_it_is_closed_what_it_could_not_write(
    written: Written, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    close = os.close

    def close_and_fail(file: int) -> None:
        close(file)
        raise OSError(122, "Disk quota exceeded")

    written.add(1)
    until(lambda: numbers(written.path) == [1], "the record is written")
    written.path.rename(written.path.with_suffix(".1"))
    with monkeypatch.context() as patched:
        patched.setattr(audit_file.os, "close", close_and_fail)  # type: ignore[attr-defined]
        written.add(2)
        until(lambda: written.path.exists() and numbers(written.path) == [2], "the record is in a new file")
    assert "audit log not closed well" in caplog.text


def test_an_end_while_the_disk_is_full_does_not_wait_for_it(
    tmp_path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    written = Written(tmp_path / "audit.log")
    disk.error = OSError(28, "No space left on device")
    written.add(1, 2)
    ending = threading.Thread(target=written.file.close)
    ending.start()
    ending.join(WAIT_S_MAX)
    assert not ending.is_alive()
    assert written.telemetry.lost.value == 2
    assert "audit records lost" in caplog.text


@pytest.fixture
def appended(tmp_path: Path) -> tuple[Path, Callable[..., None]]:
    path = tmp_path / "audit.log"
    path.write_bytes(b"before\n")

    def append(data: bytes) -> None:
        with path.open("ab") as file:
            file.write(data)

    return path, append


def test_a_tail_reads_whole_lines_from_where_it_began(appended: tuple[Path, Callable[..., None]]) -> None:
    path, append = appended
    tail = AuditTail(path)
    assert tail.read(is_wanted=False) == []
    append(b"passed by\n")
    assert tail.read(is_wanted=False) == []
    append(b"one\ntw")
    assert tail.read(is_wanted=True) == [b"one"]
    append(b"o\n")
    assert tail.read(is_wanted=True) == [b"two"]
    assert tail.read(is_wanted=True) == []


def test_a_tail_reads_a_rotated_file_to_its_end_and_then_the_new_one(
    appended: tuple[Path, Callable[..., None]],
) -> None:
    path, append = appended
    tail = AuditTail(path)
    tail.read(is_wanted=True)
    append(b"old\n")
    path.rename(path.with_suffix(".1"))
    append(b"new\n")
    assert tail.read(is_wanted=True) == [b"old"]
    assert tail.read(is_wanted=True) == [b"new"]
    path.write_bytes(b"")
    assert tail.read(is_wanted=True) == []
    append(b"after\n")
    assert tail.read(is_wanted=True) == [b"after"]
