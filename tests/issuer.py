"""An issuer of tokens for tests: its keys, its tokens, and a server of its keys on loopback."""

import contextlib
import json
import time
from collections.abc import Mapping
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from tests.loopback_server import LoopbackServer
from tests.wait import WAIT_S_MAX

ISSUER, AUDIENCE = "https://sso.example", "memoryd"


@cache
def rsa_key(name: str, bits: int = 2_048) -> rsa.RSAPrivateKey:
    """Return the RSA key of this name, which takes a while to make."""
    return rsa.generate_private_key(65_537, bits)


class TokenIssuer:
    """Signs tokens with keys by id: ``rsa``, ``ec`` and ``ed``, and those of ``add``."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[str, Any]] = {
            "rsa": ("RS256", rsa_key("rsa")),
            "ec": ("ES256", ec.generate_private_key(ec.SECP256R1())),
            "ed": ("EdDSA", ed25519.Ed25519PrivateKey.generate()),
        }

    def add(self, key_id: str) -> None:
        """Begin to use a new key of the algorithm ES256."""
        self._keys[key_id] = ("ES256", ec.generate_private_key(ec.SECP256R1()))

    def token(self, key_id: str = "ec", headers: Mapping[str, Any] | None = None, **claims: Any) -> str:
        """Return a token that is valid for an hour, unless the claims say otherwise. A claim of None is left out."""
        now = int(time.time())
        given = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "iat": now, "exp": now + 3_600} | claims
        algorithm, key = self._keys[key_id]
        payload = {name: value for name, value in given.items() if value is not None}
        return jwt.encode(payload, key, algorithm, {"kid": key_id, **(headers or {})})

    def public(self, key_id: str) -> dict[str, Any]:
        """Return a public key as a set has it."""
        algorithm, key = self._keys[key_id]
        kinds: dict[str, Any] = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}
        member = json.loads(kinds[algorithm].to_jwk(key.public_key()))
        return {"kid": key_id, "use": "sig", "alg": algorithm, **{k: v for k, v in member.items() if k != "key_ops"}}

    def key_set(self, *key_ids: str) -> bytes:
        """Return the set of these keys, by default of all."""
        return json.dumps({"keys": [self.public(each) for each in key_ids or self._keys]}).encode()


class KeyServer(LoopbackServer):
    """Serves ``body`` with ``status`` and ``headers``, and waits while ``gate`` is closed. Use as a context manager."""

    def __init__(self, body: bytes) -> None:
        self.body, self.status, self.headers = body, 200, dict[str, str]()
        self.requests: list[dict[str, str]] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.requests.append({"path": self.path, **{k.lower(): v for k, v in self.headers.items()}})
                served.gate.wait(WAIT_S_MAX)
                with contextlib.suppress(ConnectionError):
                    self.send_response(served.status)
                    for name, value in served.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(served.body)

            def log_message(self, *_: Any) -> None:
                """Log nothing."""

        super().__init__(Handler)

    @property
    def url(self) -> str:
        return f"{self.origin}/keys"
