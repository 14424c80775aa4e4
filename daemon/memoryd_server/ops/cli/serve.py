"""``memoryd serve``: run the daemon."""

import asyncio
import gc
import os
import sys

import click
import uvloop

from memoryd_server.ops import log
from memoryd_server.ops.config.option import Configuration, with_settings

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
    # The composition brings in everything; `memoryd serve --help` needs none of it.
    from memoryd_server.ops.composition import run

    # Whatever the daemon writes is for its owner only.
    os.umask(0o077)
    log.configure(configuration.settings.logging)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    gc.set_threshold(*GC_THRESHOLDS)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sys.exit(runner.run(run(configuration.settings)))
