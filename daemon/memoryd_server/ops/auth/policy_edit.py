"""Changes of the policy file, each with a lock against others, and written as a whole."""

import fcntl
import json
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from memoryd_server.ops.auth.field_type import NAME_PATTERN
from memoryd_server.ops.auth.policy_file import (
    Policy,
    TokenHash,
    TokenRow,
    hash_token,
    parse_policy,
    plain,
    read_policy,
)
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.auth import Verb

TOKEN_PREFIX = "memoryd_"  # noqa: S105 - scanners for leaked secrets recognise it
_HEADER = "# Tokens and certificates that memoryd accepts. `memoryd token` drops other comments.\n"


def create_token(
    path: Path,
    name: str,
    agents: tuple[str, ...],
    *,
    verbs: tuple[Verb, ...] = (),
    expires: datetime | None = None,
    rate: float | None = None,
    tier: str = "",
) -> str:
    """Add a token to the file, and return it. Only its hash is kept. A new file has mode 0600.

    Raises OperatorError if the name is in use or invalid, a pattern is malformed, or the file does not define the tier.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise OperatorError("the name of a token must have 1 to 64 letters, digits, dots, - and _")
    token = _new_token()
    try:
        row = TokenRow(sha256=hash_token(token), agents=agents, verbs=verbs, expires=expires, rate=rate, tier=tier)
    except ValueError as error:
        raise OperatorError(str(error)) from error
    with _locked(path.parent):
        policy = read_policy(path) if path.exists() else Policy()
        if name in policy.tokens:
            raise OperatorError(f"a token {name!r} exists: rotate it, or revoke it first")
        _write(path, policy, policy.tokens | {name: row})
    return token


def rotate_token(
    path: Path, name: str, *, old_expires: datetime, expires: datetime | None = None, is_endless: bool = False
) -> str:
    """Add a further token to those of a name, and return it. The others expire at ``old_expires`` at the latest.

    What has expired by now is removed. Raises OperatorError if there is no token of this name, and if the newest one
    expires, but the new one does not, unless ``is_endless``.
    """
    token, now = _new_token(), datetime.now(UTC)

    def rotated(row: TokenRow) -> TokenRow:
        kept = [each for each in row.tokens if each.expires is None or each.expires > now]
        old = [TokenHash(each.sha256, min(each.expires or old_expires, old_expires)) for each in kept]
        hashes = (*(each for each in old if each.expires and each.expires > now), TokenHash(hash_token(token), expires))
        if len(hashes) == 1:
            return msgspec.structs.replace(row, sha256=hashes[0].sha256, expires=expires, hashes=())
        return msgspec.structs.replace(row, sha256=None, expires=None, hashes=hashes)

    with _locked(path.parent):
        policy = read_policy(path)
        row = _found(policy, name)
        if expires is None and not is_endless and row.tokens[-1].expires is not None:
            raise OperatorError(f"token {name!r} expires: add --expires for its successor, such as 90d or never")
        _write(path, policy, policy.tokens | {name: rotated(row)})
    return token


def revoke_token(path: Path, name: str) -> None:
    """Remove all tokens of a name from the file. Raises OperatorError if there is none."""
    with _locked(path.parent):
        policy = read_policy(path)
        _found(policy, name)
        _write(path, policy, {other: row for other, row in policy.tokens.items() if other != name})


def _found(policy: Policy, name: str) -> TokenRow:
    if name not in policy.tokens:
        raise OperatorError(f"there is no token {name!r}")
    return policy.tokens[name]


def _new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Lock the directory for a with block against other commands that change files in it."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        message = f"token_file: cannot use {directory}: {error.strerror}"
        raise OperatorError(message) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(path: Path, policy: Policy, tokens: dict[str, TokenRow]) -> None:
    text = _HEADER + _to_toml(msgspec.structs.replace(policy, tokens=tokens))
    try:
        # A file that no daemon accepts would also keep the next command from revoking a token.
        parse_policy(text)
    except ValueError as error:
        raise OperatorError(f"token_file: {path} is not changed: {error}") from error
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            _keep_owner(descriptor, path)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        message = f"token_file: cannot write {path}: {error.strerror}"
        raise OperatorError(message) from error


def _keep_owner(descriptor: int, path: Path) -> None:
    """Give a file the owner of the one that it replaces: root also changes the tokens of a daemon of another user."""
    with suppress(OSError):
        status = path.stat()
        os.fchown(descriptor, status.st_uid, status.st_gid)


def _to_toml(policy: Policy) -> str:
    blocks = [
        f"\n[{table}.{_value(name)}]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in row.items())
        for table, rows in plain(policy).items()
        for name, row in rows.items()
    ]
    return "".join(blocks)


def _value(value: Any) -> str:
    for kind, write in _WRITERS.items():
        if isinstance(value, kind):
            return write(value)
    raise TypeError(f"the policy has no {type(value).__name__}")


def _table(pairs: dict[str, Any]) -> str:
    return f"{{ {', '.join(f'{key} = {_value(value)}' for key, value in pairs.items())} }}"


_WRITERS: dict[type | tuple[type, ...], Callable[[Any], str]] = {
    # A JSON string is a valid TOML string, except for DEL.
    str: lambda text: json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f"),
    # Before int, which it is, too.
    bool: lambda value: str(value).lower(),
    (int, float): repr,
    datetime: datetime.isoformat,
    (list, tuple): lambda items: f"[{', '.join(map(_value, items))}]",
    dict: _table,
}
