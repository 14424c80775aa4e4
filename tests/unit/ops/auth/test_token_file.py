import hashlib
import stat
from pathlib import Path

import pytest

from memoryd_server.ops.auth.token_file import create_token, read_token_file, revoke_token
from memoryd_server.ops.error import OperatorError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.toml"


def test_only_the_hash_of_a_token_is_kept(path: Path) -> None:
    token = create_token(path, "ci", ("build-1", "team-*"))
    row = read_token_file(path).tokens["ci"]
    assert row.sha256 == hashlib.sha256(token.encode()).hexdigest()
    assert row.agents == ("build-1", "team-*")
    assert token not in path.read_text()
    assert len(token) > 43


def test_the_file_is_for_its_owner_alone_and_nothing_is_left_beside_it(path: Path) -> None:
    create_token(path, "ci", ("*",))
    create_token(path, "cd", ("*",))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_other_tokens_and_certificates_stay(path: Path) -> None:
    path.write_text('[certificates."spiffe://x/\\"y\\""]\nagents = ["a", "\u00e9*"]\n')
    path.chmod(0o600)
    create_token(path, "one", ("a",))
    create_token(path, "two.x", ("b",))
    revoke_token(path, "one")
    rows = read_token_file(path)
    assert list(rows.tokens) == ["two.x"]
    assert rows.certificates['spiffe://x/"y"'].agents == ("a", "\u00e9*")


def test_two_tokens_are_never_the_same(path: Path) -> None:
    assert create_token(path, "one", ("*",)) != create_token(path, "two", ("*",))


def test_a_name_that_is_taken_is_refused(path: Path) -> None:
    create_token(path, "ci", ("a",))
    before = path.read_text()
    with pytest.raises(OperatorError, match="'ci' exists"):
        create_token(path, "ci", ("b",))
    assert path.read_text() == before


@pytest.mark.parametrize("name", ["", "a b", "a]", "x" * 65, "a\n"])
def test_a_malformed_name_is_refused(path: Path, name: str) -> None:
    with pytest.raises(OperatorError, match="the name of a token"):
        create_token(path, name, ("a",))
    assert not path.exists()


def test_a_malformed_pattern_is_refused(path: Path) -> None:
    with pytest.raises(OperatorError, match="before its end"):
        create_token(path, "ci", ("a*b",))


def test_revoking_a_token_that_is_not_there_is_an_error(path: Path) -> None:
    create_token(path, "ci", ("a",))
    with pytest.raises(OperatorError, match="no token 'cd'"):
        revoke_token(path, "cd")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[tokens.a]\nsha256 = 'short'\nagents = ['a']\n", "sha256"),
        ("[tokens.a]\nagents = ['a']\n", "sha256"),
        (f"[tokens.a]\nsha256 = '{'0' * 64}'\nagents = []\n", "agents"),
        (f"[tokens.a]\nsha256 = '{'0' * 64}'\nagents = ['a*b']\n", "before its end"),
        (f"[tokens.a]\nsha256 = '{'0' * 64}'\nagent = ['a']\n", "agent"),
        ("[token.a]\n", "token"),
        ("[certificates.a]\nagents = ['']\n", "neither"),
        ("[", "end of document"),
    ],
)
def test_a_malformed_file_is_refused_with_what_is_wrong(path: Path, text: str, problem: str) -> None:
    path.write_text(text)
    with pytest.raises(OperatorError, match=problem):
        read_token_file(path)


def test_a_file_that_others_may_write_is_refused(path: Path) -> None:
    create_token(path, "ci", ("a",))
    path.chmod(0o620)
    with pytest.raises(OperatorError, match="other users can write to it"):
        read_token_file(path)


def test_a_missing_file_is_a_clear_error(path: Path) -> None:
    with pytest.raises(OperatorError, match="token_file: cannot read"):
        read_token_file(path)


def test_a_missing_directory_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="token_file: cannot use"):
        create_token(tmp_path / "none" / "tokens.toml", "ci", ("a",))
