"""The settings of the daemon in deploy/ and in the Dockerfile, which it must accept."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deployment.chart import DEPLOY
from tests.deployment.dockerfile import command_of, stages_of
from tests.deployment.test_image import FINAL

from memoryd_server.ops.config.address import UnixAddress
from memoryd_server.ops.config.option import read_settings
from memoryd_server.ops.config.settings import Settings

PAGE = DEPLOY.parent / "docs" / "operations" / "deploying.md"
STORE = "rediss://memoryd:secret@valkey:6379/0"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MEMORYD_")]:
        monkeypatch.delenv(name)


def accepted(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], *flags: str) -> Settings:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return read_settings(flags)


def daemons_of(manifest: str) -> list[dict[str, Any]]:
    pods = (each.get("spec", {}).get("template", {}).get("spec", {}) for each in yaml.safe_load_all(manifest))
    containers = [each for pod in pods for each in (*pod.get("containers", ()), *pod.get("initContainers", ()))]
    return [each for each in containers if each["name"] == "memoryd"]


@pytest.mark.parametrize("path", sorted((DEPLOY / "kubernetes").glob("*.yaml")), ids=lambda path: path.stem)
def test_those_of_a_manifest(path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (daemon,) = daemons_of(path.read_text())
    assert daemon["args"] == ["serve"]
    settings = accepted(monkeypatch, {each["name"]: each.get("value", STORE) for each in daemon["env"]})
    directories = {mount["mountPath"] for mount in daemon["volumeMounts"]}
    # Not the root of a volume, which the group of the pod can write to.
    assert str(settings.storage.data_dir.parent) in directories
    (socket,) = (each for each in settings.listening.listen if isinstance(each, UnixAddress))
    assert str(socket.path.parent) in directories


def test_those_of_the_compose_file(monkeypatch: pytest.MonkeyPatch) -> None:
    daemon = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["memoryd"]
    settings = accepted(monkeypatch, daemon["environment"])
    assert settings.listening.socket_group == "7600"


def test_those_of_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = (DEPLOY / "systemd" / "memoryd.service").read_text()
    settings = accepted(monkeypatch, dict(re.findall(r"^Environment=(\w+)=(.*)$", unit, re.MULTILINE)))
    assert settings.listening.socket_group == "memoryd"


def test_those_of_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {name: value for step in FINAL if step.instruction == "ENV" for name, value in _pairs(step.value)}
    settings = accepted(monkeypatch, environment, *command_of(FINAL, "CMD")[1:])
    assert str(settings.storage.data_dir) == "/data"


def test_what_the_image_writes_to_is_mounted_where_the_page_makes_its_root_read_only() -> None:
    (line,) = re.findall(r"^docker run --read-only .*$", PAGE.read_text("utf-8"), re.MULTILINE)
    mounted = set(re.findall(r"(?:--tmpfs |-v \w+:)(/[\w/]+)", line))
    sockets = {each.removeprefix("unix:") for each in command_of(FINAL, "CMD") if each.startswith("unix:")}
    data = dict(_pairs(" ".join(step.value for step in FINAL if step.instruction == "ENV")))["MEMORYD_DATA_DIR"]
    assert mounted == {"/tmp", data, *(str(Path(each).parent) for each in sockets)}


def _pairs(value: str) -> list[tuple[str, str]]:
    return re.findall(r"(MEMORYD_\w+)=(\S+)", value)


def test_the_stages_of_a_dockerfile_are_its_steps() -> None:
    text = 'ARG A=1\nFROM x AS one\n# no\nRUN a \\\n # no\n && b\nFROM y\nCMD ["c", "d"]\n'
    (run,), final = stages_of(text)
    assert run.value == "a && b"
    assert command_of(final, "CMD") == ["c", "d"]
