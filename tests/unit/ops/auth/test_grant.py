import pytest

from memoryd_server.ops.auth.grant import Account, Grant, GrantRow
from memoryd_server.ports.auth import Verb


def test_a_grant_names_agents_exactly_or_by_prefix() -> None:
    grant = Grant(Account("ci"), [GrantRow(("build-1", "team-*"))])
    assert grant.agents(Verb.READ).matches("build-1")
    assert grant.agents(Verb.READ).matches("team-")
    assert grant.agents(Verb.READ).matches("team-red")
    assert not grant.agents(Verb.READ).matches("build-10")
    assert not grant.agents(Verb.READ).matches("Team-red")
    assert not grant.agents(Verb.READ).matches("a-team-red")
    assert not grant.is_unlimited


def test_a_star_is_every_agent() -> None:
    grant = Grant(Account("root"), [GrantRow(("*",))])
    assert grant.is_unlimited
    assert grant.agents(Verb.READ).matches("anyone")


def test_no_patterns_are_no_agents() -> None:
    assert not Grant(Account("nobody"), []).agents(None).matches("a")


@pytest.mark.parametrize("pattern", ["", "a*b", "**", "a\n", "a" * 257])
def test_a_malformed_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"neither|before its end"):
        GrantRow.of([pattern], ())
