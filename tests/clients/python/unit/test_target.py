from pathlib import Path

import pytest

from memoryd.errors import InvalidTarget
from memoryd.protocol.target import DEFAULT_TARGET, Tls, credentials_of, target_of, token_of


@pytest.mark.parametrize("target", ["127.0.0.1:7600", "localhost:1", "[::1]:65535", "unix:/run/memoryd.sock"])
def test_an_address_is_taken_as_it_is(target: str) -> None:
    assert target_of(target, {}) == target


@pytest.mark.parametrize(
    "target", ["localhost", "localhost:", ":7600", "localhost:0", "localhost:65536", "::1:7600", "unix:", "h:7x"]
)
def test_an_invalid_address_is_refused(target: str) -> None:
    with pytest.raises(InvalidTarget, match="address"):
        target_of(target, {})


def test_the_environment_says_where_the_daemon_is() -> None:
    assert target_of(None, {"MEMORYD_ADDRESS": "unix:/a"}) == "unix:/a"
    assert target_of("h:1", {"MEMORYD_ADDRESS": "unix:/a"}) == "h:1"
    assert target_of(None, {}) == DEFAULT_TARGET


def test_the_environment_holds_the_token() -> None:
    for given, expected in ((None, "secret"), ("other", "other"), (lambda: "renewed", "renewed")):
        token = token_of(given, {"MEMORYD_TOKEN": "secret"})
        assert token is not None
        assert token() == expected
    assert token_of(None, {"MEMORYD_TOKEN": ""}) is None


def test_without_tls_there_are_no_credentials() -> None:
    assert credentials_of(None) is None
    assert credentials_of(False) is None
    assert credentials_of(True) is not None


def test_a_client_certificate_without_its_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidTarget, match="key_file"):
        credentials_of(Tls(cert_file=tmp_path / "client.pem"))


def test_a_missing_tls_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidTarget, match=r"ca\.pem"):
        credentials_of(Tls(ca_file=tmp_path / "ca.pem"))
