"""The verification of an issuer's token: a JSON Web Token that it has signed (RFC 7519, RFC 8725)."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from jwt import PyJWT, exceptions

from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow
from memoryd_server.ops.auth.issuers.key_set import IssuerKey
from memoryd_server.ops.limit import ISSUED_TOKEN_BYTES_MAX, SUBJECT_BYTES_MAX

FindKey = Callable[[str, str | None], IssuerKey | None]
"""Returns the key for an algorithm and a key's id, None if there is none."""

_FAR = 1 << 40
"""A time (s since the Unix epoch) that never comes."""
_SEGMENTS = 3
_PYJWT = PyJWT(options={"require": ["exp", "iss", "aud", "sub"], "enforce_minimum_key_length": True})


class TokenRefused(Exception):  # noqa: N818 - an expected outcome
    """A token is not accepted. ``why`` is one word, for metrics and the log; ``detail`` is for who has the token.

    ``issuer`` is the name of the issuer in the policy, if it is known.
    """

    def __init__(self, why: str, detail: str, issuer: str = "") -> None:
        super().__init__(detail)
        self.why = why
        self.issuer = issuer


class TokenHead(msgspec.Struct, frozen=True):
    """The part of a token that says whose it is, before anything of it is verified."""

    issuer: str
    algorithm: str
    key_id: str | None


class VerifiedToken(msgspec.Struct, frozen=True):
    """A token whose signature and times are valid. It ends at ``expires`` (s since the Unix epoch), leeway included."""

    subject: str
    expires: float
    claims: Mapping[str, Any]
    thumbprint: str


class _Header(msgspec.Struct):
    alg: str
    kid: str | None = None
    crit: Any = msgspec.UNSET


class _Payload(msgspec.Struct):
    iss: str


def head_of(token: str) -> TokenHead:
    """Read what says whose token it is. Raises TokenRefused if it is not one of an issuer at all."""
    segments = token.split(".")
    if len(segments) != _SEGMENTS or not token.isascii() or len(token) > ISSUED_TOKEN_BYTES_MAX:
        raise TokenRefused("unknown", "neither a token of the file nor a JSON Web Token")
    try:
        header = msgspec.json.decode(_decoded(segments[0]), type=_Header)
        # As text: JSON that is not UTF-8 could be read in more than one way.
        payload = msgspec.json.decode(_decoded(segments[1]).decode(), type=_Payload)
    except (msgspec.DecodeError, binascii.Error, UnicodeDecodeError, RecursionError):
        raise TokenRefused("malformed", "not a JSON Web Token of an issuer") from None
    if header.crit is not msgspec.UNSET:
        raise TokenRefused("malformed", "header crit asks for an extension, of which none is known")
    return TokenHead(payload.iss, header.alg, header.kid)


def verified(token: str, head: TokenHead, row: IssuerRow, find_key: FindKey) -> VerifiedToken:
    """Verify a token of the issuer of the row. Raises TokenRefused, and what ``find_key`` raises."""
    if head.algorithm not in row.algorithms:
        raise TokenRefused("algorithm", f"algorithm {head.algorithm[:20]!r} is none of {', '.join(row.algorithms)}")
    key = find_key(head.algorithm, head.key_id)
    if key is None:
        raise TokenRefused("key", "the issuer has no key of its id for its algorithm")
    try:
        claims = _PYJWT.decode(
            token,
            key.verifier,
            algorithms=[key.algorithm],
            audience=row.audiences,
            issuer=row.issuer,
            leeway=row.leeway,
        )
    # Some versions of PyJWT raise TypeError or OverflowError for a time that is none, and RecursionError for deep JSON.
    except (exceptions.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _refusal_of(error) from None
    subject, end = claims["sub"], claims["exp"]
    if not subject or not subject.isprintable() or len(subject.encode()) > SUBJECT_BYTES_MAX:
        raise TokenRefused("claims", "claim sub is empty, too long, or has unprintable characters")
    if not isinstance(end, int | float) or isinstance(end, bool):
        raise TokenRefused("claims", "claim exp is not a number")
    # As the library rounds it.
    return VerifiedToken(subject, min(int(end), _FAR) + row.leeway, claims, key.thumbprint)


def payload_of(token: str) -> str:
    """Return the claims of a token that was verified, as JSON."""
    return _decoded(token.split(".")[1]).decode()


def _refusal_of(error: Exception) -> TokenRefused:
    for kind, why in _REASONS.items():
        if isinstance(error, kind):
            return TokenRefused(why, str(error))
    return TokenRefused("malformed", "not a JSON Web Token of an issuer")


def _decoded(segment: str) -> bytes:
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


_REASONS: dict[type[Exception], str] = {
    exceptions.InvalidSignatureError: "signature",
    exceptions.InvalidKeyError: "signature",
    exceptions.InvalidAlgorithmError: "algorithm",
    exceptions.ExpiredSignatureError: "expired",
    exceptions.ImmatureSignatureError: "not_yet_valid",
    exceptions.InvalidAudienceError: "audience",
    exceptions.InvalidIssuerError: "issuer",
    exceptions.MissingRequiredClaimError: "claims",
    exceptions.InvalidSubjectError: "claims",
    exceptions.InvalidIssuedAtError: "claims",
    exceptions.InvalidJTIError: "claims",
}
