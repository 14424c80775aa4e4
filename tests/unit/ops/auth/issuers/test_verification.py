import base64
import hashlib
import hmac
import json
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from tests.issuer import AUDIENCE, ISSUER, TokenIssuer, rsa_key

from memoryd_server.ops.auth.issuers.issuer_row import Algorithm, IssuerRow, RuleRow
from memoryd_server.ops.auth.issuers.key_set import KeySet
from memoryd_server.ops.auth.issuers.verification import TokenRefused, VerifiedToken, head_of, verified
from memoryd_server.ops.limit import ISSUED_TOKEN_BYTES_MAX

ALGORITHMS: tuple[Algorithm, ...] = ("RS256", "ES256", "EdDSA")
ROW = IssuerRow(
    issuer=ISSUER, audience=(AUDIENCE, "other"), keys="/keys", algorithms=ALGORITHMS, rules=(RuleRow(agents=("a",)),)
)
TOKENS = TokenIssuer()
KEYS = KeySet.parse(TOKENS.key_set(), ALGORITHMS)


def verify(token: str, row: IssuerRow = ROW) -> VerifiedToken:
    return verified(token, head_of(token), row, KEYS.find)


def why(token: str, row: IssuerRow = ROW) -> str:
    with pytest.raises(TokenRefused) as raised:
        verify(token, row)
    return raised.value.why


def encoded(data: object) -> str:
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def signed(token: str) -> str:
    """Return a token of this header and payload that the issuer's key ``ec`` has signed."""
    signature = jwt.get_algorithm_by_name("ES256").sign(token.encode(), TOKENS._keys["ec"][1])
    return f"{token}.{encoded(signature)}"


@pytest.mark.parametrize("key_id", ["rsa", "ec", "ed"])
def test_a_token_of_the_issuer_is_verified(key_id: str) -> None:
    end = int(time.time()) + 100
    token = verify(TOKENS.token(key_id, exp=end, aud=["x", "other"], team="red"))
    assert (token.subject, token.expires, token.claims["team"]) == ("ada", end + ROW.leeway, "red")
    assert token.thumbprint in KEYS.thumbprints


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"iss": "https://other.example"}, "issuer"),
        ({"iss": ISSUER + "/"}, "issuer"),
        ({"aud": "another"}, "audience"),
        ({"aud": ["another"]}, "audience"),
        ({"aud": {"memoryd": 1}}, "audience"),
        ({"aud": None}, "claims"),
        ({"aud": []}, "claims"),
        ({"sub": None}, "claims"),
        ({"sub": ""}, "claims"),
        ({"sub": 1}, "claims"),
        ({"sub": "a\nb"}, "claims"),
        ({"sub": "x" * 300}, "claims"),
        ({"exp": None}, "claims"),
        ({"exp": 1}, "expired"),
        ({"exp": True}, "expired"),
        ({"exp": "9999999999"}, "claims"),
        ({"exp": "soon"}, "malformed"),
        ({"exp": float("inf")}, "malformed"),
        ({"nbf": 1 << 40}, "not_yet_valid"),
        ({"iat": 1 << 40}, "not_yet_valid"),
        ({"iat": "yesterday"}, "claims"),
        ({"nbf": []}, "malformed"),
    ],
)
def test_a_token_is_refused_by_its_claims(claims: dict[str, Any], reason: str) -> None:
    assert why(TOKENS.token(**claims)) == reason


def test_the_clocks_may_differ_by_the_leeway() -> None:
    now = int(time.time())
    assert verify(TOKENS.token(exp=now - 10, nbf=now + 10, iat=now + 10))
    assert why(TOKENS.token(exp=now - 31)) == "expired"
    assert why(TOKENS.token(nbf=now + 300)) == "not_yet_valid"


def test_an_end_that_never_comes_is_a_time() -> None:
    assert verify(TOKENS.token(exp=10**400)).expires < 10**13
    assert verify(TOKENS.token(exp=1e308)).expires < 10**13


def test_the_public_key_is_no_secret_of_hs256() -> None:
    public = rsa_key("rsa").public_key()
    now = int(time.time())
    payload = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": now + 60}
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for secret in (pem, json.dumps(TOKENS.public("rsa")).encode(), b""):
        signed = f"{encoded({'alg': 'HS256', 'kid': 'rsa'})}.{encoded(payload)}"
        signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
        assert why(f"{signed}.{encoded(signature)}") == "algorithm"


@pytest.mark.parametrize("name", ["none", "None", "NONE", "", "HS256", "RS512", "ES384", "ES256K", "x" * 1_000])
def test_an_algorithm_that_is_not_allowed_is_refused(name: str) -> None:
    payload = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 60}
    for signature in ("", encoded(b"signature")):
        assert why(f"{encoded({'alg': name, 'kid': 'ec'})}.{encoded(payload)}.{signature}") == "algorithm"


def test_an_allowed_algorithm_needs_a_key_of_its_own() -> None:
    token = TOKENS.token("rsa", headers={"kid": "ec"})
    assert why(token) == "key"
    _, payload, signature = TOKENS.token("ec").split(".")
    assert why(f"{encoded({'alg': 'RS256', 'kid': 'ec'})}.{payload}.{signature}") == "key"
    assert why(f"{encoded({'alg': 'RS256', 'kid': 'rsa'})}.{payload}.{signature}") == "signature"


def test_a_key_within_the_token_is_not_used() -> None:
    other = TokenIssuer()
    for header in ({"jwk": other.public("ec")}, {"jku": "http://127.0.0.1:1/keys"}, {"x5u": "http://127.0.0.1:1/c"}):
        assert why(other.token("ec", headers=header)) == "signature"


@pytest.mark.parametrize("crit", [["exp"], ["b64"], [], "b64", None, 1])
def test_a_critical_extension_is_refused(crit: object) -> None:
    payload = TOKENS.token("ec").split(".")[1]
    header = encoded({"alg": "ES256", "kid": "ec", "crit": crit, "b64": True, "exp": 1})
    assert why(signed(f"{header}.{payload}")) == "malformed"


def test_a_payload_that_is_not_encoded_is_refused() -> None:
    key = rsa_key("rsa")
    payload = json.dumps({"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 60}).encode()
    token = jwt.api_jws.encode(payload, key, "RS256", {"kid": "rsa", "b64": False}, is_payload_detached=True)
    assert why(token) == "malformed"


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_changed_token_is_refused(part: int) -> None:
    parts, other = (TOKENS.token("ec", jti=name).split(".") for name in ("one", "two"))
    other[0] = encoded({"alg": "ES256", "kid": "ec", "typ": "other"})
    parts[part] = other[part]
    assert why(".".join(parts)) == "signature"


def test_a_token_that_is_too_large_is_none() -> None:
    assert why(TOKENS.token("ec", groups="x" * ISSUED_TOKEN_BYTES_MAX)) == "unknown"


@pytest.mark.parametrize("token", ["", "memoryd_abc", "a.b", "a.b.c.d.e", "ü.ü.ü"])
def test_what_is_no_token_of_an_issuer_is_unknown(token: str) -> None:
    assert why(token) == "unknown"


def test_json_of_any_depth_is_refused() -> None:
    # Near the interpreter's limit, what reads a header first may take it, and what verifies it may not.
    for depth in range(850, 1_050):
        header = encoded(f'{{"alg": "ES256", "kid": "ec", "deep": {"[" * depth}{"]" * depth}}}'.encode())
        assert why(f"{header}.{encoded({'iss': ISSUER})}.{encoded(bytes(64))}") in ("signature", "malformed")


@pytest.mark.parametrize("name", ["exp", "nbf", "iat"])
@pytest.mark.parametrize("end", ["1e999", "-1e999", "1" * 5_000])
def test_a_time_that_no_clock_shows_is_refused(name: str, end: str) -> None:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": 1 << 40} | {name: "TIME"}
    payload = encoded(json.dumps(claims).replace('"TIME"', end).encode())
    assert why(signed(f"{encoded({'alg': 'ES256', 'kid': 'ec'})}.{payload}")) in ("malformed", "claims")


@pytest.mark.parametrize("text", [b"\xed\xa0\x80", b"\xff"])
def test_claims_that_are_not_utf_8_are_refused(text: bytes) -> None:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": int(time.time()) + 60, "team": "TEXT"}
    payload = encoded(json.dumps(claims).encode().replace(b"TEXT", text))
    assert why(signed(f"{encoded({'alg': 'ES256', 'kid': 'ec'})}.{payload}")) == "malformed"


HEADERS = st.fixed_dictionaries(
    {"alg": st.sampled_from(["ES256", "RS256", "EdDSA"]), "kid": st.sampled_from(["ec", "rsa", "ed"])},
    optional={"typ": st.text(), "b64": st.booleans(), "crit": st.lists(st.text()), "zip": st.text(), "cty": st.none()},
)
PAYLOADS = st.dictionaries(
    st.sampled_from(["iss", "aud", "sub", "exp", "nbf", "iat", "jti"]),
    st.just(ISSUER) | st.just(AUDIENCE) | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists),
)
ANY_SEGMENT = st.binary(max_size=30).map(encoded) | st.text(max_size=10)


@given(
    st.one_of(HEADERS.map(encoded), ANY_SEGMENT),
    st.one_of(PAYLOADS.map(encoded), ANY_SEGMENT),
    st.binary(min_size=64, max_size=64).map(encoded) | ANY_SEGMENT,
)
def test_any_token_that_the_issuer_has_not_signed_is_refused(header: str, payload: str, signature: str) -> None:
    assert why(f"{header}.{payload}.{signature}")


@given(PAYLOADS)
def test_any_claims_that_the_issuer_has_signed_are_verified_or_refused(claims: dict[str, Any]) -> None:
    try:
        found = verify(signed(f"{encoded({'alg': 'ES256', 'kid': 'ec'})}.{encoded(claims)}"))
    except TokenRefused:
        return
    assert found.subject
    assert found.claims["iss"] == ISSUER
