"""The notifications of systemd, at a socket of the test."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

from memoryd_server.ops.service_manager import notify, reported_ready, reported_reload, watchdog_interval_s


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "notify"))
        receiver.settimeout(WAIT_S_MAX)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield receiver


def test_the_states_of_one_notification_are_lines(manager: socket.socket) -> None:
    notify("READY=1", "STATUS=well")
    assert manager.recv(100) == b"READY=1\nSTATUS=well"


def test_an_abstract_socket_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"memoryd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(f"\0{name}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        notify("READY=1")
        assert receiver.recv(100) == b"READY=1"


def test_a_manager_that_is_gone_does_no_harm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    notify("READY=1")


async def test_ready_and_stopping_enclose_serving(manager: socket.socket) -> None:
    async with reported_ready():
        assert manager.recv(100) == b"READY=1"
    assert manager.recv(100) == b"STOPPING=1"


async def test_the_watchdog_is_fed_while_the_loop_runs(manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "2000")
    async with reported_ready():
        heard = [await asyncio.to_thread(manager.recv, 100) for _ in range(3)]
    assert heard == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]


def test_a_reload_has_a_time_and_ends_with_ready(manager: socket.socket) -> None:
    with reported_reload():
        reloading = dict(line.split(b"=") for line in manager.recv(100).splitlines())
    assert reloading[b"RELOADING"] == b"1"
    assert int(reloading[b"MONOTONIC_USEC"]) > 0
    assert manager.recv(100) == b"READY=1"


@pytest.mark.parametrize(
    ("environment", "interval_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "60000000"}, 30.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "often"}, None),
    ],
)
def test_the_interval_of_the_watchdog_is_half_of_its_maximum(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], interval_s: float | None
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert watchdog_interval_s() == interval_s


def test_without_a_manager_there_is_no_watchdog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.setenv("WATCHDOG_USEC", "60000000")
    assert watchdog_interval_s() is None
