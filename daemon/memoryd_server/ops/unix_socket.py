"""The place of a unix socket: a directory that nobody else can enter, without the socket of a daemon that is gone."""

import os
import socket
import stat
from pathlib import Path

from memoryd_server.ops.error import OperatorError

CONNECT_TIMEOUT_S = 1.0


def prepare_socket(path: Path, *, insecure: bool = False) -> None:
    """Make ready for a socket at ``path``: create its directory with mode 0700, remove a stale socket.

    Raises OperatorError when others may enter the directory (unless ``insecure``), or when something else is there: a
    daemon that answers, or no socket at all.
    """
    try:
        _prepare_directory(path.parent, insecure=insecure)
        _remove_stale(path)
    except OSError as error:
        raise OperatorError(f"listen: unix:{path}: {error.strerror}", "CANNOT_LISTEN") from error


def _prepare_directory(directory: Path, *, insecure: bool) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        status = directory.stat()
        is_private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
        if not is_private and not insecure:
            message = (
                f"listen: {directory} may be entered by others: use a directory of mode 0700 of your own, "
                "or say --insecure"
            )
            raise OperatorError(message, "SOCKET_DIRECTORY_NOT_PRIVATE") from None


def _remove_stale(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise OperatorError(f"listen: {path} exists and is not a socket", "CANNOT_LISTEN")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(CONNECT_TIMEOUT_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except (TimeoutError, BlockingIOError):
            # Somebody holds it and is too busy to take us.
            pass
    raise OperatorError(f"listen: unix:{path} is in use by another process", "ADDRESS_IN_USE")
