import os
import socket
import stat
from pathlib import Path

import pytest

from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.unix_socket import SocketAccess, access_of, prepare_socket, share_socket


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    directory = tmp_path / "private"
    directory.mkdir(mode=0o700)
    return directory


def test_the_directory_is_created_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "run" / "memoryd" / "memoryd.sock"
    prepare_socket(path)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not path.exists()


def test_a_private_directory_is_taken_as_it_is(directory: Path) -> None:
    prepare_socket(directory / "memoryd.sock")
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701])
def test_a_directory_that_others_may_enter_is_refused(directory: Path, mode: int) -> None:
    directory.chmod(mode)
    with pytest.raises(OperatorError, match="other users can enter"):
        prepare_socket(directory / "memoryd.sock")
    prepare_socket(directory / "memoryd.sock", insecure=True)


def test_the_socket_of_a_daemon_that_is_gone_is_removed(directory: Path) -> None:
    path = directory / "memoryd.sock"
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(path))
    assert path.exists()
    prepare_socket(path)
    assert not path.exists()


def test_the_socket_of_a_living_daemon_is_an_error_and_stays(directory: Path) -> None:
    path = directory / "memoryd.sock"
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(path))
        living.listen()
        with pytest.raises(OperatorError, match="in use by another process"):
            prepare_socket(path)
    assert path.exists()


def test_a_daemon_that_is_too_busy_to_answer_is_living(directory: Path) -> None:
    path = directory / "memoryd.sock"
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as waiting:
        busy.bind(str(path))
        busy.listen(0)
        waiting.connect(str(path))
        with pytest.raises(OperatorError, match="in use by another process"):
            prepare_socket(path)


def test_a_file_that_is_no_socket_is_never_removed(directory: Path) -> None:
    path = directory / "memoryd.sock"
    path.write_text("precious")
    with pytest.raises(OperatorError, match="is not a socket"):
        prepare_socket(path)
    assert path.read_text() == "precious"


def test_a_place_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OperatorError, match="listen: unix:"):
        prepare_socket(tmp_path / "file" / "below" / "memoryd.sock")


GROUP = os.getgid()


def test_a_socket_is_shared_with_a_group_on_purpose(tmp_path: Path) -> None:
    path = tmp_path / "run" / "memoryd.sock"
    access = access_of(None, str(GROUP))
    assert access == SocketAccess(0o660, GROUP)
    prepare_socket(path, access)
    directory = path.parent.stat()
    assert (stat.S_IMODE(directory.st_mode), directory.st_gid) == (0o710, GROUP)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
        share_socket(path, access)
        assert (stat.S_IMODE(path.stat().st_mode), path.stat().st_gid) == (0o660, GROUP)


@pytest.mark.parametrize("mode", [0o2770, 0o2775, 0o777])
def test_a_directory_of_a_pod_serves_a_socket_that_is_shared(directory: Path, mode: int) -> None:
    directory.chmod(mode)
    with pytest.raises(OperatorError, match="--socket-group or --socket-mode"):
        prepare_socket(directory / "memoryd.sock")
    prepare_socket(directory / "memoryd.sock", access_of(0o666, None))
    assert stat.S_IMODE(directory.stat().st_mode) == mode


def test_a_group_that_does_not_exist_is_a_clear_error() -> None:
    with pytest.raises(OperatorError, match="there is no group 'no-such-group'"):
        access_of(None, "no-such-group")


def test_a_socket_that_is_not_shared_keeps_its_permissions(directory: Path) -> None:
    path = directory / "memoryd.sock"
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
        path.chmod(0o600)
        share_socket(path, access_of(None, None))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_socket_that_is_gone_cannot_be_shared(directory: Path) -> None:
    with pytest.raises(OperatorError, match="socket_group: unix:"):
        share_socket(directory / "memoryd.sock", SocketAccess(0o660))
