"""What a process that reads hostile files may use."""

import math
import os
import re
import resource
from pathlib import Path

from memoryd_server.extraction.limit import DESCRIPTORS_MAX

_NICENESS = 10
_PEAK = re.compile(r"^VmHWM:\s+([0-9]+) kB", re.MULTILINE)


def confine(memory_bytes: int) -> None:
    """Take away from this process, for good, what it does not need to read files: more memory than this, writing files,
    processes, many descriptors, the processor while others want it. Its threads must have begun."""
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
    """Let this process compute for so long from now on; then the kernel ends it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, allowed = resource.getrlimit(resource.RLIMIT_CPU)
    most = math.ceil(used.ru_utime + used.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, allowed))


def most_memory_used() -> int:
    """The most memory that this process has had, in bytes; 0 where the kernel does not tell."""
    # What getrusage tells begins with what the process had that started this one.
    try:
        status = Path("/proc/self/status").read_text("ascii", "replace")
    except FileNotFoundError:
        return 0
    peak = _PEAK.search(status)
    return int(peak[1]) * 1024 if peak else 0
