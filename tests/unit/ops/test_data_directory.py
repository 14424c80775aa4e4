import grp
import os
import pwd
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the warnings of replaceable data directories say to do."""
    message = "other users can replace the data directory"
    return [vars(record)["remedy"] for record in caplog.records if record.message == message]


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
    with pytest.raises(OperatorError, match=rf"other users can write to {path}: run `chmod go-w {path}`"):
        DataDirectory(path)
    assert list(path.iterdir()) == []
    DataDirectory(path, insecure=True).close()


def test_others_than_the_user_in_the_group_of_a_directory_above_it_are_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    members: list[str] = []
    monkeypatch.setattr(grp, "getgrgid", lambda _: grp.struct_group(("team", "x", 4_000_000, members)))
    path = tmp_path / "data"
    path.mkdir()
    os.chown(path, -1, os.getegid())
    monkeypatch.setattr(pwd, "getpwall", list)
    path.chmod(0o2770)
    with pytest.raises(OperatorError, match=rf"`chmod go-w {path}`, or name a directory below it"):
        DataDirectory(path)
    DataDirectory(path / "below").close()
    assert warnings_of(caplog) == []
    members.append("another")
    DataDirectory(path / "below").close()
    assert warnings_of(caplog) == [f"chmod g-w {path}"]


@pytest.mark.parametrize("mode", [0o777, 0o702])
@pytest.mark.parametrize("below", ["data", "data/memoryd", "link"])
def test_a_directory_that_others_can_replace_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int, below: str
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    (tmp_path / "own").mkdir()
    (shared / "link").symlink_to(tmp_path / "own")
    path = shared / below
    DataDirectory(path, insecure=True).close()
    assert warnings_of(caplog) == []
    DataDirectory(path).close()
    assert warnings_of(caplog) == [f"chmod o-w {shared}"]
    caplog.clear()
    # As /tmp is: others cannot rename what is not theirs.
    shared.chmod(mode | stat.S_ISVTX)
    DataDirectory(path).close()
    assert warnings_of(caplog) == []


def test_a_directory_below_one_of_another_user_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "data"
    if os.geteuid() != 0:
        pytest.skip("only root gives a directory away")
    path.mkdir()
    os.chown(path, 4_000_000, -1)
    DataDirectory(path / "below").close()
    assert warnings_of(caplog) == [f"chown 0 {path}"]


def test_directories_above_it_are_created_for_their_owner_to_write(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        DataDirectory(tmp_path / "a" / "b" / "memoryd").close()
    finally:
        os.umask(before)
    assert {stat.S_IMODE((tmp_path / each).stat().st_mode) for each in ("a", "a/b")} == {0o755}


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


def test_a_pipe_in_it_is_refused_instead_of_awaited(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "memoryd.mark", 0o600)
    with pytest.raises(OperatorError, match=f"{tmp_path}/memoryd.mark is neither a file nor a directory: remove it"):
        DataDirectory(tmp_path)
