from hmac import compare_digest
from pathlib import Path

import pytest

from memoryd_server.domain.error import Unauthenticated
from memoryd_server.ops.auth import authenticator as module
from memoryd_server.ops.auth.authenticator import FileAuthenticator, authenticator_of
from memoryd_server.ops.auth.token_file import CertificateRow, TokenFile, TokenRow, create_token, hash_token
from memoryd_server.ops.config.settings import Security
from memoryd_server.ports.auth import Authenticator, Verb


@pytest.fixture
def authenticator() -> Authenticator:
    return FileAuthenticator(
        TokenFile(
            tokens={
                "first": TokenRow(hash_token("one"), ("a",)),
                "second": TokenRow(hash_token("two"), ("b", "team-*")),
            },
            certificates={"agent.example": CertificateRow(("c",))},
        )
    )


def test_a_token_names_its_caller_and_agents(authenticator: Authenticator) -> None:
    caller = authenticator.authenticate("Bearer two", [])
    assert caller.name == "second"
    assert caller.agents(Verb.READ).matches("team-red")
    assert not caller.agents(Verb.READ).matches("a")


def test_the_scheme_is_read_in_any_case(authenticator: Authenticator) -> None:
    assert authenticator.authenticate("bearer one", []).name == "first"


@pytest.mark.parametrize(
    "authorization", ["", "one", "Bearer", "Bearer ", "Bearer three", "Basic one", "Bearer \udcff"]
)
def test_anything_else_is_refused(authenticator: Authenticator, authorization: str) -> None:
    with pytest.raises(Unauthenticated):
        authenticator.authenticate(authorization, [])


def test_nothing_at_all_is_refused(authenticator: Authenticator) -> None:
    with pytest.raises(Unauthenticated):
        authenticator.authenticate(None, [])


def test_a_certificate_names_its_caller_by_any_of_its_identities(authenticator: Authenticator) -> None:
    caller = authenticator.authenticate(None, ["other.example", "agent.example"])
    assert caller.name == "agent.example"
    assert caller.agents(Verb.READ).matches("c")


def test_a_certificate_that_the_file_does_not_name_is_refused(authenticator: Authenticator) -> None:
    with pytest.raises(Unauthenticated):
        authenticator.authenticate(None, ["other.example"])


def test_a_wrong_token_is_not_made_good_by_a_certificate(authenticator: Authenticator) -> None:
    with pytest.raises(Unauthenticated):
        authenticator.authenticate("Bearer three", ["agent.example"])


def test_hashes_are_compared_in_constant_time_and_once_for_each_token(
    authenticator: Authenticator, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []

    def compare(known: str, given: str) -> bool:
        compared.append(known)
        return compare_digest(known, given)

    monkeypatch.setattr(module, "compare_digest", compare)
    for _ in range(3):
        authenticator.authenticate("Bearer one", [])
    assert compared == [hash_token("one"), hash_token("two")]


def test_without_a_token_file_everyone_may_use_everything() -> None:
    caller = authenticator_of(Security()).authenticate(None, [])
    assert caller.is_unlimited
    assert caller.agents(Verb.READ).matches("anyone")


def test_with_a_token_file_its_tokens_count(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    token = create_token(path, "ci", ("a",))
    authenticator = authenticator_of(Security(token_file=path))
    assert authenticator.authenticate(f"Bearer {token}", []).name == "ci"
    with pytest.raises(Unauthenticated):
        authenticator.authenticate(None, [])
