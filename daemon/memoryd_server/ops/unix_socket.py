"""The directory of a unix socket: private to its owner, and without the socket of a stopped daemon."""

import os
import socket
import stat
from pathlib import Path

from memoryd_server.ops.error import OperatorError

CONNECT_TIMEOUT_S = 1.0


def prepare_socket(path: Path, *, insecure: bool = False) -> None:
    """Prepare to listen on ``path``: create its directory with mode 0700, and remove a stale socket.

    Raises OperatorError if other users can enter the directory (unless ``insecure``), or if ``path`` is the socket of a
    running daemon or not a socket.
    """
    try:
        _prepare_directory(path.parent, insecure=insecure)
        _remove_stale(path)
    except OSError as error:
        raise OperatorError(f"listen: unix:{path}: {error.strerror}") from error


def _prepare_directory(directory: Path, *, insecure: bool) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        status = directory.stat()
        is_private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
        if not is_private and not insecure:
            message = (
                f"listen: other users can enter {directory}: use a directory that you own, with mode 0700, "
                "or --insecure"
            )
            raise OperatorError(message) from None


def _remove_stale(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise OperatorError(f"listen: {path} exists and is not a socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(CONNECT_TIMEOUT_S)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except (TimeoutError, BlockingIOError):
            # A process listens, and is too busy to accept the connection.
            pass
    raise OperatorError(f"listen: unix:{path} is in use by another process")
