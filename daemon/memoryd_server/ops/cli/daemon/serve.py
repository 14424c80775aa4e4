"""``memoryd serve``: run the daemon."""

import asyncio
import gc
import os
import sys

import click
import msgspec
import uvloop

from memoryd_server.ops import log
from memoryd_server.ops.config.option import Configuration, with_settings
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.listening import check_metrics_ports, reserved
from memoryd_server.ops.supervisor import Supervisor, Worker

SWITCH_INTERVAL_S = 0.0005
"""How long the event loop may keep the interpreter's lock while the store's writer waits for it. With Python's own 5 ms
a busy loop lets one commit through where this lets ten."""

GC_THRESHOLDS = (2_000, 50, 100)
"""gRPC leaves a cycle of about eight objects with each call. Two thousand of them are still in the processor's cache,
and take a millisecond; fifty thousand take fifty, in which nobody is answered. The older generations hold what the
agents remember, which has no cycles, so they are looked through rarely."""


@click.command
@with_settings
def serve(configuration: Configuration) -> None:
    """Run the daemon in the foreground.

    Each setting is a flag, or MEMORYD_<NAME> in the environment, or <name> in the TOML file of --config, in this order
    of precedence. SIGTERM ends it once calls have ended; a second one does not wait for the snapshot.
    """
    # Whatever the daemon writes is for its owner only.
    os.umask(0o077)
    log.configure(configuration.settings.logging)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.set_threshold(*GC_THRESHOLDS)
    settings = configuration.settings
    with DataDirectory(settings.storage.data_dir) as directory:
        if settings.listening.workers == 1:
            sys.exit(_serve(settings, directory))
        with reserved(settings.listening.listen) as addresses:
            if settings.metrics.listen is not None:
                check_metrics_ports(settings.metrics.listen, settings.listening.workers)
            listening = msgspec.structs.replace(settings.listening, listen=addresses)
            shared = msgspec.structs.replace(settings, listening=listening)
            sys.exit(Supervisor(listening.workers, lambda worker: _serve(shared, directory, worker)).run())


def _serve(settings: Settings, directory: DataDirectory, worker: Worker | None = None) -> int:
    # The composition brings in everything; `memoryd serve --help` needs none of it, nor does who runs workers.
    from memoryd_server.ops.composition import run

    if worker is not None:
        worker.await_turn()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run(settings, directory, worker))
