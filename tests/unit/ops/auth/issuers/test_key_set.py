import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from tests.issuer import TokenIssuer, rsa_key

from memoryd_server.ops.auth.issuers.key_set import KeySet
from memoryd_server.ops.limit import KEYS_MAX

ALL = ("RS256", "RS512", "PS256", "ES256", "EdDSA")


@pytest.fixture(scope="module")
def issuer() -> TokenIssuer:
    return TokenIssuer()


def key_set(*members: Any) -> bytes:
    return json.dumps({"keys": members}).encode()


def test_a_key_is_found_by_its_algorithm_and_id(issuer: TokenIssuer) -> None:
    keys = KeySet.parse(issuer.key_set(), ALL)
    assert {(key.key_id, key.algorithm) for key in keys.keys} == {("rsa", "RS256"), ("ec", "ES256"), ("ed", "EdDSA")}
    assert len(keys.thumbprints) == 3
    found = keys.find("ES256", "ec")
    assert found is not None
    assert found.key_id == "ec"
    assert keys.find("ES256", "rsa") is None
    assert keys.find("ES256", "other") is None


def test_without_an_id_the_only_key_is_found(issuer: TokenIssuer) -> None:
    assert KeySet.parse(issuer.key_set(), ALL).find("ES256", None) is not None
    other = json.loads(ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()).public_key()))
    assert KeySet.parse(key_set(issuer.public("ec"), {**other, "key_ops": ["verify"]}), ALL).find("ES256", None) is None


def test_a_key_of_no_algorithm_is_for_all_that_it_fits(issuer: TokenIssuer) -> None:
    member = {name: value for name, value in issuer.public("rsa").items() if name != "alg"}
    keys = KeySet.parse(key_set(member), ALL)
    assert [key.algorithm for key in keys.keys] == ["RS256", "RS512", "PS256"]
    assert len(keys.thumbprints) == 1


def unfit(issuer: TokenIssuer) -> dict[str, Any]:
    good = issuer.public("ec")
    short: dict[str, Any] = json.loads(RSAAlgorithm.to_jwk(rsa_key("short", 1_024).public_key()))
    curve: dict[str, Any] = json.loads(ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP384R1()).public_key()))
    return {
        "symmetric": {"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"},
        "symmetric under another name": {"kty": "oct", "k": "c2VjcmV0", "alg": "ES256", "crv": "P-256"},
        "for encryption": {**good, "use": "enc"},
        "for other operations": {**good, "key_ops": ["encrypt"]},
        "of another algorithm": {**good, "alg": "ES384"},
        "of an unknown curve": {**good, "crv": "P-257", "alg": None},
        "of another curve": {**curve, "crv": "P-256", "key_ops": ["verify"]},
        "short": {**short, "key_ops": ["verify"]},
        "not on its curve": {**good, "x": good["y"]},
        "without a coordinate": {name: value for name, value in good.items() if name != "x"},
        "of numbers": {**good, "x": 1, "y": []},
        "no object": "key",
        "nothing": {},
    }


@pytest.mark.parametrize("name", unfit(TokenIssuer()))
def test_a_key_that_is_unfit_is_left_out(issuer: TokenIssuer, name: str) -> None:
    with pytest.raises(ValueError, match="no key is fit for"):
        KeySet.parse(key_set(unfit(issuer)[name]), ALL)
    assert len(KeySet.parse(key_set(unfit(issuer)[name], issuer.public("ec")), ALL).keys) == 1


def test_a_private_key_verifies_as_its_public_one(issuer: TokenIssuer) -> None:
    private = json.loads(RSAAlgorithm.to_jwk(rsa_key("rsa"))) | {"kid": "rsa", "key_ops": ["sign", "verify"]}
    key = KeySet.parse(key_set(private), ("RS256",)).keys[0]
    assert not hasattr(key.verifier.key, "private_bytes")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"keys": {}}', b'{"keys": 1}', b"\xff", b"[" * 100_000])
def test_what_is_no_key_set_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no JSON Web Key Set"):
        KeySet.parse(data, ALL)


def test_too_many_keys_are_refused(issuer: TokenIssuer) -> None:
    with pytest.raises(ValueError, match="more than"):
        KeySet.parse(key_set(*[issuer.public("ec")] * (KEYS_MAX + 1)), ALL)


@given(st.binary(max_size=60) | st.recursive(st.none() | st.text(), st.lists).map(lambda v: key_set(v)))
def test_any_bytes_are_a_set_or_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        KeySet.parse(data, ALL)
