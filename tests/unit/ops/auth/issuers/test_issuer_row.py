from typing import Any

import pytest

from memoryd_server.ops.auth.issuers.claims import Claims
from memoryd_server.ops.auth.issuers.issuer_row import IssuerRow
from memoryd_server.ops.auth.policy_file import parse_policy
from memoryd_server.ports.auth import Verb

SSO = """
[issuers.sso]
issuer = "https://sso.example"
audience = "memoryd"
keys = "https://sso.example/keys"
rules = [{ agents = ["user-{sub}"] }]
"""


def row(rules: str, more: str = "") -> IssuerRow:
    return parse_policy(SSO.replace('[{ agents = ["user-{sub}"] }]', rules) + more).issuers["sso"]


def granted(row: IssuerRow, **claims: Any) -> list[tuple[int, tuple[str, ...]]]:
    matches = row.matches(Claims(claims, row.claims))
    return [(each.number, each.row.agents) for each in matches if each.row is not None]


def test_a_row_has_safe_defaults() -> None:
    issuer = parse_policy(SSO).issuers["sso"]
    assert (issuer.algorithms, issuer.leeway, issuer.rate) == (("RS256", "ES256"), 30, None)
    assert issuer.audiences == ("memoryd",)


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ('audience = "memoryd"', ""),
        ('audience = "memoryd"', "audience = []"),
        ('audience = "memoryd"', 'audience = ""'),
        ('issuer = "https://sso.example"', ""),
        ('[{ agents = ["user-{sub}"] }]', "[]"),
        ('[{ agents = ["user-{sub}"] }]', "[{ agents = [] }]"),
        ('[{ agents = ["user-{sub}"] }]', '[{ agents = ["user-{sub}*"] }]'),
        ('[{ agents = ["user-{sub}"] }]', '[{ agents = ["a"], verbs = ["own"] }]'),
        ('[{ agents = ["user-{sub}"] }]', '[{ agents = ["a"], when = { team = [] } }]'),
        ('[{ agents = ["user-{sub}"] }]', '[{ agents = ["a"], when = { team = [1.5] } }]'),
        ('"https://sso.example/keys"', '"http://sso.example/keys"'),
        ('"https://sso.example/keys"', '"http://127.0.0.1.example/keys"'),
        ('"https://sso.example/keys"', '"https://user:password@sso.example/keys"'),
        ('"https://sso.example/keys"', '"ftp://sso.example/keys"'),
        ('"https://sso.example/keys"', '"https://sso.example:65536/keys"'),
        ('"https://sso.example/keys"', '"https://sso.example:https/keys"'),
        ('"https://sso.example/keys"', '"keys.json"'),
        ('"https://sso.example/keys"', '"https:///keys"'),
        ('"https://sso.example/keys"', '"/keys.json"\nkeys_ca_file = "/ca.crt"'),
        *(("audience", f'algorithms = ["{name}"]\naudience') for name in ("none", "None", "HS256", "HS512", "ES256K")),
        ("audience", "algorithms = []\naudience"),
        ("audience", "leeway = 301\naudience"),
        ("audience", "leeway = -1\naudience"),
        ("audience", "rate = 0\naudience"),
        ("audience", "claims = { 'a/b' = ['a'] }\naudience"),
        ("audience", "claims = { a = [] }\naudience"),
        ("audience", "expires = 2027-01-01T00:00:00Z\naudience"),
    ],
)
def test_a_row_that_is_not_valid_is_refused(line: str, instead: str) -> None:
    assert line in SSO
    with pytest.raises(ValueError, match=r".+"):
        parse_policy(SSO.replace(line, instead, 1))


@pytest.mark.parametrize("keys", ["http://127.0.0.1:8080/keys", "http://localhost/keys", "http://[::1]/k", "/k.json"])
def test_keys_may_be_on_this_machine(keys: str) -> None:
    assert parse_policy(SSO.replace("https://sso.example/keys", keys)).issuers["sso"].keys == keys


def test_an_issuer_has_one_name() -> None:
    with pytest.raises(ValueError, match="the same issuer"):
        parse_policy(SSO + SSO.replace("issuers.sso", "issuers.other"))


def test_all_rules_that_are_met_grant() -> None:
    issuer = row(
        '[{ agents = ["user-{sub}"] }, { agents = ["shared-*"], verbs = ["read"], when = { roles = ["reader", "x"] } }]'
    )
    assert granted(issuer, sub="ada") == [(1, ("user-ada",))]
    assert granted(issuer, sub="ada", roles=["a", "reader"]) == [(1, ("user-ada",)), (2, ("shared-*",))]
    match = issuer.matches(Claims({"sub": "ada", "roles": "x"}, {}))[1]
    assert match.row is not None
    assert match.row.verbs == {Verb.READ}


@pytest.mark.parametrize(
    ("accepted", "value", "is_met"),
    [
        ('["a"]', "a", True),
        ('["a"]', "b", False),
        ('["a"]', "ab", False),
        ('["a*"]', "ab", True),
        ('["*"]', "", True),
        ('["*"]', None, False),
        ('["*"]', {"a": 1}, False),
        ('["*"]', [["a"]], False),
        ('["a", "b"]', ["c", "b"], True),
        ("[true]", True, True),
        ("[true]", 1, False),
        ("[true]", "true", False),
        ("[1]", True, False),
        ("[1]", 1, True),
        ('["1"]', 1, False),
        ('["a b"]', "a b", True),
        ('["b"]', "a b", False),
    ],
)
def test_a_condition_is_met_by_one_of_its_values(accepted: str, value: object, is_met: bool) -> None:
    issuer = row(f'[{{ agents = ["a"], when = {{ claim = {accepted} }} }}]')
    assert bool(granted(issuer, claim=value)) is is_met


def test_a_scope_is_a_text_of_words() -> None:
    issuer = row('[{ agents = ["a"], when = { scope = ["memory.read"] } }]')
    assert granted(issuer, scope="openid memory.read")
    assert not granted(issuer, scope="openid memory.readers")
    assert not granted(row('[{ agents = ["{scope}"], when = { scope = ["a"] } }]'), scope=["a"])


def test_a_claim_within_others_has_a_name() -> None:
    named = 'claims = { account = ["kubernetes.io", "serviceaccount", "name"] }\n'
    issuer = row('[{ agents = ["{account}"], when = { account = ["pl*"] } }]', named)
    assert granted(issuer, **{"kubernetes.io": {"serviceaccount": {"name": "planner"}}}) == [(1, ("planner",))]
    for other in ({"kubernetes.io": "planner"}, {"kubernetes.io": {"serviceaccount": ["planner"]}}, {"account": "pl"}):
        assert granted(issuer, **other) == []


def test_of_several_agents_those_are_granted_that_fit() -> None:
    issuer = row('[{ agents = ["user-{sub}", "team-{team}/*"] }]')
    match = issuer.matches(Claims({"sub": "ada", "team": "a/b"}, {}))[0]
    assert match.row is not None
    assert match.row.agents == ("user-ada",)
    assert match.problems == ("team-{team}/*: claim team has / in it, which the template excludes",)
