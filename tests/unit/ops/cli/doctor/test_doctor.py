import importlib.util
import json
import os
import re
import resource
import shutil
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding

from memoryd_server.ops.auth.policy_edit import create_token
from memoryd_server.ops.cli.doctor import data, host
from memoryd_server.ops.cli.doctor.finding import Finding
from memoryd_server.ops.cli.doctor.running import REMEDIES
from memoryd_server.ops.cli.doctor.security import check_security
from memoryd_server.ops.config.settings import Security, Settings, Snapshots, Storage, Tls

Command = Callable[..., tuple[int, str, str]]
PAGE = Path(__file__).parents[5] / "docs" / "operations" / "observing.md"


def by_check(findings: Iterable[Finding]) -> dict[str, Finding]:
    """Return findings by the names of their checks."""
    return {each.check: each for each in findings}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A data directory for its owner alone."""
    path = tmp_path / "data"
    path.mkdir(mode=0o700)
    return path


def settings_for(directory: Path, interval: float = 0.0) -> Settings:
    """Return the settings of a daemon with this data directory."""
    return Settings(storage=Storage(data_dir=directory), snapshots=Snapshots(interval=interval))


def certificate(file: Path, days: int) -> Path:
    """Write a certificate that expires in some days."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([]), datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=100))
        .not_valid_after(now + timedelta(days=days, hours=1))
        .sign(key, hashes.SHA256())
    )
    file.write_bytes(built.public_bytes(Encoding.PEM))
    return file


def test_a_directory_of_its_owner_is_ok(directory: Path) -> None:
    found = by_check(data.check_data(settings_for(directory)))
    assert found["data directory"].state == "ok"
    assert found["clock"].state == "ok"


def test_a_missing_directory_is_created_by_serve(tmp_path: Path) -> None:
    found = by_check(data.check_data(settings_for(tmp_path / "new")))
    assert (found["data directory"].state, "serve creates it" in found["data directory"].found) == ("ok", True)


def test_a_directory_that_others_can_write_to_fails_with_the_remedy(directory: Path) -> None:
    directory.chmod(0o777)
    found = by_check(data.check_data(settings_for(directory)))["data directory"]
    assert found.state == "fail"
    assert f"chmod go-w {directory}" in found.remedy
    insecure = msgspec.structs.replace(settings_for(directory), security=Security(insecure=True))
    assert by_check(data.check_data(insecure))["data directory"].state == "warn"


def test_a_full_disk_fails(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, state in ((1, "fail"), (90 * 2**30, "warn"), (900 * 2**30, "ok")):
        usage = type("Usage", (), {"free": free, "total": 1_000 * 2**30})
        monkeypatch.setattr(shutil, "disk_usage", lambda _path, usage=usage: usage)
        assert by_check(data.check_data(settings_for(directory)))["disk"].state == state


def test_a_file_of_the_future_means_a_wrong_clock(directory: Path) -> None:
    file = directory / "memoryd.db"
    file.touch()
    later = time.time() + 3_600
    os.utime(file, (later, later))
    found = by_check(data.check_data(settings_for(directory)))["clock"]
    assert (found.state, "in the future" in found.found) == ("fail", True)


def test_an_old_snapshot_is_a_warning(directory: Path) -> None:
    assert by_check(data.check_data(settings_for(directory)))["snapshots"].state == "warn"
    (directory / "snapshots").mkdir()
    file = directory / "snapshots" / "one"
    file.touch()
    assert by_check(data.check_data(settings_for(directory)))["snapshots"].state == "ok"
    earlier = time.time() - 30 * 86_400
    os.utime(file, (earlier, earlier))
    assert by_check(data.check_data(settings_for(directory)))["snapshots"].state == "warn"
    assert by_check(data.check_data(settings_for(directory, interval=86_400.0 * 20)))["snapshots"].state == "ok"


@pytest.mark.parametrize(("days", "state"), [(-3, "fail"), (3, "warn"), (300, "ok")])
def test_a_certificate_is_known_by_its_end(tmp_path: Path, days: int, state: str) -> None:
    file = certificate(tmp_path / "cert.pem", days)
    found = by_check(check_security(Settings(tls=Tls(cert_file=file))))["TLS certificate"]
    assert found.state == state
    assert found.remedy.startswith("renew it") == (state != "ok")


def test_a_file_that_is_no_certificate_fails(tmp_path: Path) -> None:
    file = tmp_path / "cert.pem"
    file.write_text("nothing")
    assert by_check(check_security(Settings(tls=Tls(cert_file=file))))["TLS certificate"].state == "fail"
    missing = Settings(tls=Tls(cert_file=tmp_path / "missing"))
    assert by_check(check_security(missing))["TLS certificate"].state == "fail"


def test_a_key_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.touch(mode=0o600)
    settings = Settings(tls=Tls(key_file=file))
    assert by_check(check_security(settings))["TLS key"].state == "ok"
    file.chmod(0o644)
    assert by_check(check_security(settings))["TLS key"].remedy == f"chmod 600 {file}"
    file.unlink()
    assert by_check(check_security(settings))["TLS key"].state == "fail"


def test_a_token_file_needs_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    settings = Settings(security=Security(token_file=file))
    assert by_check(check_security(settings))["tokens"].state == "fail"
    create_token(file, "ada", ("*",))
    assert by_check(check_security(settings))["tokens"] == Finding("tokens", "ok", f"{file} has 1 caller")


def test_a_daemon_without_callers_list_is_a_warning_where_it_is_insecure() -> None:
    assert by_check(check_security(Settings()))["callers"].state == "ok"
    assert by_check(check_security(Settings(security=Security(insecure=True))))["callers"].state == "warn"


def test_there_is_a_remedy_for_each_component_of_the_page() -> None:
    (table,) = re.findall(r"^\| component \|.*\n.*\n((?:\|.*\n)+)", PAGE.read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == REMEDIES.keys()


def test_too_few_open_files_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    for most, state in ((1_024, "warn"), (1_000_000, "ok"), (resource.RLIM_INFINITY, "ok")):
        monkeypatch.setattr(resource, "getrlimit", lambda _which, most=most: (most, most))
        assert by_check(host.check_host(Settings()))["open files"].state == state


def test_a_missing_front_end_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert by_check(host.check_host(Settings()))["front end"].state == "warn"


@pytest.mark.whole
def test_the_exit_status_says_that_a_check_failed(command: Command, directory: Path) -> None:
    code, out, _ = command("doctor", "--offline", "--data-dir", str(directory), "--json")
    checks = {row["check"]: row["state"] for row in map(json.loads, out.splitlines())}
    assert (code, checks["versions"]) == (0, "ok")
    assert "daemon" not in checks
    code, out, _ = command("doctor", "--data-dir", str(directory), "--listen", "127.0.0.1:1")
    assert (code, "no daemon answers at 127.0.0.1:1" in out) == (1, True)


def test_a_token_file_that_is_missing_is_one_line(command: Command, tmp_path: Path) -> None:
    code, out, err = command("doctor", "--token-from", str(tmp_path / "none"))
    assert (code, out, err) == (1, "", f"memoryd: {tmp_path / 'none'}: No such file or directory\n")
