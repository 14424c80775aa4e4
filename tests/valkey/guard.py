"""A guard process that kills the servers of a test process that could not: killed, timed out, interrupted twice."""

import atexit
import subprocess
import sys

from tests.wait import WAIT_S_MAX

# Reads lines "+pid" and "-pid". Its standard input closes when the test process ends, for whatever reason.
PROGRAM = """
import os, signal, sys
pids = set()
for line in sys.stdin:
    (pids.add if line[0] == "+" else pids.discard)(int(line[1:]))
for pid in pids:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
"""

_processes: list[subprocess.Popen[str]] = []


def watch(pid: int) -> None:
    """Kill the process when this one ends, if it still runs then."""
    _send(f"+{pid}")


def forget(pid: int) -> None:
    """Stop guarding a process that has ended."""
    _send(f"-{pid}")


def _send(line: str) -> None:
    if not _processes:
        _processes.append(_start())
    stdin = _processes[0].stdin
    assert stdin is not None
    stdin.write(line + "\n")
    stdin.flush()


def _start() -> subprocess.Popen[str]:
    # A session of its own, so that an interrupt from the terminal does not reach it.
    command = [sys.executable, "-S", "-c", PROGRAM]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True)
    atexit.register(_stop, process)
    return process


def _stop(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    process.wait(WAIT_S_MAX)
