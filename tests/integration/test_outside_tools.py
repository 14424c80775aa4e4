"""Third-party tools against the daemon: grpcurl and the standard health probe. DC-07."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.integration.contract import METHODS
from tests.wait import WAIT_S_MAX

TOOLS = {
    "grpcurl": "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.3",
    "grpc-health-probe": "github.com/grpc-ecosystem/grpc-health-probe@v0.4.42",
}
BUILD_S_MAX = 900.0

pytestmark = [
    pytest.mark.skipif(shutil.which("go") is None, reason="there is no Go toolchain to build grpcurl with"),
    pytest.mark.timeout(2 * BUILD_S_MAX),
]


def built(tool: str) -> Path:
    """Build a tool, once a machine, and return its path.

    It is built by `go build` in a module that requires it, since `go install` requests the list of versions, which not
    every proxy has.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memoryd-tests"
    package, _, version = TOOLS[tool].rpartition("@")
    directory = cache / f"{tool}-{version}"
    path = directory / tool
    if path.exists():
        return path
    directory.mkdir(parents=True, exist_ok=True)
    module = package.partition("/cmd/")[0]
    (directory / "go.mod").write_text(f"module tools\n\ngo 1.24\n\nrequire {module} {version}\n")
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"}
    command = ["go", "build", "-p", "2", "-o", str(path), package]
    try:
        subprocess.run(
            command,
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=BUILD_S_MAX,
            check=True,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{tool} is not built within {BUILD_S_MAX:.0f} s")
    except subprocess.CalledProcessError as failure:
        pytest.skip(f"{tool} cannot be built here: {failure.stderr.strip().splitlines()[-1]}")
    return path


@pytest.fixture(scope="module")
def grpcurl() -> Path:
    return built("grpcurl")


@pytest.fixture(scope="module")
def probe() -> Path:
    return built("grpc-health-probe")


def run(*command: str | Path) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def call(grpcurl: Path, daemon: Daemon, method: str, request: str) -> Any:
    return json.loads(run(grpcurl, "-plaintext", "-d", request, daemon.address, f"memoryd.v1.{method}"))


def test_grpcurl_lists_the_services(grpcurl: Path, shared_daemon: Daemon) -> None:
    names = run(grpcurl, "-plaintext", shared_daemon.address, "list").split()
    assert {method.descriptor.containing_service.full_name for method in METHODS} <= set(names)
    assert "grpc.health.v1.Health" in names


def test_grpcurl_describes_services_methods_and_messages(grpcurl: Path, shared_daemon: Daemon) -> None:
    for symbol, words in {
        "memoryd.v1.WorkingMemoryService": "rpc SetEntry",
        "memoryd.v1.WorkingMemoryService.SetEntry": "rpc SetEntry",
        "memoryd.v1.SetEntryRequest": "google.protobuf.Value value",
        "memoryd.v1.ErrorReason": "ERROR_REASON_INVALID_FIELD",
        "grpc.health.v1.Health": "rpc List",
    }.items():
        assert words in run(grpcurl, "-plaintext", shared_daemon.address, "describe", symbol)


def test_a_typed_entry_can_be_set_and_got_with_grpcurl(grpcurl: Path, shared_daemon: Daemon) -> None:
    typed = '{"agent_id": "by-hand", "key": "user", "value": {"name": "Ada", "langs": ["en", null], "age": 36}}'
    assert call(grpcurl, shared_daemon, "WorkingMemoryService/SetEntry", typed)["revision"] == "1"
    request = '{"agent_id": "by-hand", "key": "user"}'
    answer = call(grpcurl, shared_daemon, "WorkingMemoryService/GetEntry", request)
    assert answer["found"] is True
    # grpcurl names a field as the daemon describes it: with its JSON name, or without.
    entry = answer["entry"]
    assert json.loads(entry.get("valueJson") or entry["value_json"]) == {
        "name": "Ada",
        "langs": ["en", None],
        "age": 36,
    }


def test_grpcurl_watches(grpcurl: Path, shared_daemon: Daemon) -> None:
    request = '{"filters": [{"agent_ids": ["watched-by-hand"]}]}'
    command = [grpcurl, "-plaintext", "-max-time", "30", "-d", request, shared_daemon.address]
    with subprocess.Popen(
        [*command, "memoryd.v1.EventService/WatchEvents"], stdout=subprocess.PIPE, text=True
    ) as watch:
        assert watch.stdout is not None
        try:
            assert message_from(watch.stdout)["phase"] == "WATCH_PHASE_OPENED"
            typed = '{"agent_id": "watched-by-hand", "key": "mood", "value": "curious"}'
            call(grpcurl, shared_daemon, "WorkingMemoryService/SetEntry", typed)
            (event,) = message_from(watch.stdout)["events"]
        finally:
            watch.kill()
    assert (event["type"], event["entry"]["key"], event["revision"]) == ("EVENT_TYPE_ENTRY_SET", "mood", "1")


def message_from(lines: Iterable[str]) -> Any:
    """Return the next message that grpcurl prints: it ends at a closing brace that is alone on its line."""
    text = ""
    for line in lines:
        text += line
        if line == "}\n":
            return json.loads(text)
    raise AssertionError(f"grpcurl ended: {text}")


def test_grpcurl_shows_why_a_call_was_refused(grpcurl: Path, shared_daemon: Daemon) -> None:
    command = [str(grpcurl), "-plaintext", "-d", '{"agent_id": "by-hand", "key": " "}', shared_daemon.address]
    command.append("memoryd.v1.WorkingMemoryService/GetEntry")
    answer = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert answer.returncode
    for words in ("InvalidArgument", "key: must not be blank"):
        assert words in answer.stderr


def test_grpcurl_reads_the_health(grpcurl: Path, shared_daemon: Daemon) -> None:
    command: list[str | Path] = [
        grpcurl,
        "-plaintext",
        "-d",
        '{"service": "memoryd.v1.EventService"}',
        shared_daemon.address,
    ]
    assert json.loads(run(*command, "grpc.health.v1.Health/Check")) == {"status": "SERVING"}
    listed = json.loads(run(grpcurl, "-plaintext", shared_daemon.address, "grpc.health.v1.Health/List"))
    assert listed["statuses"]["memoryd.v1.EventService"] == {"status": "SERVING"}


@pytest.mark.parametrize("service", ["", "memoryd.v1.WorkingMemoryService", "memoryd.v1.EventService"])
def test_the_health_probe_reports_healthy(probe: Path, shared_daemon: Daemon, service: str) -> None:
    run(probe, f"-addr={shared_daemon.address}", f"-service={service}")


@pytest.mark.whole
def test_the_health_probe_fails_when_the_daemon_is_gone(probe: Path, daemon: Daemon) -> None:
    daemon.stop()
    answer = subprocess.run(
        [probe, f"-addr={daemon.address}", "-connect-timeout=2s"], capture_output=True, timeout=WAIT_S_MAX, check=False
    )
    assert answer.returncode
