"""Authenticators: one that checks the token file, and one that accepts every caller."""

from collections.abc import Sequence
from hmac import compare_digest

from memoryd_server.domain.error import Unauthenticated
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.ops.auth.grant import Grant, GrantRow
from memoryd_server.ops.auth.token_file import TokenFile, hash_token, read_token_file
from memoryd_server.ops.config.settings import Security
from memoryd_server.ops.limit import CALLERS_CACHED_MAX
from memoryd_server.ports.auth import Authenticator, Caller


def authenticator_of(security: Security) -> Authenticator:
    """Return the authenticator for the settings. Raises OperatorError for an invalid token file."""
    if security.token_file is None:
        return OpenAuthenticator()
    return FileAuthenticator(read_token_file(security.token_file))


class OpenAuthenticator:
    """Accepts every caller for every agent: for addresses that only the owner reaches, or with client certificates."""

    def __init__(self) -> None:
        self._caller = Grant("anonymous", [GrantRow(("*",))])

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        """Return the same caller always."""
        return self._caller


class FileAuthenticator:
    """Accepts the tokens and certificates of a token file. If a call has a token, its certificate is ignored."""

    def __init__(self, rows: TokenFile) -> None:
        self._tokens = [(row.sha256, Grant(name, [row.grant])) for name, row in rows.tokens.items()]
        self._certificates = {name: Grant(name, [row.grant]) for name, row in rows.certificates.items()}
        self._callers: WeightedLru[str, Grant] = WeightedLru(CALLERS_CACHED_MAX)

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        """Return the caller. Raises Unauthenticated."""
        if authorization is not None:
            return self._callers.get(authorization) or self._find_caller(authorization)
        for identity in peer_identities:
            if identity in self._certificates:
                return self._certificates[identity]
        raise Unauthenticated

    def _find_caller(self, authorization: str) -> Grant:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise Unauthenticated
        sha256 = hash_token(token.strip())
        # All hashes are compared, each in constant time, so that the duration reveals nothing about a hash.
        matches = [grant for known, grant in self._tokens if compare_digest(known, sha256)]
        if not matches:
            # Failures are not cached: wrong tokens cannot evict valid ones.
            raise Unauthenticated
        self._callers.put(authorization, matches[0])
        return matches[0]
