"""The settings file: TOML, flat, a setting's name for each key."""

import tomllib
from pathlib import Path
from typing import Any

from memoryd_server.ops.config.setting_type import Switch
from memoryd_server.ops.config.table import TABLE
from memoryd_server.ops.error import OperatorError


def read_settings_file(path: Path) -> dict[str, Any]:
    """The file's values by name, as TOML has them. Raises OperatorError, naming what is unknown or malformed."""
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise OperatorError(f"config: cannot read {path}: {error.strerror}", "CONFIG_FILE_UNREADABLE") from error
    except ValueError as error:
        raise OperatorError(f"config: {path} is not TOML: {error}", "INVALID_CONFIG_FILE") from error
    settings = {setting.name: setting for setting in TABLE}
    for name, value in values.items():
        if name not in settings:
            raise OperatorError(f"config: {path}: {name} is not a setting", "INVALID_CONFIG_FILE")
        type_ = settings[name].type
        if type_.repeatable and not isinstance(value, list):
            values[name] = [value]
        if not type_.repeatable and isinstance(value, list):
            raise OperatorError(f"config: {path}: {name} has one value, not a list", "INVALID_CONFIG_FILE")
        if isinstance(type_, Switch) and not isinstance(value, bool):
            raise OperatorError(f"config: {path}: {name} is true or false", "INVALID_CONFIG_FILE")
    return values
