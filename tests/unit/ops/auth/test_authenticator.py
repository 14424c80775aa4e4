import math
from datetime import UTC, datetime
from hmac import compare_digest
from pathlib import Path
from typing import Any

import pytest

from memoryd_server.domain.error import Unauthenticated
from memoryd_server.ops.auth import authenticator as module
from memoryd_server.ops.auth.authenticator import PolicyAuthenticator, authenticator_of
from memoryd_server.ops.auth.policy_edit import create_token
from memoryd_server.ops.auth.policy_file import CertificateRow, Policy, TokenHash, TokenRow, hash_token
from memoryd_server.ops.config.settings import Security
from memoryd_server.ports.auth import Authenticator, Verb


@pytest.fixture
def authenticator() -> Authenticator:
    return PolicyAuthenticator(
        Policy(
            tokens={
                "first": TokenRow(sha256=hash_token("one"), agents=("a",)),
                "second": TokenRow(sha256=hash_token("two"), agents=("b", "team-*")),
            },
            certificates={"agent.example": CertificateRow(agents=("c",))},
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


def policy(*tokens: str, agents: tuple[str, ...] = ("a",), **fields: Any) -> Policy:
    hashes = tuple(TokenHash(hash_token(token)) for token in tokens)
    return Policy(tokens={"ci": TokenRow(hashes=hashes, agents=agents, **fields)})


def test_a_caller_has_what_the_policy_of_the_moment_grants() -> None:
    authenticator = PolicyAuthenticator(policy("one"))
    caller = authenticator.authenticate("Bearer one", [])
    authenticator.enforce(policy("one", agents=("*",)), 0.0)
    assert authenticator.authenticate("Bearer one", []) is caller
    assert caller.is_unlimited
    authenticator.enforce(policy("one", agents=("b",), verbs=(Verb.READ,)), 0.0)
    assert not caller.is_unlimited
    assert caller.agents(Verb.READ).matches("b")
    assert not caller.agents(Verb.WRITE).matches("b")
    assert caller.is_valid


def test_a_token_that_the_policy_no_longer_has_loses_all_rights_and_its_sibling_none() -> None:
    authenticator = PolicyAuthenticator(policy("old", "new"))
    old, new = (authenticator.authenticate(f"Bearer {token}", []) for token in ("old", "new"))
    assert old.account is new.account
    authenticator.enforce(policy("new"), 0.0)
    assert (old.is_valid, new.is_valid) == (False, True)
    assert not old.agents(None).matches("a")
    with pytest.raises(Unauthenticated):
        authenticator.authenticate("Bearer old", [])


def test_a_token_ends_when_it_expires() -> None:
    ends = datetime.fromtimestamp(100, UTC)
    row = TokenRow(hashes=(TokenHash(hash_token("old"), ends), TokenHash(hash_token("new"))), agents=("a",))
    authenticator = PolicyAuthenticator(Policy(tokens={"ci": row}), now=99.0)
    caller = authenticator.authenticate("Bearer old", [])
    assert authenticator.next_expiry == 100.0
    assert not authenticator.expire(99.9)
    assert authenticator.expire(100.0)
    assert (caller.is_valid, authenticator.next_expiry) == (False, math.inf)
    with pytest.raises(Unauthenticated):
        authenticator.authenticate("Bearer old", [])
    assert authenticator.authenticate("Bearer new", []).is_valid


def test_a_rate_goes_on_counting_when_the_policy_is_renewed() -> None:
    authenticator = PolicyAuthenticator(policy("one", "two", rate=1.0))
    rates = [authenticator.authenticate(f"Bearer {token}", []).rate for token in ("one", "two")]
    assert rates[0] is rates[1]
    authenticator.enforce(policy("one", rate=1.0), 0.0)
    assert authenticator.authenticate("Bearer one", []).rate is rates[0]
    authenticator.enforce(policy("one"), 0.0)
    assert authenticator.authenticate("Bearer one", []).rate is None


def test_what_was_used_is_known_once() -> None:
    authenticator = PolicyAuthenticator(policy("one", "two"))
    authenticator.authenticate("Bearer one", [])
    assert authenticator.used() == [("token", hash_token("one"))]
    authenticator.forget()
    assert authenticator.used() == []
    authenticator.authenticate("Bearer one", [])
    assert authenticator.used() == [("token", hash_token("one"))]
