"""The callers that issuers' tokens identify, and what the rules of the policy grant to each."""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from memoryd_server.domain.error import Overloaded
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.ops.auth.grant import Account, Grant, GrantRow
from memoryd_server.ops.auth.issuers.claims import Claims
from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow
from memoryd_server.ops.auth.issuers.key_set import IssuerKey
from memoryd_server.ops.auth.issuers.live_keys import KeysPending, LiveKeys
from memoryd_server.ops.auth.issuers.verification import TokenRefused, head_of, payload_of, verified
from memoryd_server.ops.auth.rate import Rate
from memoryd_server.ops.auth.telemetry import AuthenticationTelemetry
from memoryd_server.ops.limit import (
    ISSUED_TOKENS_REFUSED_MAX,
    ISSUED_TOKENS_VERIFIED_MAX,
    KEYS_ASKED_S,
    TOKEN_VERIFICATIONS_PER_SECOND,
)

_LASTING = frozenset({"algorithm", "audience", "claims", "expired", "issuer", "rule", "signature"})
"""The reasons that stay true of a token while policy and keys stay the same."""
_KEYS_DELAY_S = 0.5
"""Time that reading an issuer's keys usually takes."""


class IssuedGrant(Grant):
    """The caller of an issuer's token. It ends at ``expires`` (s since the Unix epoch)."""

    __slots__ = ("__weakref__", "expires", "keys", "payload", "subject", "thumbprint")

    expires: float
    keys: LiveKeys
    payload: str
    subject: str
    thumbprint: str


class Issuer(msgspec.Struct, frozen=True):
    """An issuer of the policy."""

    name: str
    row: IssuerRow
    keys: LiveKeys


class IssuedCallers:
    """Verifies tokens, and remembers their callers, by hash, until they expire.

    ``expects`` is called when ``next_expiry`` has become earlier.
    """

    def __init__(self, telemetry: AuthenticationTelemetry, expects: Callable[[], None]) -> None:
        self.next_expiry = math.inf
        self._telemetry = telemetry
        self._expects = expects
        self._issuers: dict[str, Issuer] = {}
        self._verified: WeightedLru[str, IssuedGrant] = WeightedLru(ISSUED_TOKENS_VERIFIED_MAX)
        # Also those whose calls are in progress, and that are no longer remembered.
        self._alive: WeakValueDictionary[str, IssuedGrant] = WeakValueDictionary()
        self._refused: WeightedLru[str, tuple[str, str, str]] = WeightedLru(ISSUED_TOKENS_REFUSED_MAX)
        # Those of callers alone: an account has nothing that outlives its calls, but for the rate of a second.
        self._accounts: WeakValueDictionary[tuple[str, str], Account] = WeakValueDictionary()
        self._rate = Rate(TOKEN_VERIFICATIONS_PER_SECOND, limit="token_verifications_per_second")

    def enforce(self, rows: Mapping[str, IssuerRow]) -> None:
        """Let the issuers of a policy take effect: end the callers that it does not accept, and change the others."""
        before, self._issuers = self._issuers, {}
        for name, row in rows.items():
            known = before.get(row.issuer)
            if known is None or known.name != name or not known.row.trusts_as(row):
                known = Issuer(name, row, LiveKeys(row, name, self._telemetry.keys_failed))
            self._issuers[row.issuer] = msgspec.structs.replace(known, row=row)
        self._refused.clear()
        for sha256, grant in list(self._alive.items()):
            url = grant.keys.row.issuer
            issuer = self._issuers.get(url)
            if issuer is None or issuer.keys is not grant.keys:
                self._end(sha256, grant)
            elif issuer != before[url]:
                self._change(sha256, grant, issuer)

    def expire(self, now: float) -> bool:
        """End the callers whose tokens have expired. Return True if there were any."""
        if now < self.next_expiry:
            return False
        expired = [(sha256, grant) for sha256, grant in list(self._alive.items()) if grant.expires <= now]
        for sha256, grant in expired:
            self._end(sha256, grant)
        self.next_expiry = min((grant.expires for grant in self._alive.values()), default=math.inf)
        return bool(expired)

    def all_keys(self) -> Iterator[LiveKeys]:
        """Yield the keys of each issuer."""
        return (issuer.keys for issuer in self._issuers.values())

    def keep(self, keys: LiveKeys, thumbprints: frozenset[str]) -> None:
        """End the callers whose tokens were signed with a key that their issuer no longer has."""
        self._refused.clear()
        for sha256, grant in list(self._alive.items()):
            if grant.keys is keys and grant.thumbprint not in thumbprints:
                self._end(sha256, grant)

    def find(self, token: str, sha256: str) -> IssuedGrant:
        """Return the caller of a token with this hash. Raises TokenRefused, Overloaded."""
        grant = self._verified.get(sha256) or self._alive.get(sha256)
        if grant is None:
            refused = self._refused.get(sha256)
            if refused is not None:
                raise TokenRefused(*refused)
            grant = self._identified(token, sha256)
        if grant.expires <= time.time():
            raise TokenRefused("expired", "the token has expired")
        self._verified.put(sha256, grant)
        return grant

    def _identified(self, token: str, sha256: str) -> IssuedGrant:
        head = head_of(token)
        issuer = self._issuers.get(head.issuer)
        if issuer is None:
            raise TokenRefused("issuer", "no issuer of the policy has issued it")

        def find_key(algorithm: str, key_id: str | None) -> IssuerKey | None:
            key = issuer.keys.find(algorithm, key_id)
            if key is not None:
                self._rate.take()
            return key

        try:
            found = verified(token, head, issuer.row, find_key)
            rows = _rows_of(issuer.row, found.claims)
            if not rows:
                raise TokenRefused("rule", "no rule of the issuer grants it anything")
        except KeysPending as pending:
            delay_ms = math.ceil((pending.delay_s + _KEYS_DELAY_S) * 1_000)
            raise Overloaded("issuer_key_reads_per_minute", round(60 / KEYS_ASKED_S), delay_ms) from None
        except TokenRefused as refused:
            refused.issuer = issuer.name
            if refused.why in _LASTING:
                self._refused.put(sha256, (refused.why, str(refused), refused.issuer))
            raise
        grant = IssuedGrant(self._account(issuer, found.subject), rows, issuer.row.tier)
        grant.expires, grant.keys, grant.thumbprint = found.expires, issuer.keys, found.thumbprint
        grant.payload, grant.subject = payload_of(token), found.subject
        self._alive[sha256] = grant
        if grant.expires < self.next_expiry:
            self.next_expiry = grant.expires
            self._expects()
        return grant

    def _account(self, issuer: Issuer, subject: str) -> Account:
        """Return the account of a subject, which all its tokens have in common."""
        account = self._accounts.get((issuer.name, subject))
        rate = None if account is None or account.rate is None else account.rate.calls_per_second
        if account is None or rate != issuer.row.rate:
            account = self._accounts[issuer.name, subject] = Account(f"{issuer.name}/{subject}", issuer.row.rate)
        return account

    def _change(self, sha256: str, grant: IssuedGrant, issuer: Issuer) -> None:
        rows = _rows_of(issuer.row, json.loads(grant.payload))
        if rows:
            grant.become(self._account(issuer, grant.subject), rows, issuer.row.tier)
        else:
            self._end(sha256, grant)

    def _end(self, sha256: str, grant: IssuedGrant) -> None:
        grant.end()
        self._verified.pop(sha256)
        self._alive.pop(sha256, None)


def _rows_of(row: IssuerRow, claims: Mapping[str, Any]) -> list[GrantRow]:
    return [each.row for each in row.matches(Claims(claims, row.claims)) if each.row is not None]
