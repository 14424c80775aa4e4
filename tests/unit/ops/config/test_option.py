import re
from pathlib import Path
from typing import Any

import click
import pytest

from memoryd_server.ops.config.address import TcpAddress, UnixAddress
from memoryd_server.ops.config.option import Configuration, SettingsCommand, with_settings
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.config.table import TABLE
from memoryd_server.ops.error import OperatorError


def configure(*arguments: str) -> Configuration:
    seen: list[Configuration] = []

    @click.command
    @with_settings
    def command(configuration: Configuration) -> None:
        seen.append(configuration)

    command.main(list(arguments), standalone_mode=False)
    return seen[0]


def settings_file(directory: Path, text: str) -> str:
    path = directory / "memoryd.toml"
    path.write_text(text)
    return str(path)


def test_the_help_shows_each_setting_in_its_section() -> None:
    @click.command(cls=SettingsCommand)
    @with_settings
    def command(configuration: Configuration) -> None: ...

    text = command.get_help(click.Context(command))
    own = text.partition("Options:\n")[2].partition("\n\n")[0]
    assert re.findall(r"--[a-z-]+", own) == ["--config", "--help"]
    for title in dict.fromkeys(setting.section for setting in TABLE):
        section = text.partition(f"\n\n{title}:\n")[2].partition("\n\n")[0]
        flags = re.findall(r"^  (--[a-z-]+)", section, re.MULTILINE)
        assert flags == [setting.flag for setting in TABLE if setting.section == title]


def test_without_anything_said_the_defaults_hold() -> None:
    configuration = configure()
    assert configuration.settings == Settings()
    assert set(configuration.sources.values()) == {"default"}


def test_a_flag_beats_the_environment_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = settings_file(tmp_path, 'durability = "memory"\ndrain_timeout = 1\nsnapshot_keep = 1\n')
    monkeypatch.setenv("MEMORYD_DRAIN_TIMEOUT", "2s")
    monkeypatch.setenv("MEMORYD_SNAPSHOT_KEEP", "2")
    configuration = configure("--config", file, "--snapshot-keep", "3")
    settings, sources = configuration.settings, configuration.sources
    assert (settings.storage.durability, sources["durability"]) == ("memory", f"file {file}")
    assert (settings.listening.drain_timeout, sources["drain_timeout"]) == (2.0, "environment MEMORYD_DRAIN_TIMEOUT")
    assert (settings.snapshots.keep, sources["snapshot_keep"]) == (3, "flag --snapshot-keep")
    assert sources["cache_agents_max"] == "default"


def test_the_file_may_be_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_CONFIG", settings_file(tmp_path, "limit_entries_per_agent = 5\n"))
    assert configure().settings.limits.entries_per_agent == 5


def test_addresses_repeat_in_each_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = (TcpAddress("127.0.0.1", 0), UnixAddress(Path("/run/x.sock")))
    assert configure("--listen", "127.0.0.1:0", "--listen", "unix:/run/x.sock").settings.listening.listen == expected
    file = settings_file(tmp_path, 'listen = ["127.0.0.1:0", "unix:/run/x.sock"]\n')
    assert configure("--config", file).settings.listening.listen == expected
    monkeypatch.setenv("MEMORYD_LISTEN", "127.0.0.1:0,unix:/run/x.sock")
    assert configure().settings.listening.listen == expected


def test_one_address_in_the_file_needs_no_list(tmp_path: Path) -> None:
    file = settings_file(tmp_path, 'listen = "127.0.0.1:1"\n')
    assert configure("--config", file).settings.listening.listen == (TcpAddress("127.0.0.1", 1),)


def test_a_switch_is_turned_off_in_each_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not configure("--no-snapshot-on-shutdown").settings.snapshots.on_shutdown
    file = settings_file(tmp_path, "snapshot_on_shutdown = false\n")
    assert not configure("--config", file).settings.snapshots.on_shutdown
    monkeypatch.setenv("MEMORYD_SNAPSHOT_ON_SHUTDOWN", "off")
    assert not configure().settings.snapshots.on_shutdown


def test_sizes_lengths_and_paths_are_read_as_people_write_them() -> None:
    settings = configure(
        "--cache-bytes-max", "64MiB", "--journal-age-max", "2d", "--data-dir", "~/memory", "--metrics-listen", "[::1]:0"
    ).settings
    assert settings.cache.bytes_max == 64 * 2**20
    assert settings.journal.age_max == 172_800.0
    assert settings.storage.data_dir == Path("~/memory").expanduser()
    assert settings.metrics.listen == TcpAddress("::1", 0)


def test_an_empty_variable_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_TOKEN_FILE", "")
    assert configure().sources["token_file"] == "default"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--drain-timeout", "soon"),
        ("--cache-bytes-max", "much"),
        ("--cache-agents-max", "0"),
        ("--cache-agents-max", "1.5"),
        ("--durability", "eternal"),
        ("--listen", "nowhere"),
        ("--data-dir", ""),
    ],
)
def test_a_malformed_value_names_its_flag(arguments: tuple[str, str]) -> None:
    with pytest.raises(click.BadParameter) as refused:
        configure(*arguments)
    assert arguments[0] in refused.value.format_message()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("data_directory = '/x'\n", "data_directory is not a setting"),
        ("[storage]\ndata_dir = '/x'\n", "storage is not a setting"),
        ("durability = ['synced']\n", "durability has one value"),
        ("insecure = 1\n", "insecure is true or false"),
        ("data_dir = \n", "is not TOML"),
    ],
)
def test_a_bad_file_is_refused_with_what_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(OperatorError, match=problem):
        configure("--config", settings_file(tmp_path, text))


@pytest.mark.parametrize("value", [5, True, 1.5, {"a": 1}])
def test_a_value_of_another_type_in_the_file_is_refused(tmp_path: Path, value: Any) -> None:
    text = {5: "data_dir = 5\n", True: "snapshot_keep = true\n", 1.5: "snapshot_keep = 1.5\n"}
    line = text[value] if not isinstance(value, dict) else "log_level = { a = 1 }\n"
    with pytest.raises(click.BadParameter):
        configure("--config", settings_file(tmp_path, line))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"cannot read .*No such file"):
        configure("--config", str(tmp_path / "none.toml"))
