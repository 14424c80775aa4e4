"""The file of profiles: $XDG_CONFIG_HOME/memoryd/profiles.toml."""

import json
import os
import stat
from pathlib import Path

import msgspec

from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.toml_text import parse_toml


class Profile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A connection. The names are those of the options; empty for what is not set.

    No profile has a token: it names the file that has it, or the command that prints it.
    """

    address: str = ""
    tls: bool = False
    insecure_token: bool = False
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    server_name: str = ""
    token_from: str = ""
    token_command: str = ""


class Profiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All profiles by name, and the name of the one in use; empty for none."""

    current: str = ""
    profiles: dict[str, Profile] = {}

    def get(self, name: str) -> Profile:
        """Return a profile. Raises OperatorError if there is none of this name."""
        if name not in self.profiles:
            from difflib import get_close_matches

            nearest = get_close_matches(name, self.profiles, n=1)
            advice = f"did you mean {nearest[0]!r}?" if nearest else "see `memoryd profile list`"
            raise OperatorError(f"there is no profile {name!r}: {advice}")
        return self.profiles[name]


def profiles_file() -> Path:
    """Return the path of the file."""
    # Unlike that of Path, it leaves the tilde for a user without a home, such as a number that a container runs as.
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    return Path(config) / "memoryd" / "profiles.toml"


def read_profiles() -> Profiles:
    """Return all profiles; none if there is no file. Raises OperatorError.

    A file that other users can write to is refused, since it names a command to run and a place to send a token to.
    """
    path = profiles_file()
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = file.read()
    except FileNotFoundError:
        return Profiles()
    except OSError as error:
        raise OperatorError(f"{path}: {error.strerror}") from error
    if status.st_uid not in (os.geteuid(), 0):
        raise OperatorError(f"{path}: it belongs to user {status.st_uid}: run `chown {os.geteuid()} {path}` as root")
    if stat.S_IMODE(status.st_mode) & (stat.S_IWGRP | stat.S_IWOTH):
        raise OperatorError(f"{path}: other users can write to it: run `chmod 600 {path}`")
    try:
        return msgspec.convert(parse_toml(content.decode()), Profiles)
    except ValueError as error:
        raise OperatorError(f"{path}: {error}") from error


def write_profiles(profiles: Profiles) -> None:
    """Replace the file, which its owner alone can read. Raises OperatorError."""
    path = profiles_file()
    partial = path.with_name(f"{path.name}.partial")
    try:
        content = _to_toml(profiles).encode()
    except UnicodeEncodeError:
        raise OperatorError("an argument is not UTF-8") from None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.unlink(missing_ok=True)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError as error:
        raise OperatorError(f"{path}: {error.strerror}") from error


def _to_toml(profiles: Profiles) -> str:
    lines = [f"current = {_value(profiles.current)}"] if profiles.current else []
    for name, profile in profiles.profiles.items():
        lines += ["", f"[profiles.{_value(name)}]"]
        lines += [f"{key} = {_value(value)}" for key, value in msgspec.to_builtins(profile).items()]
    return "\n".join(lines) + "\n"


def _value(value: str | bool) -> str:
    # A JSON string or boolean is a valid one of TOML, except for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
