"""``memoryd serve``: run the daemon."""

import sys

import click

from memoryd_server.ops.config.option import Configuration, SettingsCommand, with_settings


@click.command(cls=SettingsCommand)
@with_settings
def serve(configuration: Configuration) -> None:
    """Run the daemon in the foreground.

    Each setting is an option, a variable MEMORYD_<NAME> in the environment, or a line <name> in the TOML file of
    --config, in this order of precedence. `memoryd config` shows the effective values.

    SIGTERM ends the daemon after the calls in progress; a second SIGTERM skips the last snapshot. SIGHUP reads the
    token file, the certificates and log_level of the settings file again, which also happens when they change, and
    opens the audit log again; other settings are read at the start only.
    """
    # Imported late: help and usage errors need none of it.
    from memoryd_server.ops.cli.daemon.process import run

    sys.exit(run(configuration.settings, configuration.file))
