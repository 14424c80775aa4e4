"""The policy: the file of accepted tokens and certificates, and what each may do, in TOML::

    [tokens.ci]
    sha256 = "<hexadecimal SHA-256 of the token>"
    expires = 2027-01-31T00:00:00Z
    agents = ["build-1", "team-*"]
    verbs = ["read", "write"]
    rate = 50

    [tokens.planner]
    hashes = [
      { sha256 = "<of the old token>", expires = 2026-12-01T12:00:00Z },
      { sha256 = "<of the new token>" },
    ]
    grants = [
      { agents = ["planner"] },
      { agents = ["shared-*"], verbs = ["read", "watch"] },
    ]

    [certificates."agent.example"]
    agents = ["*"]
    tier = "free"

    [tiers.free]
    features = ["fragments", "conversations", "context"]
    limits = { storage_bytes_per_agent = "64MiB", entries_per_agent = 1000 }

Without ``verbs``, all are granted; without ``expires``, for ever; without ``rate``, as many calls as the limits allow.
A token has 256 random bits, so that an unsalted hash reveals nothing. A certificate's name is its common name or one of
its subject alternative names. Without ``tier``, agents that the caller creates have none, which refuses nothing.
Without ``features``, a tier has all. ``issuers/issuer_row.py`` describes the issuers of further tokens.
"""

import hashlib
import stat
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from memoryd_server.domain.agents.tier import ALL_FEATURES, TIER_LIMITS, Feature, Tier
from memoryd_server.domain.limit import Limits
from memoryd_server.ops.auth.field_type import Agents, Moment, Name, Rate, Verbs
from memoryd_server.ops.auth.grant import GrantRow
from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow
from memoryd_server.ops.config.quantity import parse_size
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.toml_text import parse_toml

Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class TokenHash(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The hash of one token, which is accepted until it expires."""

    sha256: Sha256
    expires: Moment | None = None


class GrantPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Some agents, and what may be done with them."""

    agents: Annotated[Agents, msgspec.Meta(min_length=1)]
    verbs: Verbs = ()


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The rights of a token or certificate: one grant, as ``agents`` and ``verbs``, or several, as ``grants``."""

    expires: Moment | None = None
    agents: Agents = ()
    verbs: Verbs = ()
    grants: tuple[GrantPart, ...] = ()
    rate: Rate | None = None
    tier: str = ""

    def __post_init__(self) -> None:
        if bool(self.agents) == bool(self.grants):
            raise ValueError("needs either agents or grants")
        if self.verbs and self.grants:
            raise ValueError("verbs belong to each of the grants")
        # Checks the patterns, too.
        _ = self.rows

    @property
    def rows(self) -> tuple[GrantRow, ...]:
        """The grants."""
        parts = self.grants or (GrantPart(self.agents, self.verbs),)
        return tuple(GrantRow.of(part.agents, part.verbs) for part in parts)


class TokenRow(Row, frozen=True, kw_only=True):
    """The tokens of one name: one as ``sha256``, with the row's ``expires``; or several as ``hashes``."""

    sha256: Sha256 | None = None
    hashes: tuple[TokenHash, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.sha256 is None) == (not self.hashes):
            raise ValueError("needs either sha256 or hashes")
        if self.hashes and self.expires is not None:
            raise ValueError("expires belongs to each of the hashes")

    @property
    def tokens(self) -> tuple[TokenHash, ...]:
        """The hashes, with their expiries."""
        return self.hashes if self.sha256 is None else (TokenHash(self.sha256, self.expires),)


class CertificateRow(Row, frozen=True, kw_only=True):
    """A certificate."""


class TierRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A tier: the features that it has besides those of every tier, all if absent, and the limits that it lowers.

    Limits are whole numbers, or sizes such as "64MiB".
    """

    features: tuple[Feature, ...] | None = None
    limits: dict[str, int | str] = {}

    def __post_init__(self) -> None:
        for name, value in self.limits.items():
            if name not in TIER_LIMITS:
                raise ValueError(f"limits has {name!r}; allowed are {', '.join(sorted(TIER_LIMITS))}")
            if isinstance(value, str) and "bytes" not in name:
                raise ValueError(f"{name} is a number, not a size")
        if not all(value >= 1 for value in self.lowered.values()):
            raise ValueError("limits must be at least 1")

    @property
    def lowered(self) -> dict[str, int]:
        """The limits, sizes in bytes. Raises ValueError."""
        return {name: parse_size(value) if isinstance(value, str) else value for name, value in self.limits.items()}


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The content of the file: tokens, certificates, issuers of further tokens, and tiers by name."""

    tokens: dict[Name, TokenRow] = {}
    certificates: dict[Annotated[str, msgspec.Meta(min_length=1)], CertificateRow] = {}
    issuers: dict[Name, IssuerRow] = {}
    tiers: dict[Name, TierRow] = {}

    def tiers_within(self, limits: Limits) -> tuple[Tier, ...]:
        """Return the tiers of a daemon with these limits."""
        return tuple(
            Tier.of(name, ALL_FEATURES if row.features is None else row.features, row.lowered, limits)
            for name, row in self.tiers.items()
        )


def read_policy(path: Path) -> Policy:
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
        return parse_policy(text)
    except ValueError as error:
        raise _invalid(path, str(error)) from error


def parse_policy(text: str) -> Policy:
    """Return the policy of a file's text. Raises ValueError with the problem."""
    policy = msgspec.convert(parse_toml(text), Policy)
    _check_unique(policy)
    _check_tiers(policy)
    return policy


def hash_token(token: str) -> str:
    """Return the hash of a token, as the file contains it."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _check_unique(policy: Policy) -> None:
    """Raise ValueError if a token or an issuer has two names: nobody could say what its tokens may do."""
    issuers: dict[str, str] = {}
    for name, issuer in policy.issuers.items():
        if (other := issuers.setdefault(issuer.issuer, name)) != name:
            raise ValueError(f"issuers {other!r} and {name!r} are the same issuer")
    names: dict[str, str] = {}
    for name, row in policy.tokens.items():
        for token in row.tokens:
            if (other := names.setdefault(token.sha256, name)) != name:
                raise ValueError(f"tokens {other!r} and {name!r} have the same hash")


def _check_tiers(policy: Policy) -> None:
    """Raise ValueError if a row names a tier that is not defined."""
    rows: list[tuple[str, Row | IssuerRow]]
    rows = [*policy.tokens.items(), *policy.certificates.items(), *policy.issuers.items()]
    for name, row in rows:
        if row.tier and row.tier not in policy.tiers:
            raise ValueError(f"{name!r} has tier {row.tier!r}, which tiers does not define")


def _invalid(path: Path, problem: str) -> OperatorError:
    return OperatorError(f"token_file: {path}: {problem}")


def plain(row: Any) -> dict[str, Any]:
    """Return a row as the file has it: what is set, with moments as such."""
    found: dict[str, Any] = msgspec.to_builtins(row, builtin_types=(datetime,))
    return found
