"""Descriptions of settings and of groups of them, which the table of settings has beside their Python types."""

from typing import Any

import msgspec

from memoryd_server.ops.config.setting_type import SettingType


class Flag(msgspec.Struct, frozen=True):
    """The type and the help of a setting."""

    type: SettingType[Any]
    help: str


class Group(msgspec.Struct, frozen=True):
    """A group of settings: its title in the help, and the prefix of its settings' names."""

    title: str
    prefix: str = ""
