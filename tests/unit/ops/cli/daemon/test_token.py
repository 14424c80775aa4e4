import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd_server.ops.auth.policy_file import hash_token, read_policy
from memoryd_server.ops.auth.token_use import TokenUses

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.toml"


def test_a_token_is_shown_once_when_it_is_created(command: Command, path: Path) -> None:
    code, out, _ = command("token", "create", "ci", "--agent", "a", "--agent", "team-*", "--token-file", str(path))
    assert code == 0
    row = read_policy(path).tokens["ci"]
    assert row.sha256 == hash_token(out.strip())
    assert row.agents == ("a", "team-*")


def test_tokens_are_listed_without_secrets_and_revoked(
    command: Command, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_TOKEN_FILE", str(path))
    command("token", "create", "ci", "--agent", "a")
    command("token", "create", "cd", "--agent", "*", "--verb", "read", "--verb", "watch", "--rate", "2.5")
    listed = command("token", "list", "--data-dir", str(path.parent))[1]
    assert listed == "ci\ttoken\ta\t\t\t\t\ncd\ttoken\t* (read watch)\t\t2.5/s\t\t\n"
    assert command("token", "revoke", "ci")[0] == 0
    (row,) = json.loads(command("token", "list", "--json", "--data-dir", str(path.parent))[1])
    assert (row["name"], row["kind"], row["rate"], row["expires"]) == ("cd", "token", 2.5, None)
    assert row["grants"] == [{"agents": ["*"], "verbs": ["read", "watch"]}]


def test_a_rotated_token_is_listed_beside_the_old_one_with_its_end_and_their_last_uses(
    command: Command, path: Path, tmp_path: Path
) -> None:
    flags = ("--token-file", str(path))
    old = command("token", "create", "ci", "--agent", "a", "--expires", "2099-01-02T03:04:05Z", *flags)[1].strip()
    new = command("token", "rotate", "ci", "--keep", "1h", "--expires", "90d", *flags)[1].strip()
    TokenUses(tmp_path).note([("token", hash_token(new))], 1_700_000_000.0)
    rows = json.loads(command("token", "list", "--json", "--data-dir", str(tmp_path), *flags)[1])
    assert [row["name"] for row in rows] == ["ci", "ci"]
    assert [row["last_use"] for row in rows] == [None, "2023-11-14T22:13:20Z"]
    assert rows[0]["expires"] < rows[1]["expires"] < "2099"
    assert [each.sha256 for each in read_policy(path).tokens["ci"].hashes] == [hash_token(old), hash_token(new)]
    before = path.read_bytes()
    code, _, err = command("token", "rotate", "ci", "--keep", "0s", *flags)
    assert (code, path.read_bytes()) == (1, before)
    assert "add --expires" in err
    newest = command("token", "rotate", "ci", "--keep", "0s", "--expires", "never", *flags)[1].strip()
    row = read_policy(path).tokens["ci"]
    assert (row.sha256, row.hashes, row.expires) == (hash_token(newest), (), None)


@pytest.mark.parametrize("expires", ["2020-01-01", "0s", "soon", "-1h"])
def test_a_token_does_not_expire_in_the_past(command: Command, path: Path, expires: str) -> None:
    code, _, err = command("token", "create", "ci", "--agent", "a", "--expires", expires, "--token-file", str(path))
    assert (code, path.exists()) == (2, False)
    assert expires in err


def test_revoking_twice_is_an_error_of_one_line(command: Command, path: Path) -> None:
    command("token", "create", "ci", "--agent", "a", "--token-file", str(path))
    command("token", "revoke", "ci", "--token-file", str(path))
    code, _, err = command("token", "revoke", "ci", "--token-file", str(path))
    assert (code, err) == (1, "memoryd: there is no token 'ci'\n")


def test_a_token_is_for_named_agents(command: Command, path: Path) -> None:
    code, _, err = command("token", "create", "ci", "--token-file", str(path))
    assert code == 2
    assert "--agent" in err


def test_a_damaged_file_of_uses_has_none(tmp_path: Path) -> None:
    uses = TokenUses(tmp_path)
    uses.note([("token", "a" * 64)], 1.0)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes().replace(b"aa", b"\xff\xfe"))
    assert uses.read() == {}
