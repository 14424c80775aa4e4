"""Authenticators: one that checks the policy, and one that accepts every caller."""

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hmac import compare_digest
from typing import TYPE_CHECKING, NamedTuple

from memoryd_server.domain.error import Overloaded, Unauthenticated
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.ops.auth.grant import Account, Grant, GrantRow
from memoryd_server.ops.auth.policy_file import Policy, Row, hash_token, read_policy
from memoryd_server.ops.auth.telemetry import AuthenticationTelemetry
from memoryd_server.ops.config.settings import Security
from memoryd_server.ops.limit import CALLERS_CACHED_MAX, POLICY_SETTLED_S
from memoryd_server.ports.auth import Caller

if TYPE_CHECKING:
    from memoryd_server.ops.auth.issuers.issued_callers import IssuedCallers
    from memoryd_server.ops.auth.issuers.live_keys import LiveKeys

log = logging.getLogger("memoryd.policy")


def authenticator_of(
    security: Security, telemetry: AuthenticationTelemetry | None = None
) -> "OpenAuthenticator | PolicyAuthenticator":
    """Return the authenticator for the settings. Raises OperatorError for an invalid policy."""
    if security.token_file is None:
        return OpenAuthenticator()
    return PolicyAuthenticator(read_policy(security.token_file), telemetry=telemetry)


class OpenAuthenticator:
    """Accepts every caller for every agent: for addresses that only the owner reaches, or with client certificates."""

    def __init__(self) -> None:
        self._caller = Grant(Account("anonymous"), [GrantRow(("*",))])

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        """Return the same caller always."""
        return self._caller


class CredentialKey(NamedTuple):
    """The key by which a caller is known: the hash of its token, or the name of its certificate."""

    kind: str
    text: str


class PolicyAuthenticator:
    """Accepts the tokens and certificates of a policy. If a call has a token, its certificate is ignored.

    A caller that it has returned stays the same for as long as its token or certificate is accepted, and has what the
    policy of the moment grants. ``expects`` is called when ``next_expiry`` has become earlier. ``is_outdated`` returns
    True if the policy has changed since, and is about to be enforced.
    """

    def __init__(
        self, policy: Policy, now: float | None = None, telemetry: AuthenticationTelemetry | None = None
    ) -> None:
        self.issued: IssuedCallers | None = None
        self.expects: Callable[[], None] = lambda: None
        self.is_outdated: Callable[[], bool] = lambda: False
        self._telemetry = telemetry or AuthenticationTelemetry()
        self._grants: dict[CredentialKey, Grant] = {}
        self._accounts: dict[tuple[str, str], Account] = {}
        self.enforce(policy, time.time() if now is None else now)

    def enforce(self, policy: Policy, now: float) -> None:
        """Let a policy take effect, without what has expired at ``now`` (s since the Unix epoch)."""
        self._policy = policy
        accounts: dict[tuple[str, str], Account] = {}
        grants: dict[CredentialKey, Grant] = {}
        moments = []
        for key, name, row, expires in credentials(policy):
            if expires is not None and expires.timestamp() <= now:
                continue
            if expires is not None:
                moments.append(expires.timestamp())
            account = accounts.setdefault((key.kind, name), self._account(key.kind, name, row.rate))
            grants[key] = self._grant(key, account, row)
        for key in self._grants.keys() - grants.keys():
            self._grants[key].end()
        self._grants, self._accounts = grants, accounts
        self._tokens = [(key.text, grant) for key, grant in grants.items() if key.kind == _TOKEN]
        self._certificates = {key.text: grant for key, grant in grants.items() if key.kind == _CERTIFICATE}
        self._next_expiry = min(moments, default=math.inf)
        if policy.issuers and self.issued is None:
            # Imported late: most policies have no issuers, and what verifies their tokens is slow to import.
            from memoryd_server.ops.auth.issuers.issued_callers import IssuedCallers

            self.issued = IssuedCallers(self._telemetry, lambda: self.expects())
        if self.issued is not None:
            self.issued.enforce(policy.issuers)
        self.forget()

    @property
    def next_expiry(self) -> float:
        """The time (s since the Unix epoch) at which the next token expires; infinite if none does."""
        return self._next_expiry if self.issued is None else min(self._next_expiry, self.issued.next_expiry)

    def expire(self, now: float) -> bool:
        """End the callers whose tokens have expired. Return True if there were any."""
        has_expired = self.issued is not None and self.issued.expire(now)
        if now >= self._next_expiry:
            self.enforce(self._policy, now)
            return True
        if has_expired:
            self.forget()
        return has_expired

    def keep(self, keys: "LiveKeys", thumbprints: frozenset[str]) -> None:
        """End the callers whose tokens were signed with a key that is not among these keys of their issuer."""
        if self.issued is not None:
            self.issued.keep(keys, thumbprints)
        self.forget()

    def forget(self) -> None:
        """Forget which tokens were hashed: the next call with each counts as its use."""
        self._callers: WeightedLru[str, Grant] = WeightedLru(CALLERS_CACHED_MAX)

    def used(self) -> list[CredentialKey]:
        """Return what was used since this was called last, if ``forget`` was called then."""
        found = [key for key, grant in self._grants.items() if grant.is_used]
        for key in found:
            self._grants[key].is_used = False
        return found

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        """Return the caller. Raises Unauthenticated, and Overloaded for a token that may soon be known."""
        if authorization is not None:
            return self._callers.get(authorization) or self._find_caller(authorization)
        for identity in peer_identities:
            if identity in self._certificates:
                self._certificates[identity].is_used = True
                return self._certificates[identity]
        if peer_identities:
            self._check_current()
        raise self._failed("certificate" if peer_identities else "missing")

    def _find_caller(self, authorization: str) -> Grant:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise self._failed("scheme")
        token = token.strip()
        sha256 = hash_token(token)
        # All hashes are compared, each in constant time, so that the duration reveals nothing about a hash.
        matches = [grant for known, grant in self._tokens if compare_digest(known, sha256)]
        if not matches:
            self._check_current()
        # Failures are not cached here: wrong tokens cannot evict valid ones.
        caller = matches[0] if matches else self._find_issued(token, sha256)
        self._callers.put(authorization, caller)
        caller.is_used = True
        return caller

    def _check_current(self) -> None:
        """Raise Overloaded if what is unknown may be in the changed policy: a new token is used at once, as a rule."""
        if self.is_outdated():
            raise Overloaded("token_file_reads_per_second", round(1 / POLICY_SETTLED_S), _OUTDATED_MS)

    def _find_issued(self, token: str, sha256: str) -> Grant:
        if self.issued is None:
            raise self._failed("unknown")
        from memoryd_server.ops.auth.issuers.verification import TokenRefused

        try:
            return self.issued.find(token, sha256)
        except TokenRefused as refused:
            failed = self._failed(refused.why, refused.issuer)
        raise failed

    def _failed(self, reason: str, issuer: str = "") -> Unauthenticated:
        """Count and log a call that is not authenticated, and return its error, which does not say why."""
        self._telemetry.fail(reason)
        extra = {"reason": reason, "issuer": issuer} if issuer else {"reason": reason}
        log.warning("caller not authenticated", extra=extra)
        return Unauthenticated()

    def _account(self, kind: str, name: str, calls_per_second: float | None) -> Account:
        """Return the account of a name, which is kept with what it has used if its rate is the same."""
        account = self._accounts.get((kind, name))
        if account is not None:
            before = None if account.rate is None else account.rate.calls_per_second
            if before == calls_per_second:
                return account
        return Account(name, calls_per_second)

    def _grant(self, key: CredentialKey, account: Account, row: Row) -> Grant:
        grant = self._grants.get(key)
        if grant is None:
            return Grant(account, row.rows, row.tier)
        grant.become(account, row.rows, row.tier)
        return grant


def credentials(policy: Policy) -> Iterator[tuple[CredentialKey, str, Row, datetime | None]]:
    """Yield what is accepted, with its name, its row and its expiry."""
    for name, row in policy.tokens.items():
        for token in row.tokens:
            yield CredentialKey(_TOKEN, token.sha256), name, row, token.expires
    for name, certificate in policy.certificates.items():
        yield CredentialKey(_CERTIFICATE, name), name, certificate, certificate.expires


_TOKEN, _CERTIFICATE = "token", "certificate"
_OUTDATED_MS = round(2_000 * POLICY_SETTLED_S)
"""Time after which a changed token file has usually been read."""
