"""The settings as a table, derived from their structs."""

from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

import msgspec

from memoryd_server.domain.limit import Limits
from memoryd_server.ops.config.flag import Flag, Group
from memoryd_server.ops.config.setting_type import SIZE, Count, SettingType
from memoryd_server.ops.config.settings import LIMIT_HELP, Settings


class Setting(msgspec.Struct, frozen=True):
    """One setting: its name, its help, and its group and field in Settings. ``section`` is the group's title."""

    name: str
    section: str
    group: str
    field: str
    type: SettingType[Any]
    help: str

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"MEMORYD_{self.name.upper()}"

    def value(self, settings: Settings) -> Any:
        """Return the setting's value in ``settings``."""
        return getattr(getattr(settings, self.group), self.field)


def _flag(structure: type[msgspec.Struct], field: str, hint: Any) -> Flag:
    if structure is Limits:
        return Flag(SIZE if "bytes" in field else Count(0 if "reserve" in field else 1), LIMIT_HELP[field])
    return next(annotation for annotation in get_args(hint) if isinstance(annotation, Flag))


def _group_settings(group: str, hint: Any) -> list[Setting]:
    structure, annotation = get_args(hint)
    assert isinstance(annotation, Group)
    hints = get_type_hints(structure, include_extras=True)
    flags = {field: _flag(structure, field, hints[field]) for field in structure.__struct_fields__}
    return [
        Setting(annotation.prefix + field, annotation.title, group, field, flag.type, flag.help)
        for field, flag in flags.items()
    ]


TABLE: tuple[Setting, ...] = tuple(
    setting
    for group, hint in get_type_hints(Settings, include_extras=True).items()
    for setting in _group_settings(group, hint)
)
"""All settings, in the order of Settings."""


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Return settings with the given values by name, and defaults for the others."""
    hints = get_type_hints(Settings)
    groups: dict[str, dict[str, Any]] = {}
    for setting in TABLE:
        if setting.name in values:
            groups.setdefault(setting.group, {})[setting.field] = values[setting.name]
    return Settings(**{group: hints[group](**fields) for group, fields in groups.items()})
