"""Unix sockets: private to the daemon's user, or shared on purpose, and without the socket of a stopped daemon."""

import grp
import os
import socket
import stat
from pathlib import Path

import msgspec

from memoryd_server.ops.error import OperatorError

CONNECT_TIMEOUT_S = 1.0


class SocketAccess(msgspec.Struct, frozen=True):
    """The permissions to connect to the unix sockets, and the number of their group.

    None leaves the permissions and the group as they are, in a directory that only the daemon's user can enter.
    """

    mode: int | None = None
    group: int | None = None


PRIVATE = SocketAccess()


def access_of(mode: int | None, group: str | None) -> SocketAccess:
    """Return the access as the settings describe it: 0660 for a group without a mode. Raises OperatorError."""
    if group is None:
        return SocketAccess(mode)
    try:
        number = int(group) if group.isascii() and group.isdecimal() else grp.getgrnam(group).gr_gid
    except KeyError:
        raise OperatorError(f"socket_group: there is no group {group!r}") from None
    return SocketAccess(0o660 if mode is None else mode, number)


def share_socket(path: Path, access: SocketAccess) -> None:
    """Give the socket that was bound to ``path`` its group and permissions. Raises OperatorError."""
    try:
        # The group first: with the permissions first, members of the former group could connect in between.
        if access.group is not None:
            os.chown(path, -1, access.group, follow_symlinks=False)
        if access.mode is not None:
            path.chmod(access.mode)
    except OSError as error:
        raise OperatorError(f"socket_group: unix:{path}: {error.strerror}") from error


def prepare_socket(path: Path, access: SocketAccess = PRIVATE, *, insecure: bool = False) -> None:
    """Prepare to listen on ``path``: create its directory, and remove a stale socket.

    A directory that is created can be entered by those whom ``access`` permits to connect. Raises OperatorError if
    other users can enter the directory (unless ``access`` names permissions, or ``insecure``), or if ``path`` is the
    socket of a running daemon or not a socket.
    """
    try:
        _prepare_directory(path.parent, access, insecure=insecure)
        _remove_stale(path)
    except OSError as error:
        raise OperatorError(f"listen: unix:{path}: {error.strerror}") from error


def _prepare_directory(directory: Path, access: SocketAccess, *, insecure: bool) -> None:
    directory.parent.mkdir(parents=True, exist_ok=True)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        status = directory.stat()
        is_private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
        if not is_private and access.mode is None and not insecure:
            message = (
                f"listen: other users can enter {directory}: use a directory that you own, with mode 0700; or share "
                "the socket on purpose, by --socket-group or --socket-mode"
            )
            raise OperatorError(message) from None
        return
    if access.group is not None:
        os.chown(directory, -1, access.group)
    if access.mode is not None:
        # To enter a directory, its permission to execute is enough.
        directory.chmod(0o700 | (access.mode & 0o044) >> 2)


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
