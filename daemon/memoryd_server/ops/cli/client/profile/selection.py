"""The profile of a command, and the connection options that it fills in."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memoryd_server.ops.cli.client.profile.file import Profile, profiles_file, read_profiles
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import TOKEN_COMMAND_S_MAX

_FILES = ("ca_file", "cert_file", "key_file", "token_from")


def filled(given: Mapping[str, Any], *, runs_token_command: bool = True) -> dict[str, Any]:
    """Return the connection options, by name, with those of the profile for what was not given.

    The profile is that of ``--profile``; else the one in use, unless an address is given: a token must not be sent to
    another daemon than the profile's. Raises OperatorError, also for a token command that is not to run.
    """
    profile = _chosen(given)
    if profile is None:
        return dict(given)
    options: dict[str, Any] = {
        "address": profile.address,
        "tls": profile.tls,
        "insecure_token": profile.insecure_token,
        "server_name": profile.server_name,
        **{name: Path(path).expanduser() for name in _FILES if (path := getattr(profile, name))},
    }
    has_token = given["token"] or given["token_from"]
    if has_token:
        options.pop("token_from", None)
    elif profile.token_command and not runs_token_command:
        raise OperatorError("the profile's token command was not run")
    elif profile.token_command:
        options["token"] = _token_of(profile.token_command)
    return {**given, **{name: value for name, value in options.items() if value and not given[name]}}


def profile_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of profiles that begin with a text, for a shell that completes them."""
    try:
        return [name for name in read_profiles().profiles if name.startswith(incomplete)]
    except OperatorError:
        return []


def _chosen(given: Mapping[str, Any]) -> Profile | None:
    if name := given["profile"]:
        return read_profiles().get(name)
    # Most users have no file: they do not wait for its parser. One who may not enter the home directory of the
    # environment, such as a service that runs as another user, has none either.
    if given["address"] or not os.access(profiles_file(), os.R_OK):
        return None
    profiles = read_profiles()
    return profiles.get(profiles.current) if profiles.current else None


def _token_of(command: str) -> str:
    # Imported late: few profiles have a command.
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 - the file with the command is the user's own: read_profiles checks it
            shlex.split(command), check=True, stdout=subprocess.PIPE, text=True, timeout=TOKEN_COMMAND_S_MAX
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise OperatorError(f"the profile's token command failed: {error}") from error
    token = done.stdout.strip()
    if not token.isascii() or len(token.split()) != 1:
        raise OperatorError("the profile's token command did not print one token")
    return token
