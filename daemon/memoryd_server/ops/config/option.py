"""The settings as options of a command. Precedence: option, environment, file, default."""

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec
from click.core import ParameterSource

from memoryd_server.ops.config.environment import check_variables
from memoryd_server.ops.config.file import read_settings_file
from memoryd_server.ops.config.rule import check
from memoryd_server.ops.config.setting_type import PATH, Switch
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.config.table import TABLE, Setting, settings_of

Result = TypeVar("Result")


class Configuration(msgspec.Struct, frozen=True):
    """The effective settings, the source of each by name, and the settings file."""

    settings: Settings
    sources: dict[str, str]
    file: Path | None


class SettingsCommand(click.Command):
    """A command whose help shows the settings by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, then the settings by section."""
        sections = {"Options": [each for each in self.get_params(ctx) if each.name not in _SECTIONS]}
        for option in self.get_params(ctx):
            if option.name in _SECTIONS:
                sections.setdefault(_SECTIONS[option.name], []).append(option)
        for title, options in sections.items():
            with formatter.section(title):
                formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))])


_SECTIONS = {setting.name: setting.section for setting in TABLE}


def with_settings(function: Callable[..., Result]) -> Callable[..., Result]:
    """Add an option for each setting, and ``--config``. The command receives them as ``configuration``.

    The command fails if a value, or a combination of values, is invalid.
    """

    @functools.wraps(function)
    def command(**parameters: Any) -> Result:
        context = click.get_current_context()
        check_variables(os.environ)
        file = parameters.pop("config")
        sources = {setting.name: describe_source(context, setting.name) for setting in TABLE}
        given = {setting.name: parameters.pop(setting.name) for setting in TABLE}
        settings = settings_of({name: value for name, value in given.items() if sources[name] != "default"})
        check(settings)
        return function(configuration=Configuration(settings, sources, file), **parameters)

    options = [_option(setting) for setting in TABLE]
    return functools.reduce(lambda decorated, option: option(decorated), [*reversed(options), _CONFIG], command)


def read_settings(flags: Sequence[str]) -> Settings:
    """Return the settings of ``memoryd serve`` with these flags. Raises click.ClickException, OperatorError."""

    @click.command
    @with_settings
    def read(configuration: Configuration) -> Settings:
        return configuration.settings

    settings: Settings = read.main(list(flags), standalone_mode=False)
    return settings


def describe_source(context: click.Context, name: str) -> str:
    """Return the source of a parameter's value, such as ``environment MEMORYD_LISTEN``."""
    parameter = next(parameter for parameter in context.command.params if parameter.name == name)
    match context.get_parameter_source(name):
        case ParameterSource.COMMANDLINE:
            return f"flag {parameter.opts[0]}"
        case ParameterSource.ENVIRONMENT:
            return f"environment {parameter.envvar}"
        case ParameterSource.DEFAULT_MAP:
            return f"file {context.params['config']}"
        case _:
            return "default"


def _option(setting: Setting) -> Callable[[Callable[..., None]], Callable[..., None]]:
    type_, flag = setting.type, setting.flag
    is_switch = isinstance(type_, Switch)
    default = setting.value(Settings())
    shown = "" if default is None else type_.to_toml(default).strip('[]"')
    return click.option(
        f"{flag}/--no-{setting.name.replace('_', '-')}" if is_switch else flag,
        setting.name,
        # Click makes a pair of flags of its own type only.
        type=click.BOOL if is_switch else type_,
        multiple=type_.repeatable,
        envvar=setting.variable,
        default=False if is_switch else None,
        metavar=None if is_switch else type_.name,
        help=f"{setting.help}  [default: {shown}]" if shown else setting.help,
    )


def _read_file(context: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        context.default_map = read_settings_file(path)
    return path


_CONFIG = click.option(
    "--config",
    type=PATH,
    envvar="MEMORYD_CONFIG",
    is_eager=True,
    callback=_read_file,
    help="TOML file with settings. Its keys are the names of the options, with underscores.",
)
