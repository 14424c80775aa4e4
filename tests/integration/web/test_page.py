"""The commands of docs/http.md, as they stand there."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX

PAGE = (Path(__file__).parents[3] / "docs" / "http.md").read_text("utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def test_what_the_page_sets_is_read(served: Daemon) -> None:
    commands = BLOCKS[0].replace("127.0.0.1:7600", served.address).replace("curl", "curl -sS --fail")
    done = subprocess.run(["sh", "-ec", commands], capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert done.returncode == 0, done.stderr
    assert r'"valueJson":"\"happy\""' in done.stdout


def test_the_description_is_fetched(served: Daemon, tmp_path: Path) -> None:
    command = BLOCKS[1].replace("127.0.0.1:7600", served.address)
    subprocess.run(["sh", "-ec", command], check=True, timeout=WAIT_S_MAX, cwd=tmp_path)
    assert json.loads((tmp_path / "openapi.json").read_bytes())["openapi"] == "3.1.0"


def test_the_watch_of_the_page_begins(served: Daemon) -> None:
    command = BLOCKS[2].replace("127.0.0.1:7600", served.address)
    with subprocess.Popen(["sh", "-ec", f"exec {command}"], stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        assert watch.stdout.readline().startswith("id: ")
        assert '"resumeToken":' in watch.stdout.readline()
        watch.kill()
