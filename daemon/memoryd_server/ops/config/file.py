"""The settings file: flat TOML, with the names of settings as keys."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from memoryd_server.ops.config.setting_type import Switch
from memoryd_server.ops.config.table import TABLE
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.toml_text import parse_toml


def read_settings_file(path: Path) -> dict[str, Any]:
    """Return the values in the file by name, with TOML's types. Raises OperatorError for an invalid file."""
    try:
        values = parse_toml(path.read_text("utf-8"))
    except OSError as error:
        raise OperatorError(f"config: cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise OperatorError(f"config: {path} is not TOML: {error}") from error
    settings = {setting.name: setting for setting in TABLE}
    for name, value in values.items():
        if name not in settings:
            nearest = get_close_matches(name, settings, n=1)
            hint = f": did you mean {nearest[0]}?" if nearest else ""
            raise OperatorError(f"config: {path}: {name} is not a setting{hint}")
        type_ = settings[name].type
        if type_.repeatable and not isinstance(value, list):
            values[name] = [value]
        if not type_.repeatable and isinstance(value, list):
            raise OperatorError(f"config: {path}: {name} has one value, not a list")
        if isinstance(type_, Switch) and not isinstance(value, bool):
            raise OperatorError(f"config: {path}: {name} is true or false")
    return values
