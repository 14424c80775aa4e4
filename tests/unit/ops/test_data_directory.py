import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError


def test_it_is_created_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "share" / "memoryd"
    with DataDirectory(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert stat.S_IMODE((path / "lock").stat().st_mode) == 0o600


def test_it_knows_where_things_lie(tmp_path: Path) -> None:
    with DataDirectory(tmp_path) as directory:
        assert directory.snapshot_path == tmp_path / "snapshots"


def test_a_second_daemon_fails_with_the_process_that_has_the_lock(tmp_path: Path) -> None:
    with DataDirectory(tmp_path), pytest.raises(OperatorError) as refused:
        DataDirectory(tmp_path)
    assert refused.value.message == f"data_dir: {tmp_path} is in use by process {os.getpid()}"


def test_it_is_free_again_once_closed(tmp_path: Path) -> None:
    DataDirectory(tmp_path).close()
    DataDirectory(tmp_path).close()


def test_it_is_free_again_once_its_daemon_was_killed(tmp_path: Path) -> None:
    program = (
        "import signal, sys; from pathlib import Path\n"
        "from memoryd_server.ops.data_directory import DataDirectory\n"
        "directory = DataDirectory(Path(sys.argv[1])); print('held', flush=True); signal.pause()"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(OperatorError, match=f"process {holder.pid}"):
            DataDirectory(tmp_path)
        holder.send_signal(signal.SIGKILL)
    with DataDirectory(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_path_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(OperatorError, match="data_dir: cannot use"):
        DataDirectory(path)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o2775, 0o702])
def test_a_directory_that_others_can_write_is_refused_with_what_to_do(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "data"
    path.mkdir()
    path.chmod(mode)
    with pytest.raises(
        OperatorError, match=rf"other users can write to {path}: run `chmod go-w {path}`, or name a dir"
    ):
        DataDirectory(path)
    assert list(path.iterdir()) == []
    DataDirectory(path, insecure=True).close()
    DataDirectory(path / "below").close()


@pytest.mark.parametrize("name", ["memoryd.db", "snapshots"])
def test_a_file_that_others_can_write_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.mkdir() if name == "snapshots" else path.touch()
    path.chmod(0o766)
    with pytest.raises(OperatorError, match=rf"other users can write to {path}: run `chmod go-w {path}`$"):
        DataDirectory(tmp_path)
    path.chmod(0o755)
    DataDirectory(tmp_path).close()


def test_a_directory_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    path = tmp_path / "data"
    path.mkdir()
    if path.stat().st_uid == 0:
        DataDirectory(path).close()
        os.chown(path, user + 1, -1)
    with pytest.raises(OperatorError, match=f"run `chown {user} {path}`"):
        DataDirectory(path)


@pytest.mark.parametrize("name", [".", "snapshots"])
def test_a_link_to_a_directory_that_others_can_write_is_refused(tmp_path: Path, name: str) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    path = tmp_path / "data"
    if name == ".":
        path.symlink_to(shared)
    else:
        path.mkdir()
        (path / name).symlink_to(shared)
    with pytest.raises(OperatorError, match=f"other users can write to {path / name}: run `chmod go-w {path / name}`"):
        DataDirectory(path)
    shared.chmod(0o755)
    DataDirectory(path).close()


def test_a_link_that_leads_nowhere_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "snapshots").symlink_to("/nowhere")
    DataDirectory(tmp_path).close()
