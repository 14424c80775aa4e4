"""Checks of the data directory: its rights, the room on its disk, its times, and its snapshots."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from memoryd_server.ops.cli.doctor.finding import Finding, ok
from memoryd_server.ops.cli.terminal.phrase import duration, size
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import CLOCK_S_MAX, FREE_BYTES_MIN, FREE_SHARE_MIN, SNAPSHOT_AGE_S_MAX
from memoryd_server.ops.writers import check_writers


def check_data(settings: Settings) -> Iterator[Finding]:
    """Yield the findings about the data directory."""
    directory = settings.storage.data_dir
    yield _rights(directory, insecure=settings.security.insecure)
    existing = next(each for each in (directory, *directory.parents) if each.exists())
    yield _room(existing)
    yield _clock(existing)
    yield _snapshots(directory / "snapshots", settings.snapshots.interval)


def _rights(directory: Path, *, insecure: bool) -> Finding:
    if not directory.exists():
        parent = next(each for each in directory.parents if each.exists())
        if os.access(parent, os.W_OK):
            return ok("data directory", f"{directory} does not exist yet; serve creates it")
        return Finding(
            "data directory", "fail", f"{directory} does not exist, and {parent} is not writable", "set --data-dir"
        )
    if not os.access(directory, os.R_OK | os.W_OK | os.X_OK):
        user = os.geteuid()
        return Finding(
            "data directory", "fail", f"user {user} cannot write to {directory}", f"chown {user} {directory}"
        )
    try:
        check_writers(directory)
    except OperatorError as error:
        problem, _, remedy = error.message.removeprefix("data_dir: ").rpartition(": ")
        return Finding("data directory", "warn" if insecure else "fail", problem, remedy)
    return ok("data directory", f"{directory} belongs to this user alone")


def _room(directory: Path) -> Finding:
    usage = shutil.disk_usage(directory)
    found = f"{size(usage.free)} of {size(usage.total)} are free"
    if usage.free < FREE_BYTES_MIN:
        return Finding("disk", "fail", found, "free some: a full disk makes the store read-only")
    if usage.free < FREE_SHARE_MIN * usage.total:
        return Finding("disk", "warn", found, "free some, or move --data-dir to a larger disk")
    return ok("disk", found)


def _clock(directory: Path) -> Finding:
    newest = max((each.stat().st_mtime for each in directory.iterdir() if each.is_file()), default=0.0)
    ahead = newest - time.time()
    if ahead > CLOCK_S_MAX:
        found = f"a file of the data directory was written {duration(ahead)} in the future"
        return Finding("clock", "fail", found, "set the clock, and keep it by NTP: expiry depends on it")
    return ok("clock", f"{time.strftime('%Y-%m-%d %H:%M:%S %Z')}, after all files of the data directory")


def _snapshots(directory: Path, interval: float) -> Finding:
    files = [each for each in directory.iterdir() if each.is_file()] if directory.is_dir() else []
    if not files:
        remedy = "set --snapshot-interval, or run `memoryd snapshot create`"
        return Finding("snapshots", "warn", "there is no snapshot", remedy)
    age_s = time.time() - max(each.stat().st_mtime for each in files)
    found = f"the newest snapshot is {duration(age_s)} old"
    if age_s > max(2 * interval, SNAPSHOT_AGE_S_MAX):
        return Finding("snapshots", "warn", found, "see the daemon's log, or set --snapshot-interval")
    return ok("snapshots", found)
