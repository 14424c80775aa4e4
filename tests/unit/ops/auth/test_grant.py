import pytest

from memoryd_server.ops.auth.grant import Grant, check_pattern


def test_a_grant_names_agents_exactly_or_by_prefix() -> None:
    grant = Grant("ci", ["build-1", "team-*"])
    assert grant.may_use("build-1")
    assert grant.may_use("team-")
    assert grant.may_use("team-red")
    assert not grant.may_use("build-10")
    assert not grant.may_use("Team-red")
    assert not grant.may_use("a-team-red")
    assert not grant.all_agents


def test_a_star_is_every_agent() -> None:
    grant = Grant("root", ["*"])
    assert grant.all_agents
    assert grant.may_use("anyone")


def test_no_patterns_are_no_agents() -> None:
    assert not Grant("nobody", []).may_use("a")


@pytest.mark.parametrize("pattern", ["", "a*b", "**", "a\n", "a" * 257])
def test_a_malformed_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"neither|before its end"):
        check_pattern(pattern)
