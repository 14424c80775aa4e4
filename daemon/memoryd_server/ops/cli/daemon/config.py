"""``memoryd config``: the effective settings of the daemon."""

import json
from typing import Any

import click

from memoryd_server.ops.config.option import Configuration, SettingsCommand, with_settings
from memoryd_server.ops.config.table import TABLE, Setting


@click.command(cls=SettingsCommand)
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with sizes in bytes and durations in seconds.")
def config(configuration: Configuration, as_json: bool) -> None:
    """Print the settings that serve would run with, and the source of each.

    Takes the options of serve, and calls no daemon. The output is a settings file for --config, without the store's
    password.
    """
    click.echo(to_json(configuration) if as_json else to_toml(configuration))


def to_toml(configuration: Configuration) -> str:
    """Return the settings in the format of a settings file."""
    lines: list[str] = []
    section = None
    for setting in TABLE:
        if setting.section != section:
            lines += ["", f"# {setting.section}"]
            section = setting.section
        value, source = setting.value(configuration.settings), configuration.sources[setting.name]
        text = f"# {setting.name} is not set" if value is None else f"{setting.name} = {setting.type.to_toml(value)}"
        lines.append(f"{text:<50} # {source}" if value is not None else text)
    return "\n".join(lines[1:])


def to_json(configuration: Configuration) -> str:
    """Return the settings as a JSON object: name to value and source."""
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
