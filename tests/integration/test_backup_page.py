"""Every command of docs/operations/backup.md, run in the order of the page."""

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.daemon import COMMAND, Daemon
from tests.integration.test_backup import iso
from tests.port import free_address
from tests.wait import PATIENT, WAIT_S_MAX, until

import memoryd

PAGE = (Path(__file__).parents[2] / "docs" / "operations" / "backup.md").read_text("utf-8")
_BLOCK = re.compile(r"^ *```(?:sh|ini)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^ *(?:ExecStart=/opt/memoryd/bin/)?(memoryd [^#\n]*?) *(?:#.*)?$", re.MULTILINE)


def commands() -> Iterator[str]:
    for block in _BLOCK.findall(PAGE):
        yield from _LINE.findall(block)


@pytest.mark.whole
def test_the_commands_of_the_page_work_in_their_order(launch_process: Callable[..., Daemon], tmp_path: Path) -> None:
    daemon, drill = launch_process(), free_address()
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "memoryd").symlink_to(COMMAND)
    (tools / "aws").write_text('#!/bin/sh\ncat > "$(dirname "$0")/../$(basename "$4")"\n')
    (tools / "aws").chmod(0o755)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "MEMORYD_ADDRESS": daemon.address}
    data_dir, places = tmp_path / "data", {}
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.agent("support").set("k", 0)
        subprocess.run([COMMAND, "backup", "create", "--to", tmp_path / "backup"], env=environment, check=True)
        for number in range(1, 413):
            client.agent("support").set("k", number)
        moment = time.time_ns() // 1_000 * 1_000
        until(lambda: time.time_ns() > moment + 1_000, "the moment has passed")
        client.agent("support").set("k", "after")
        places = {
            "/backups/memory": str(tmp_path / "backup"),
            "/var/lib/memoryd": str(data_dir),
            "/tmp/drill": str(tmp_path / "drill"),
            "2026-05-20T14:05": iso(moment),
            "127.0.0.1:7700": drill,
        }
        served: list[subprocess.Popen[bytes]] = []
        ran = 0
        try:
            for command in commands():
                shutil.rmtree(data_dir, ignore_errors=True)
                for written, place in places.items():
                    command = command.replace(written, place)
                if command.endswith("&"):
                    served.append(subprocess.Popen(shlex.split(command.rstrip(" &")), env=environment))
                    continue
                done = subprocess.run(
                    command,
                    shell=True,
                    env=environment,
                    timeout=WAIT_S_MAX,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, f"{command}: {done.stderr}"
                ran += 1
        finally:
            for each in served:
                each.kill()
                each.wait()
        assert ran >= 12
        assert client.agent("support-yesterday").get("k") == 412
        assert client.agent("support").get("k") == 411
    assert list(tmp_path.glob("*.json"))
