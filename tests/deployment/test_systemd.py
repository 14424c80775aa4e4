"""The unit of systemd: verified and rated by systemd itself, and obeyed by the daemon with a manager of the test."""

import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon import COMMAND, Daemon
from tests.deployment.program import lacks
from tests.wait import WAIT_S_MAX

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "systemd"
UNIT = (FOLDER / "memoryd.service").read_text()
EXPOSURE_MAX = 2.0
"""Of 10, by `systemd-analyze security`: 2.0 and below is what it calls OK."""

PAGES_UNIT = re.compile(r"^```ini\n(\[Unit\]\n.*?)^```", re.DOTALL | re.MULTILINE)
"""A unit that a page shows."""
KINDS = {"[Service]": "service", "[Timer]": "timer"}

with_systemd = pytest.mark.skipif(lacks("systemd-analyze"), reason="systemd-analyze is not installed")


def run(*command: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def units_of_pages() -> dict[str, dict[str, str]]:
    """Return the units in the pages that have some, by the kind of unit."""
    pages = {page.name: PAGES_UNIT.findall(page.read_text("utf-8")) for page in ROOT.glob("docs/**/*.md")}
    return {
        name: {kind: unit for unit in units for section, kind in KINDS.items() if section in unit}
        for name, units in pages.items()
        if units
    }


def verify(folder: Path, units: dict[str, str]) -> str:
    """Return what systemd has against units, which it asks for by their names."""
    for name, unit in units.items():
        # It asks whether the command is there: here it is that of the tests.
        (folder / name).write_text(unit.replace("/opt/memoryd/bin/memoryd", str(COMMAND)))
    return run("systemd-analyze", "verify", *(str(folder / name) for name in units))


@with_systemd
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    assert verify(tmp_path, {"memoryd.service": UNIT}) == ""


@with_systemd
@pytest.mark.parametrize("page", units_of_pages())
def test_systemd_accepts_the_units_of_a_page(page: str, tmp_path: Path) -> None:
    units = {f"memoryd-page.{kind}": unit for kind, unit in units_of_pages()[page].items()}
    assert verify(tmp_path, units) == ""


def test_the_backup_calls_the_daemon_where_its_unit_has_it_listen() -> None:
    backup = units_of_pages()["backup.md"]["service"]
    (listen,) = re.findall(r"^Environment=MEMORYD_LISTEN=(.*)$", UNIT, re.MULTILINE)
    assert re.findall(r"^Environment=MEMORYD_ADDRESS=(.*)$", backup, re.MULTILINE) == [listen]


def test_systemd_starts_the_daemon_again_however_often_it_fails() -> None:
    section = UNIT.partition("[Service]")[0]
    assert "\nStartLimitIntervalSec=0\n" in section
    assert "\nRestart=on-failure\n" in UNIT


@with_systemd
def test_systemd_rates_the_unit_as_little_exposed() -> None:
    rating = run("systemd-analyze", "security", "--offline=true", str(FOLDER / "memoryd.service"))
    found = re.search(r"exposure level for memoryd.service: ([0-9.]+)", rating)
    assert found is not None
    assert float(found[1]) <= EXPOSURE_MAX


@pytest.mark.skipif(lacks("systemd-sysusers"), reason="systemd-sysusers is not installed")
def test_its_user_can_be_created(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    run("systemd-sysusers", f"--root={root}", str(FOLDER / "memoryd.sysusers"))
    assert "memoryd:" in (root / "etc" / "passwd").read_text()


class Manager:
    """A service manager that hears the notifications of a daemon."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(WAIT_S_MAX)

    def hear(self, state: str) -> None:
        """Wait for a state, and skip those of the watchdog."""
        while (heard := self._socket.recv(100).decode()) != state:
            assert heard == "WATCHDOG=1"

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


def test_the_daemon_reports_when_it_serves_and_stops(manager: Manager, tmp_path: Path) -> None:
    environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "20000"}
    daemon = Daemon(tmp_path, "--durability", "memory", environment=environment)
    daemon.start()
    try:
        manager.hear("READY=1")
        manager.hear("WATCHDOG=1")
        assert daemon.stop() == 0
        manager.hear("STOPPING=1")
    finally:
        daemon.close()
