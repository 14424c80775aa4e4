from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd_server.ops.auth.policy_file import hash_token

Command = Callable[..., tuple[int, str, str]]

POLICY = f"""
[tokens.planner]
sha256 = "{hash_token("secret")}"
grants = [{{ agents = ["planner"] }}, {{ agents = ["shared-*"], verbs = ["read", "watch"] }}]

[tokens.old]
sha256 = "{hash_token("old")}"
agents = ["*"]
expires = 2020-01-01T00:00:00Z

[certificates."agent.example"]
agents = ["team-*"]
verbs = ["write"]
"""


@pytest.fixture
def explain(command: Command, tmp_path: Path) -> Command:
    path = tmp_path / "tokens.toml"
    path.touch(0o600)
    path.write_text(POLICY)
    return lambda *words: command("policy", "explain", *words, "--token-file", str(path))


@pytest.mark.parametrize(
    ("token", "method", "agent", "line"),
    [
        (
            "planner",
            "SetEntry",
            "planner",
            "tokens.planner, grant 1 (planner: read write delete watch snapshot admin): write",
        ),
        ("planner", "WorkingMemoryService/GetEntry", "shared-kb", "grant 2 (shared-*: read watch): read"),
        ("planner", "watch", "shared-*", "grant 2"),
        ("planner", "GetServerInfo", "planner", "any verb will do"),
        ("agent.example", "/memoryd.v1.NoteService/CreateNote", "team-1", "certificates.agent.example, grant 1"),
    ],
)
def test_an_allowed_call_is_explained_by_its_row(
    explain: Command, token: str, method: str, agent: str, line: str
) -> None:
    code, out, _ = explain(token, method, agent)
    assert (code, out.splitlines()[0]) == (0, "allowed")
    assert line in out


@pytest.mark.parametrize(
    ("token", "method", "agent", "line"),
    [
        ("planner", "SetEntry", "shared-kb", "grants read watch with shared-kb, not write: VERB_FORBIDDEN"),
        ("planner", "GetEntry", "other", "grants nothing with other: AGENT_FORBIDDEN"),
        ("planner", "WatchEvents", "*", "grants nothing with *: AGENT_FORBIDDEN"),
        ("old", "GetEntry", "a", "expired at 2020-01-01 00:00:00+00:00: UNAUTHENTICATED"),
        ("nobody", "GetEntry", "a", "no token or certificate of this name"),
    ],
)
def test_a_refused_call_is_explained_by_its_reason(
    explain: Command, token: str, method: str, agent: str, line: str
) -> None:
    code, out, _ = explain(token, method, agent)
    assert (code, out.splitlines()[0]) == (1, "refused")
    assert line in out


def test_an_unknown_method_is_a_wrong_use(explain: Command) -> None:
    code, _, err = explain("planner", "SetEntri", "planner")
    assert code == 2
    assert "neither a method" in err


def test_an_operation_is_explained_by_its_method(explain: Command) -> None:
    code, _, err = explain("planner", "StartOperation", "planner")
    assert code == 2
    assert "the verb of the method that the operation carries out" in err


def test_a_file_is_checked_as_a_daemon_does(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.touch(0o600)
    path.write_text(POLICY)
    assert command("policy", "check", str(path)) == (0, "valid: 2 tokens, 1 certificate\n", "")
    path.write_text("[tokens.a]\nagents = ['a']\n")
    code, _, err = command("policy", "check", str(path))
    assert code == 1
    assert "needs either sha256 or hashes" in err


def test_a_token_of_a_tier_is_created_and_what_the_tier_lacks_is_explained(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    path.touch(0o600)
    path.write_text('[tiers.free]\nfeatures = ["notes"]\nlimits = { storage_bytes_per_agent = "16MiB" }\n')
    flags = ("--agent", "a", "--token-file", str(path))
    assert command("token", "create", "pro", "--tier", "pro", *flags)[0] == 1
    assert command("token", "create", "free", "--tier", "free", *flags)[0] == 0
    assert command("policy", "check", str(path))[1] == "valid: 1 token, 0 certificates, 1 tier\n"
    listed = command("token", "list", "--data-dir", str(tmp_path), "--token-file", str(path))[1]
    assert listed.split("\t")[-1] == "free\n"
    code, out, _ = command("policy", "explain", "free", "CreateMemory", "a", "--token-file", str(path))
    assert (code, out.splitlines()[0]) == (0, "allowed")
    assert "agents that it creates are of tier free" in out
    assert "tiers.free: does not have long_term: FEATURE_NOT_IN_TIER" in out
    out = command("policy", "explain", "free", "CreateNote", "a", "--token-file", str(path))[1]
    assert "FEATURE_NOT_IN_TIER" not in out
