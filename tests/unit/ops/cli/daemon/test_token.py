import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd_server.ops.auth.token_file import hash_token, read_token_file

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.toml"


def test_a_token_is_shown_once_when_it_is_created(command: Command, path: Path) -> None:
    code, out, _ = command("token", "create", "ci", "--agent", "a", "--agent", "team-*", "--token-file", str(path))
    assert code == 0
    row = read_token_file(path).tokens["ci"]
    assert row.sha256 == hash_token(out.strip())
    assert row.agents == ("a", "team-*")


def test_tokens_are_listed_without_secrets_and_revoked(
    command: Command, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_TOKEN_FILE", str(path))
    command("token", "create", "ci", "--agent", "a")
    command("token", "create", "cd", "--agent", "*")
    assert command("token", "list")[1] == "ci\ttoken\ta\ncd\ttoken\t*\n"
    assert command("token", "revoke", "ci")[0] == 0
    assert json.loads(command("token", "list", "--json")[1]) == [{"name": "cd", "kind": "token", "agents": ["*"]}]


def test_revoking_twice_is_an_error_of_one_line(command: Command, path: Path) -> None:
    command("token", "create", "ci", "--agent", "a", "--token-file", str(path))
    command("token", "revoke", "ci", "--token-file", str(path))
    code, _, err = command("token", "revoke", "ci", "--token-file", str(path))
    assert (code, err) == (1, "memoryd: there is no token 'ci'\n")


def test_a_token_is_for_named_agents(command: Command, path: Path) -> None:
    code, _, err = command("token", "create", "ci", "--token-file", str(path))
    assert code == 2
    assert "--agent" in err
