"""The file of accepted tokens and certificates, in TOML::

    [tokens.ci]
    sha256 = "<hexadecimal SHA-256 of the token>"
    agents = ["build-1", "team-*"]

    [certificates."agent.example"]
    agents = ["*"]
    verbs = ["read", "watch"]

Without ``verbs``, a row permits all. A token has 256 random bits, so that an unsalted hash reveals nothing. A certificate's name is its common name or one of
its subject alternative names. The daemon reads the file when it starts.
"""

import fcntl
import hashlib
import json
import os
import re
import secrets
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Annotated

import msgspec

from memoryd_server.domain.values.agent_pattern import check_pattern
from memoryd_server.ops.auth.grant import ALL_VERBS, GrantRow
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.auth import Verb

TOKEN_PREFIX = "memoryd_"  # noqa: S105 - scanners for leaked secrets recognise it
NAME_PATTERN = "^[A-Za-z0-9_.-]{1,64}$"
_HEADER = "# Tokens and certificates that memoryd accepts. `memoryd token` drops other comments.\n"

Agents = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
Verbs = tuple[Verb, ...]


class TokenRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hash of a token, the patterns of the agents that it may use, and what it may do with them."""

    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    agents: Agents
    verbs: Verbs = ()

    @property
    def grant(self) -> GrantRow:
        """What the token may do."""
        return _grant_of(self)


class CertificateRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The patterns of the agents that a certificate may use, and what it may do with them."""

    agents: Agents
    verbs: Verbs = ()

    @property
    def grant(self) -> GrantRow:
        """What the certificate may do."""
        return _grant_of(self)


def _grant_of(row: TokenRow | CertificateRow) -> GrantRow:
    return GrantRow(row.agents, frozenset(row.verbs) or ALL_VERBS)


class TokenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file: tokens and certificates by name."""

    tokens: dict[Annotated[str, msgspec.Meta(pattern=NAME_PATTERN)], TokenRow] = {}
    certificates: dict[Annotated[str, msgspec.Meta(min_length=1)], CertificateRow] = {}


def read_token_file(path: Path) -> TokenFile:
    """Read and check the file. Raises OperatorError with the problem, which never quotes a line of the file."""
    try:
        status = path.stat()
        text = path.read_text("utf-8")
    except OSError as error:
        raise OperatorError(f"token_file: cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise _invalid(path, "not UTF-8") from error
    if stat.S_IMODE(status.st_mode) & 0o022:
        raise _invalid(path, "other users can write to it: set its mode to 0600")
    try:
        rows = msgspec.convert(tomllib.loads(text), TokenFile)
        bound = [row.agents for row in rows.tokens.values()] + [row.agents for row in rows.certificates.values()]
        for pattern in chain.from_iterable(bound):
            check_pattern(pattern)
    except ValueError as error:
        raise _invalid(path, str(error)) from error
    return rows


def create_token(path: Path, name: str, agents: tuple[str, ...]) -> str:
    """Add a token to the file, and return it. Only its hash is kept. A new file has mode 0600.

    Raises OperatorError if the name is in use or invalid, or a pattern is malformed.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise OperatorError("the name of a token must have 1 to 64 letters, digits, dots, - and _")
    try:
        patterns = tuple(check_pattern(pattern) for pattern in agents)
    except ValueError as error:
        raise OperatorError(str(error)) from error
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    with _locked(path.parent):
        rows = read_token_file(path) if path.exists() else TokenFile()
        if name in rows.tokens:
            raise OperatorError(f"a token {name!r} exists: revoke it first")
        _write(path, msgspec.structs.replace(rows, tokens=rows.tokens | {name: TokenRow(hash_token(token), patterns)}))
    return token


def revoke_token(path: Path, name: str) -> None:
    """Remove a token from the file. Raises OperatorError if there is no token of this name."""
    with _locked(path.parent):
        rows = read_token_file(path)
        if name not in rows.tokens:
            raise OperatorError(f"there is no token {name!r}")
        tokens = {other: row for other, row in rows.tokens.items() if other != name}
        _write(path, msgspec.structs.replace(rows, tokens=tokens))


def hash_token(token: str) -> str:
    """Return the hash of a token, as the file contains it."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _invalid(path: Path, problem: str) -> OperatorError:
    return OperatorError(f"token_file: {path}: {problem}")


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


def _write(path: Path, rows: TokenFile) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(_HEADER + _to_toml(rows))
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        message = f"token_file: cannot write {path}: {error.strerror}"
        raise OperatorError(message) from error


def _to_toml(rows: TokenFile) -> str:
    blocks = [
        f"\n[tokens.{_string(name)}]\nsha256 = {_string(row.sha256)}\nagents = {_strings(row.agents)}\n"
        for name, row in rows.tokens.items()
    ]
    blocks += [
        f"\n[certificates.{_string(name)}]\nagents = {_strings(row.agents)}\n"
        for name, row in rows.certificates.items()
    ]
    return "".join(blocks)


def _string(text: str) -> str:
    # A JSON string is a valid TOML string, except for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _strings(texts: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_string, texts))}]"
