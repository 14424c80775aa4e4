"""The keys of an issuer, from a JSON Web Key Set (RFC 7517)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK, PyJWTError

from memoryd_server.ops.limit import KEYS_MAX, RSA_KEY_BITS_MAX, RSA_KEY_BITS_MIN

_ALGORITHMS_OF_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_ALGORITHMS_OF_CURVES = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512", "Ed25519": "EdDSA"}
_PUBLIC_MEMBERS = ("kty", "crv", "n", "e", "x", "y")


class IssuerKey(msgspec.Struct, frozen=True):
    """A public key, for one algorithm. ``thumbprint`` is that of the key, whatever its id and algorithm."""

    key_id: str | None
    algorithm: str
    thumbprint: str
    verifier: PyJWK


class KeySet(msgspec.Struct, frozen=True):
    """The keys by which the tokens of an issuer are verified, once for each algorithm that each may be used with."""

    keys: tuple[IssuerKey, ...]

    @classmethod
    def parse(cls, data: bytes, algorithms: Sequence[str]) -> "KeySet":
        """Return the usable keys of a set, of which there is at least one. Raises ValueError.

        Left out are keys of unknown sorts or not for signatures, and those that are too short or long.
        """
        try:
            members = msgspec.json.decode(data, type=dict[str, Any]).get("keys")
        except (msgspec.DecodeError, RecursionError):
            raise ValueError("they are no JSON Web Key Set") from None
        if not isinstance(members, list):
            raise ValueError("they are no JSON Web Key Set")
        if len(members) > KEYS_MAX:
            raise ValueError(f"there are more than {KEYS_MAX} keys")
        keys = [
            key
            for each in members
            if isinstance(each, dict)
            for algorithm in algorithms
            if (key := _key_of(each, algorithm)) is not None
        ]
        if not keys:
            raise ValueError(f"no key is fit for {', '.join(algorithms)}")
        return cls(tuple(keys))

    @property
    def thumbprints(self) -> frozenset[str]:
        """The keys, for comparison with those of another set."""
        return frozenset(key.thumbprint for key in self.keys)

    def find(self, algorithm: str, key_id: str | None) -> IssuerKey | None:
        """Return the key of this id, or without one the only key for the algorithm; None if there is none."""
        found = [key for key in self.keys if key.algorithm == algorithm and key_id in (None, key.key_id)]
        return found[0] if len(found) == 1 or (found and key_id is not None) else None


def _key_of(member: Mapping[str, Any], algorithm: str) -> IssuerKey | None:
    if not _is_fit(member, algorithm):
        return None
    public = {name: member[name] for name in _PUBLIC_MEMBERS if name in member}
    key_id = member.get("kid")
    try:
        # Only what makes a public key is passed on, so that nothing else in the set decides about it.
        verifier = PyJWK(public, algorithm)
    except (PyJWTError, ValueError, TypeError):
        return None
    key = verifier.key
    if isinstance(key, RSAPublicKey) and not RSA_KEY_BITS_MIN <= key.key_size <= RSA_KEY_BITS_MAX:
        return None
    thumbprint = hashlib.sha256(msgspec.json.encode(public, order="sorted")).hexdigest()
    return IssuerKey(key_id if isinstance(key_id, str) else None, algorithm, thumbprint, verifier)


def _is_fit(member: Mapping[str, Any], algorithm: str) -> bool:
    if member.get("use", "sig") != "sig" or member.get("alg", algorithm) != algorithm:
        return False
    operations = member.get("key_ops")
    if operations is not None and not (isinstance(operations, list) and "verify" in operations):
        return False
    if member.get("kty") == "RSA":
        return algorithm in _ALGORITHMS_OF_RSA
    curve = member.get("crv")
    return isinstance(curve, str) and _ALGORITHMS_OF_CURVES.get(curve) == algorithm
