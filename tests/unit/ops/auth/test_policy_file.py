import hashlib
import os
import re
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryd_server.domain.agents.tier import ALL_FEATURES, FEATURES_OF_EVERY_TIER
from memoryd_server.domain.limit import Limits
from memoryd_server.ops.auth.policy_edit import create_token, revoke_token, rotate_token
from memoryd_server.ops.auth.policy_file import parse_policy, read_policy
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.auth import Verb


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.toml"


def test_only_the_hash_of_a_token_is_kept(path: Path) -> None:
    token = create_token(path, "ci", ("build-1", "team-*"))
    row = read_policy(path).tokens["ci"]
    assert row.sha256 == hashlib.sha256(token.encode()).hexdigest()
    assert row.agents == ("build-1", "team-*")
    assert token not in path.read_text()
    assert len(token) > 43


def test_the_file_is_for_its_owner_alone_and_nothing_is_left_beside_it(path: Path) -> None:
    create_token(path, "ci", ("*",))
    create_token(path, "cd", ("*",))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_changed_file_belongs_to_the_owner_that_it_had(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives a file away")
    create_token(path, "ci", ("*",))
    os.chown(path, 7_600, 7_600)
    rotate_token(path, "ci", old_expires=datetime.now(UTC))
    assert (path.stat().st_uid, path.stat().st_gid) == (7_600, 7_600)


def test_other_tokens_and_certificates_stay(path: Path) -> None:
    path.write_text('[certificates."spiffe://x/\\"y\\""]\nagents = ["a", "\u00e9*"]\n')
    path.chmod(0o600)
    create_token(path, "one", ("a",))
    create_token(path, "two.x", ("b",))
    revoke_token(path, "one")
    rows = read_policy(path)
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


@pytest.mark.parametrize("rate", [float("nan"), 1e12])
def test_a_change_that_no_daemon_would_accept_leaves_the_file_as_it_was(path: Path, rate: float) -> None:
    create_token(path, "ci", ("a",))
    before = path.read_text()
    with pytest.raises(OperatorError, match=r"not changed: .*rate"):
        create_token(path, "cd", ("a",), rate=rate)
    assert path.read_text() == before


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
        read_policy(path)


def test_a_file_that_others_may_write_is_refused(path: Path) -> None:
    create_token(path, "ci", ("a",))
    path.chmod(0o620)
    with pytest.raises(OperatorError, match="other users can write to it"):
        read_policy(path)


def test_a_missing_file_is_a_clear_error(path: Path) -> None:
    with pytest.raises(OperatorError, match="token_file: cannot read"):
        read_policy(path)


def test_a_missing_directory_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="token_file: cannot use"):
        create_token(tmp_path / "none" / "tokens.toml", "ci", ("a",))


def test_a_name_may_have_several_tokens_and_several_grants(path: Path) -> None:
    path.touch(0o600)
    path.write_text(
        f"[tokens.a]\nhashes = [{{sha256 = '{'0' * 64}', expires = 2030-01-01T00:00:00Z}}, {{sha256 = '{'1' * 64}'}}]\n"
        "grants = [{agents = ['a']}, {agents = ['shared-*'], verbs = ['read']}]\nrate = 5\n"
    )
    row = read_policy(path).tokens["a"]
    assert [each.sha256 for each in row.tokens] == ["0" * 64, "1" * 64]
    assert [(each.agents, each.names) for each in row.rows][1] == (("shared-*",), ["read"])
    create_token(path, "b", ("b",), verbs=(Verb.READ,), expires=datetime(2031, 1, 1, tzinfo=UTC), rate=0.5)
    kept = read_policy(path).tokens
    assert kept["a"] == row
    assert (kept["b"].verbs, kept["b"].expires, kept["b"].rate) == ((Verb.READ,), datetime(2031, 1, 1, tzinfo=UTC), 0.5)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("agents = ['a']\ngrants = [{agents = ['a']}]", "needs either agents or grants"),
        ("verbs = ['read']\ngrants = [{agents = ['a']}]", "verbs belong to each of the grants"),
        ("agents = ['a']\nverbs = ['reed']", "reed"),
        ("agents = ['a']\nexpires = 2030-01-01T00:00:00", "timezone"),
        ("agents = ['a']\nrate = 0", "0.01"),
        (f"agents = ['a']\nhashes = [{{sha256 = '{'1' * 64}'}}]", "needs either sha256 or hashes"),
        ("grants = [{agents = []}]", "length"),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(path: Path, row: str, problem: str) -> None:
    path.touch(0o600)
    path.write_text(f"[tokens.a]\nsha256 = '{'0' * 64}'\n{row}\n")
    with pytest.raises(OperatorError, match=problem):
        read_policy(path)


def test_one_token_has_one_name(path: Path) -> None:
    path.touch(0o600)
    path.write_text("".join(f"[tokens.{name}]\nsha256 = '{'0' * 64}'\nagents = ['a']\n" for name in "ab"))
    with pytest.raises(OperatorError, match="'a' and 'b' have the same hash"):
        read_policy(path)


def test_a_token_that_does_not_exist_is_not_rotated(path: Path) -> None:
    create_token(path, "ci", ("a",))
    with pytest.raises(OperatorError, match="no token 'cd'"):
        rotate_token(path, "cd", old_expires=datetime(2031, 1, 1, tzinfo=UTC))


TOKEN = 'sha256 = "' + 64 * "a" + '"\nagents = ["*"]\n'


def test_tiers_stay_when_tokens_change_and_sizes_are_read(path: Path) -> None:
    path.touch(0o600)
    path.write_text('[tiers.free]\nfeatures = []\nlimits = { storage_bytes_per_agent = "2KiB", notes_per_agent = 3 }\n')
    create_token(path, "ci", ("a",), tier="free")
    policy = read_policy(path)
    (tier,) = policy.tiers_within(Limits())
    assert (policy.tokens["ci"].tier, tier.features) == ("free", FEATURES_OF_EVERY_TIER)
    assert (tier.limits.storage_bytes_per_agent, tier.limits.notes_per_agent) == (2_048, 3)


def test_a_tier_without_features_has_all(path: Path) -> None:
    path.touch(0o600)
    path.write_text("[tiers.all]\n")
    assert read_policy(path).tiers_within(Limits())[0].features == ALL_FEATURES


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f'[tokens.a]\n{TOKEN}tier = "gold"\n', "tier 'gold'"),
        ('[certificates.a]\nagents = ["*"]\ntier = "gold"\n', "tier 'gold'"),
        ('[tiers.a]\nfeatures = ["everything"]\n', "everything"),
        ("[tiers.a]\nlimits = { connections = 1 }\n", "connections"),
        ("[tiers.a]\nlimits = { queued_commands_per_agent = 1 }\n", "queued_commands_per_agent"),
        ("[tiers.a]\nlimits = { notes_per_agent = 0 }\n", "at least 1"),
        ('[tiers.a]\nlimits = { notes_per_agent = "2KiB" }\n', "not a size"),
        ('[tiers.a]\nlimits = { storage_bytes_per_agent = "much" }\n', "much"),
        ('[tiers."a b"]\n', "regex"),
        ("[tiers.a]\nprice = 3\n", "price"),
    ],
)
def test_an_invalid_tier_is_refused(path: Path, text: str, problem: str) -> None:
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(OperatorError, match=problem):
        read_policy(path)


def test_the_token_of_the_page_cannot_change_its_tier() -> None:
    page = (Path(__file__).parents[4] / "docs" / "operations" / "tiers.md").read_text("utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (row,) = parse_policy(text.replace("…", "0" * 64)).tokens.values()
    assert row.tier
    assert all(Verb.ADMIN not in grant.verbs for grant in row.rows)


def test_a_file_that_is_nested_deeply_is_refused(path: Path) -> None:
    path.write_text(f"a = {'[' * 5_000}{']' * 5_000}")
    path.chmod(0o600)
    with pytest.raises(OperatorError, match="nested too deeply"):
        read_policy(path)
