"""The process of the daemon: what is set before it serves, and its workers."""

import asyncio
import gc
import os
import signal
import sys
from pathlib import Path

import msgspec
import uvloop

from memoryd_server.ops import log
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.listening import check_metrics_ports, reserved
from memoryd_server.ops.open_files import raise_open_files, within_open_files
from memoryd_server.ops.supervisor import Supervisor, Worker
from memoryd_server.transport.admission.allocator import map_large_blocks

SWITCH_INTERVAL_S = 0.0001
"""Maximum time for which a thread holds the interpreter's lock while another waits for it. The store's writer takes it
again for each commit, next to a loop and threads that compute. With Python's default of 5 ms, a busy loop lets one
commit through where this lets ten."""

GC_THRESHOLDS = (2_000, 50, 100)
"""Thresholds of the garbage collector. gRPC leaves a cycle of about eight objects with each call. Two thousand objects
fit into the processor's cache and take 1 ms to collect; fifty thousand take 50 ms, during which no call is served. The
older generations hold the agents' memory, which has no cycles, so that they are scanned rarely."""


def run(settings: Settings, settings_file: Path | None) -> int:
    """Serve until a signal ends the daemon, and return the exit status. Raises OperatorError."""
    # A terminal that closes, or a tool that wants logs to be reopened, must not end the daemon.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # Files of the daemon are readable by their owner only.
    os.umask(0o077)
    # gRPC's own lines about what the daemon reports itself, such as a port in use. Set it to see them.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    log.configure(settings.logging)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.set_threshold(*GC_THRESHOLDS)
    map_large_blocks()
    settings = within_open_files(settings, raise_open_files())
    with DataDirectory(settings.storage.data_dir, insecure=settings.security.insecure) as directory:
        if settings.listening.workers == 1:
            return _serve(settings, directory, settings_file)
        with reserved(settings.listening.addresses) as addresses:
            if settings.metrics.listen is not None:
                check_metrics_ports(settings.metrics.listen, settings.listening.workers)
            count = len(settings.listening.listen)
            http = addresses[count] if len(addresses) > count else None
            listening = msgspec.structs.replace(settings.listening, listen=addresses[:count], http=http)
            shared = msgspec.structs.replace(settings, listening=listening)
            return Supervisor(listening.workers, lambda worker: _serve(shared, directory, settings_file, worker)).run()


def _serve(
    settings: Settings, directory: DataDirectory, settings_file: Path | None, worker: Worker | None = None
) -> int:
    # Imported late: the supervisor of workers needs none of it.
    from memoryd_server.ops.composition import run as run_daemon

    if worker is not None:
        worker.await_turn()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run_daemon(settings, directory, worker, settings_file))
