"""Types of settings: they parse a value from an option, the environment or a file, and format it for a file."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from memoryd_server.ops.config.address import parse_address, parse_host, parse_origin, parse_tcp_address
from memoryd_server.ops.config.quantity import (
    SIZE_MAX,
    format_duration,
    format_size,
    parse_duration,
    parse_size,
)

Value = TypeVar("Value")


class SettingType(click.ParamType[Value], Generic[Value]):
    """A type of setting, with one value unless it is ``repeatable``.

    ``parse`` parses text, and raises ValueError with the problem; ``form`` is its inverse. If ``is_number``, a number
    in a settings file is parsed like its text.
    """

    envvar_list_splitter = ","

    def __init__(
        self,
        name: str,
        parse: Callable[[str], Value],
        form: Callable[[Value], str] = str,
        *,
        is_number: bool = False,
        repeatable: bool = False,
    ) -> None:
        self.name = name
        self.repeatable = repeatable
        self._parse = parse
        self._form = form
        self._is_number = is_number

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Value:
        """Parse a value. Raises click.BadParameter with the problem."""
        is_text = isinstance(value, str) and value != ""
        is_number = self._is_number and isinstance(value, int | float) and not isinstance(value, bool)
        if not is_text and not is_number:
            self.fail(f"{value!r} is not a {self.name.lower()}", param, ctx)
        try:
            return self._parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shown(self, value: Value) -> str:
        """Return the value as text, without secrets."""
        return self._form(value)

    def to_toml(self, value: Value | tuple[Value, ...]) -> str:
        """Return the value in the syntax of a settings file."""
        if isinstance(value, tuple):
            return f"[{', '.join(self.to_toml(item) for item in value)}]"
        return json.dumps(self._form(value), ensure_ascii=False)


class Count(SettingType[int]):
    """A whole number."""

    def __init__(self, minimum: int = 0) -> None:
        super().__init__("COUNT", self._parse_count, is_number=True)
        self._minimum = minimum

    def _parse_count(self, text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not self._minimum <= int(text) <= SIZE_MAX:
            raise ValueError(f"{text!r} is not a whole number of at least {self._minimum}")
        return int(text)

    def to_toml(self, value: int | tuple[int, ...]) -> str:
        """Return the number as text."""
        return str(value)


class Share(SettingType[float]):
    """A number from 0 to 1."""

    def __init__(self) -> None:
        super().__init__("SHARE", self._parse_share, is_number=True)

    def _parse_share(self, text: str) -> float:
        try:
            share = float(text)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            raise ValueError(f"{text!r} is not a number from 0 to 1")
        return share

    def to_toml(self, value: float | tuple[float, ...]) -> str:
        """Return the number as text."""
        return str(value)


class Switch(SettingType[bool]):
    """On or off."""

    def __init__(self) -> None:
        super().__init__("SWITCH", click.BOOL)

    def to_toml(self, value: bool | tuple[bool, ...]) -> str:
        """Return ``true`` or ``false``."""
        return "true" if value else "false"


class Choice(SettingType[str]):
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        super().__init__("|".join(words), self._parse_word)
        self._words = words

    def _parse_word(self, text: str) -> str:
        if text not in self._words:
            raise ValueError(f"{text!r} is not one of {', '.join(self._words)}")
        return text


class FileMode(SettingType[int]):
    """The permissions of a file, in octal digits."""

    def __init__(self) -> None:
        super().__init__("MODE", self._parse_mode, "{:04o}".format)

    def _parse_mode(self, text: str) -> int:
        if not re.fullmatch(r"(0|0o)?[0-7]{3}", text):
            raise ValueError(f"{text!r} is not a mode such as 0660")
        return int(text, 8)


def _parse_path(text: str) -> Path:
    if "\0" in text:
        raise ValueError("a path cannot contain NUL")
    return Path(text).expanduser().absolute()


SIZE = SettingType("SIZE", parse_size, format_size, is_number=True)
DURATION = SettingType("DURATION", parse_duration, format_duration, is_number=True)
PATH = SettingType("PATH", _parse_path)
SHARE = Share()


_HOST = r"(\[[^][@/?#]*\]|[^][:@,/?#]*)(:\d*)?"
_AFTER_SCHEME = re.compile(rf"(?P<userinfo>[^/?#]*@)?(?P<place>{_HOST}(,{_HOST})*(/[^@?#]*)?)(?P<options>\?[^#]*)?")


def _without_password(url: str) -> str:
    """Return a URL with its passwords masked; with everything masked if a password could be anywhere in it."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        # A path, such as in sqlite:/srv/memory, contains no password; anything else might.
        path = url.partition(":")[2]
        is_path = path.startswith(("/", "./", "../", "~")) and not set("@?#") & set(path)
        return url if is_path or not path else "***"
    found = _AFTER_SCHEME.fullmatch(rest)
    options = re.sub(r"((?:password|secret|token|key)=)[^&]*", r"\1***", found["options"] or "") if found else ""
    if found is None or "@" in options:
        return f"{scheme}://***"
    userinfo = re.sub(":.*@", ":***@", found["userinfo"] or "", flags=re.DOTALL)
    return f"{scheme}://{userinfo}{found['place']}{options}"


def _without_secrets(url: str) -> str:
    """Return a URL that has only a host and a path; any other is masked, because it may contain a key."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return "***"
    return f"{scheme}://***" if set("@?#") & set(rest) else url


NAME = SettingType("NAME", str)
URL = SettingType("URL", str, _without_password)
"""A URL that is shown without its password."""
ENDPOINT_URL = SettingType("URL", str, _without_secrets)
"""A URL that is masked if it has a user, a query or a fragment. The embedder refuses such a URL later."""
HOSTS = SettingType("HOST", parse_host, repeatable=True)
ORIGINS = SettingType("ORIGIN", parse_origin, repeatable=True)
ADDRESSES = SettingType("ADDRESS", parse_address, repeatable=True)
TCP_ADDRESS = SettingType("HOST:PORT", parse_tcp_address)
