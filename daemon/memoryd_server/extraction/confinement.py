"""Limits of a process that reads hostile files."""

import math
import os
import re
import resource
from pathlib import Path

from memoryd_server.extraction.limit import DESCRIPTORS_MAX

_NICENESS = 10
_PEAK = re.compile(r"^VmHWM:\s+([0-9]+) kB", re.MULTILINE)


def confine(memory_bytes: int) -> None:
    """Irrevocably limit this process to what it needs to read files.

    It cannot use more memory than this, write files, start threads or processes, or open many files, and it yields the
    processor to other processes. Its threads must have been started before.
    """
    os.nice(_NICENESS)
    for kind, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, DESCRIPTORS_MAX),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, allowed = resource.getrlimit(kind)
        most = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
        resource.setrlimit(kind, (most, most))


def allow_cpu(seconds: float) -> None:
    """Allow this process another ``seconds`` of processor time. The kernel kills it (SIGXCPU) when they are used up."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, allowed = resource.getrlimit(resource.RLIMIT_CPU)
    most = math.ceil(used.ru_utime + used.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, allowed))


def peak_memory_bytes() -> int:
    """Return the peak memory of this process in bytes; 0 if the kernel does not report it."""
    # Not by getrusage: its peak includes that of the parent process before exec.
    try:
        status = Path("/proc/self/status").read_text("ascii", "replace")
    except FileNotFoundError:
        return 0
    peak = _PEAK.search(status)
    return int(peak[1]) * 1024 if peak else 0
