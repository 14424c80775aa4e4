import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd_server.ops.cli.doctor import running

Command = Callable[..., tuple[int, str, str]]


def test_a_running_daemon_of_another_version_is_a_warning(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def states() -> dict[str, str]:
        code, out, _ = command("doctor", "--data-dir", str(tmp_path / "data"), "--json")
        assert code == 0
        return {row["check"]: row["state"] for row in map(json.loads, out.splitlines())}

    assert (states()["daemon"], states()["daemon version"]) == ("ok", "ok")
    monkeypatch.setattr(running, "__version__", "0.0.1")
    assert states()["daemon version"] == "warn"
