"""``memoryd config``: what the daemon would run with."""

import json
from typing import Any

import click

from memoryd_server.ops.config.option import Configuration, with_settings
from memoryd_server.ops.config.table import TABLE, Setting


@click.command
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print JSON; sizes are in bytes, lengths of time in seconds.")
def config(configuration: Configuration, as_json: bool) -> None:
    """Print the effective settings, and where each comes from.

    Takes the flags of serve. What it prints is a settings file for --config, but without a store's password.
    """
    click.echo(to_json(configuration) if as_json else to_toml(configuration))


def to_toml(configuration: Configuration) -> str:
    """The settings as a settings file."""
    lines: list[str] = []
    group = None
    for setting in TABLE:
        if setting.group != group:
            lines += ["", f"# {setting.group}"]
            group = setting.group
        value, source = setting.value(configuration.settings), configuration.sources[setting.name]
        text = f"# {setting.name} is not set" if value is None else f"{setting.name} = {setting.type.to_toml(value)}"
        lines.append(f"{text:<50} # {source}" if value is not None else text)
    return "\n".join(lines[1:])


def to_json(configuration: Configuration) -> str:
    """The settings as an object: name to value and source."""
    effective = {
        setting.name: {
            "value": _plain(setting, setting.value(configuration.settings)),
            "source": configuration.sources[setting.name],
        }
        for setting in TABLE
    }
    return json.dumps(effective, indent=2, ensure_ascii=False)


def _plain(setting: Setting, value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(setting, item) for item in value]
    if value is None or isinstance(value, int | float):
        return value
    return setting.type.shown(value)
