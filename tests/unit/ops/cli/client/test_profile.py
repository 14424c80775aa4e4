import json
import os
import pwd
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import memoryd
from memoryd_server.ops.cli.client.profile.file import Profile, Profiles, profiles_file, read_profiles, write_profiles
from memoryd_server.ops.cli.main import memoryd as command_tree

Command = Callable[..., tuple[int, str, str]]
Connected = list[tuple[str | None, dict[str, object]]]


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> Connected:
    """The arguments of each connection. Connecting fails, so that the command calls nothing."""
    seen: Connected = []

    def connect(target: str | None, **settings: object) -> memoryd.Client:
        seen.append((target, settings))
        raise memoryd.MemorydError("no further")

    monkeypatch.setattr(memoryd, "connect", connect)
    return seen


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    """A file with a token."""
    file = tmp_path / "token"
    file.write_text("of-work\n")
    return file


@pytest.fixture
def work(command: Command, token_file: Path) -> None:
    """Two profiles, of which the first one is in use."""
    command("profile", "create", "work", "--address", "work:1", "--tls", "--token-from", str(token_file))
    command("profile", "create", "home", "--address", "home:2", "--token-command", "echo of-home")


def test_what_is_written_is_read_again() -> None:
    profiles = Profiles(current='a "b"', profiles={'a "b"': Profile(address="x:1", tls=True), "c.d": Profile()})
    write_profiles(profiles)
    assert read_profiles() == profiles
    assert profiles_file().stat().st_mode & 0o777 == 0o600
    assert read_profiles().profiles["c.d"] == Profile()


def test_a_user_without_a_home_has_no_profile(
    command: Command, connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    command("info")
    assert len(connected) == 1


@pytest.mark.usefixtures("work")
def test_the_first_profile_is_used_until_another_one_is_chosen(command: Command, connected: Connected) -> None:
    command("info")
    assert connected[-1] == ("work:1", {"token": "of-work", "tls": True, "connect_timeout": 1.0})
    assert command("profile", "use", "home")[1] == "profile home is in use\n"
    command("info")
    assert connected[-1] == ("home:2", {"token": "of-home", "tls": False, "connect_timeout": 1.0})
    command("profile", "use")
    command("info")
    assert connected[-1][0] is None


@pytest.mark.usefixtures("work")
def test_flags_come_before_the_environment_and_that_before_the_profile(
    command: Command, connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_PROFILE", "home")
    command("info")
    assert connected[-1][0] == "home:2"
    command("info", "--profile", "work")
    assert connected[-1][0] == "work:1"
    monkeypatch.setenv("MEMORYD_TOKEN", "of-environment")
    command("info")
    assert connected[-1] == ("home:2", {"token": "of-environment", "tls": False, "connect_timeout": 1.0})
    command("info", "--token", "of-flag")
    assert connected[-1][1]["token"] == "of-flag"
    command("info", "--profile", "work", "--address", "tunnel:3")
    assert [address for address, _ in connected][-1] == "tunnel:3"


@pytest.mark.usefixtures("work")
def test_the_token_of_the_profile_in_use_is_never_sent_to_another_address(
    command: Command, connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("info", "--address", "other:1")
    assert connected[-1][1]["token"] is None
    monkeypatch.setenv("MEMORYD_ADDRESS", "other:1")
    command("info")
    assert connected[-1] == ("other:1", {"token": None, "tls": False, "connect_timeout": 1.0})


@pytest.mark.usefixtures("work")
def test_an_option_replaces_the_daemon_that_the_environment_names(
    command: Command, connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_PROFILE", "work")
    command("info", "--address", "other:1")
    assert connected[-1] == ("other:1", {"token": None, "tls": False, "connect_timeout": 1.0})
    monkeypatch.setenv("MEMORYD_ADDRESS", "other:1")
    command("info", "--profile", "home")
    assert connected[-1] == ("home:2", {"token": "of-home", "tls": False, "connect_timeout": 1.0})
    command("doctor", "--profile", "home")
    assert connected[-1][0] == "home:2"


def test_a_completion_runs_no_token_command(command: Command, connected: Connected, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    command("profile", "create", "home", "--address", "home:2", "--token-command", f"touch {ran}")
    found = ShellComplete(command_tree, {}, "memoryd", "_MEMORYD_COMPLETE").get_completions(["get"], "")
    assert (found, connected, ran.exists()) == ([], [], False)


def test_a_name_that_is_not_utf_8_is_refused(command: Command) -> None:
    code, _, err = command("profile", "create", "a\udcff", "--address", "a:1")
    assert (code, err) == (1, "memoryd: an argument is not UTF-8\n")
    assert read_profiles() == Profiles()


@pytest.mark.usefixtures("work")
def test_a_file_of_another_user_is_refused(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    owned = list(profiles_file().stat())
    owned[stat.ST_UID] = 12_345
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result(owned))
    code, _, err = command("profile", "list")
    assert (code, "it belongs to user 12345" in err) == (1, True)


@pytest.mark.usefixtures("work")
def test_a_list_names_the_place_of_a_token_and_no_token(command: Command, token_file: Path) -> None:
    rows = [row.split("\t") for row in command("profile", "list")[1].splitlines()]
    assert rows == [["work", "yes", "work:1", "yes", str(token_file)], ["home", "no", "home:2", "no", "command"]]
    everything = command("profile", "list", "--json")[1]
    assert not {"of-work", "of-home"} & set(everything.replace('"', " ").split())
    assert json.loads(everything.splitlines()[0])["current"] is True
    assert command("profile", "list", "-q")[1] == "work\nhome\n"


@pytest.mark.usefixtures("work")
def test_a_profile_is_replaced_and_deleted_by_name(command: Command) -> None:
    assert command("profile", "create", "work", "--address", "new:1")[0] == 2
    assert command("profile", "create", "work", "--address", "new:1", "--replace")[0] == 0
    assert read_profiles().get("work") == Profile(address="new:1")
    assert command("profile", "delete", "work")[0] == 0
    assert (read_profiles().current, list(read_profiles().profiles)) == ("", ["home"])
    code, _, err = command("profile", "use", "hom")
    assert (code, err) == (1, "memoryd: there is no profile 'hom': did you mean 'home'?\n")
    assert command("info", "--profile", "zzz")[2].endswith("see `memoryd profile list`\n")


@pytest.mark.usefixtures("work")
def test_names_of_profiles_are_completed() -> None:
    def completed(words: list[str], incomplete: str) -> list[str]:
        found = ShellComplete(command_tree, {}, "memoryd", "_MEMORYD_COMPLETE").get_completions(words, incomplete)
        return [each.value for each in found]

    assert completed(["profile", "use"], "") == ["work", "home"]
    assert completed(["get", "--profile"], "w") == ["work"]


@pytest.mark.usefixtures("work")
def test_a_file_that_others_can_write_to_is_refused(command: Command, connected: Connected) -> None:
    profiles_file().chmod(0o620)
    code, _, err = command("info")
    assert (code, connected) == (1, [])
    assert f"run `chmod 600 {profiles_file()}`" in err


@pytest.mark.parametrize("content", ["current = ", "[profiles.a]\ntoken = 'secret'\n", "profiles = 1\n"])
def test_a_damaged_file_is_one_line_with_its_path(command: Command, content: str) -> None:
    write_profiles(Profiles())
    profiles_file().write_text(content)
    code, _, err = command("profile", "list")
    assert (code, err.count("\n")) == (1, 1)
    assert str(profiles_file()) in err


@pytest.mark.parametrize("given", ["false", "echo", "echo two words", "/no/such/command", 'echo "'])
def test_a_command_that_prints_no_token_is_reported(command: Command, connected: Connected, given: str) -> None:
    command("profile", "create", "work", "--address", "work:1", "--token-command", given)
    code, _, err = command("info")
    assert (code, connected) == (1, [])
    assert "the profile's token command" in err


def test_a_profile_has_one_place_of_a_token(command: Command) -> None:
    code, _, _ = command("profile", "create", "a", "--address", "a:1", "--token-from", "f", "--token-command", "c")
    assert code == 2
