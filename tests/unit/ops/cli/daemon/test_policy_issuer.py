"""``memoryd policy`` with issuers' tokens."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.issuer import AUDIENCE, ISSUER, TokenIssuer

Command = Callable[..., tuple[int, str, str]]
TOKENS = TokenIssuer()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tokens.toml"
    path.touch(0o600)
    path.write_text(f"""
[issuers.sso]
issuer = "{ISSUER}"
audience = "{AUDIENCE}"
keys = "{tmp_path}/keys.json"
rules = [
  {{ agents = ["shared-*"], verbs = ["read"], when = {{ role = ["reader"] }} }},
  {{ agents = ["user-{{sub}}"] }},
]
""")
    (tmp_path / "keys.json").write_bytes(TOKENS.key_set())
    return path


@pytest.fixture
def explain(command: Command, path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    def explained(token: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(token.encode())))
        return command("policy", "explain", "-", *words, "--token-file", str(path))

    return explained


def test_an_issuers_token_is_explained_by_its_rule(explain: Command) -> None:
    code, out, _ = explain(TOKENS.token(role="reader"), "GetEntry", "shared-kb")
    assert (code, out) == (0, "allowed\n  issuers.sso, rule 1 (shared-*: read): read\n")
    code, out, _ = explain(TOKENS.token(), "SetEntry", "user-ada")
    assert code == 0
    assert "issuers.sso, rule 2 (user-ada: read write delete watch snapshot admin): write" in out
    assert explain(TOKENS.token(), "GetServerInfo", "user-ada")[0] == 0


def test_what_the_tier_of_an_issuer_lacks_is_explained(explain: Command, path: Path) -> None:
    text = path.read_text().replace("rules = [", 'tier = "free"\nrules = [')
    path.write_text(text + '[tiers.free]\nfeatures = ["notes"]\n')
    code, out, _ = explain(TOKENS.token(), "CreateMemory", "user-ada")
    assert code == 0
    assert out.splitlines()[2:] == [
        "  issuers.sso: agents that it creates are of tier free",
        "  tiers.free: does not have long_term: FEATURE_NOT_IN_TIER for agents of this tier",
    ]


@pytest.mark.parametrize(
    ("token", "lines"),
    [
        (TOKENS.token(), ["grants nothing with shared-kb: AGENT_FORBIDDEN", "rule 1: claim role is none of reader"]),
        (TOKENS.token(role="reader"), ["grants read with shared-kb, not write: VERB_FORBIDDEN"]),
        (
            TOKENS.token(sub="*"),
            ["no rule grants anything to '*': UNAUTHENTICATED", "rule 2: user-{sub}: claim sub has *"],
        ),
        (TOKENS.token(exp=1), ["issuers.sso: Signature has expired: UNAUTHENTICATED"]),
        (TOKENS.token(aud="other"), ["Audience doesn't match: UNAUTHENTICATED"]),
        (TOKENS.token(iss="https://other"), ["no issuer of the file is 'https://other'"]),
        (TOKENS.token("ed"), ["algorithm 'EdDSA' is none of RS256, ES256"]),
        (TOKENS.token(headers={"kid": "new"}), ["the issuer has no key of its id"]),
        ("nobody", ["neither a token of the file nor a JSON Web Token"]),
    ],
    # A token is another one in each process.
    ids=["agent", "verb", "wildcard", "expired", "audience", "issuer", "algorithm", "key", "no token"],
)
def test_a_refused_token_is_explained_by_its_reason(explain: Command, token: str, lines: list[str]) -> None:
    code, out, _ = explain(token, "SetEntry", "shared-kb")
    assert (code, out.splitlines()[0]) == (1, "refused")
    for line in lines:
        assert line in out
    assert "eyJ" not in out


def test_keys_that_cannot_be_read_are_named(explain: Command, command: Command, path: Path) -> None:
    assert command("policy", "check", str(path)) == (0, "valid: 0 tokens, 0 certificates, 1 issuer\n", "")
    code, out, _ = command("policy", "check", str(path), "--keys")
    assert (code, out.splitlines()[1]) == (0, f"issuers.sso: 2 keys at {path.parent}/keys.json")
    (path.parent / "keys.json").unlink()
    code, out, _ = command("policy", "check", str(path), "--keys")
    assert (code, out.splitlines()[1]) == (1, "issuers.sso: keys cannot be read: No such file or directory")
    code, out, _ = explain(TOKENS.token(), "SetEntry", "user-ada")
    assert code == 1
    assert "keys cannot be read" in out


def test_a_token_that_is_added_keeps_the_issuers(command: Command, path: Path) -> None:
    more = """
claims = { name = ["kubernetes.io", 'na"me'], deep = ["a", "b"] }
leeway = 5
rate = 2.5
algorithms = ["RS256", "PS256"]
"""
    text = path.read_text().replace(
        "rules = [", f"{more}rules = [\n  {{ agents = ['a'], when = {{ ok = [true, 1] }} }},"
    )
    path.write_text(text)
    from memoryd_server.ops.auth.policy_file import read_policy

    before = read_policy(path).issuers
    code, _, err = command("token", "create", "ci", "--agent", "a", "--token-file", str(path))
    assert (code, err) == (0, "")
    after = read_policy(path)
    assert after.issuers == before
    assert list(after.tokens) == ["ci"]
