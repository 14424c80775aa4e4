"""The check that no other user can write to the data directory, or put another one in its place."""

import grp
import logging
import os
import pwd
import stat
from pathlib import Path

from memoryd_server.ops.error import OperatorError

log = logging.getLogger("memoryd.server")


def check_writers(directory: Path) -> None:
    """Raise OperatorError if users other than this process's and root can change what is in the directory.

    Raises it also for what is neither a file nor a directory.

    Who can write to the directory can replace the files in it, whatever their own modes are. A link counts as what it
    leads to: its own mode says nothing. Who can write to a directory above it can replace it, unless that one is
    sticky, as /tmp is. That is only logged: the volume of a pod is writable for all, and nobody else is in there.
    """
    for path in (directory, *sorted(directory.iterdir())):
        try:
            status = path.stat()
        except FileNotFoundError:  # A link that leads nowhere.
            continue
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            # To open a pipe waits for another process.
            raise OperatorError(f"data_dir: {path} is neither a file nor a directory: remove it")
        if stat.S_IMODE(status.st_mode) & (stat.S_IWGRP | stat.S_IWOTH):
            remedy = f"run `chmod go-w {path}`"
        elif status.st_uid not in (os.geteuid(), 0):
            remedy = f"run `chown {os.geteuid()} {path}`"
        else:
            continue
        if path == directory and not status.st_mode & stat.S_IWOTH:
            remedy += ", or name a directory below it, which memoryd creates for its user alone"
        raise OperatorError(f"data_dir: other users can write to {path}: {remedy}")
    for path in dict.fromkeys((*directory.absolute().parents, *directory.resolve().parents)):
        remedy = _remedy_of_parent(path)
        if remedy:
            log.warning(
                "other users can replace the data directory",
                extra={"data_dir": str(directory), "writable": str(path), "remedy": remedy},
            )


def _remedy_of_parent(path: Path) -> str:
    """Return what to do so that no other user can replace what is in a directory; empty for nothing."""
    status = path.stat()
    if status.st_uid not in (os.geteuid(), 0):
        return f"chown {os.geteuid()} {path}"
    if status.st_mode & stat.S_ISVTX:
        return ""
    if status.st_mode & stat.S_IWOTH:
        return f"chmod o-w {path}"
    if status.st_mode & stat.S_IWGRP and _has_others(status.st_gid):
        return f"chmod g-w {path}"
    return ""


def _has_others(group_id: int) -> bool:
    """Return True if a group is known to have a member other than this process's user and root.

    Many systems give each user a group of their own, and a container's volumes have a group that is in no list.
    """
    try:
        members = set(grp.getgrgid(group_id).gr_mem)
    except KeyError:
        members = set()
    own = {os.geteuid(), 0}
    users = pwd.getpwall()
    members -= {user.pw_name for user in users if user.pw_uid in own}
    return bool(members) or any(user.pw_gid == group_id and user.pw_uid not in own for user in users)
