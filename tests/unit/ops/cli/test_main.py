import re
import subprocess
import sys
from collections.abc import Callable

import click
import pytest

from memoryd_server import __version__
from memoryd_server.domain.error import SchemaTooNew
from memoryd_server.ops.cli import main as module
from memoryd_server.ops.error import OperatorError

Command = Callable[..., tuple[int, str, str]]

LIGHT = {"click", "msgspec", "typing_extensions"}
# grpc imports the others by itself where they are installed.
GRPC = {"grpc", "grpc_health", "grpc_reflection", "grpc_tools"}


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Adds a subcommand ``fail`` that raises."""

    def add(error: BaseException) -> None:
        @click.command
        def fail() -> None:
            raise error

        monkeypatch.setattr(module, "fail", fail, raising=False)
        monkeypatch.setitem(module.SECTIONS, "Test", {"fail": f"{module.__name__}:fail"})

    return add


def test_the_version_is_printed(command: Command) -> None:
    assert command("--version") == (0, f"memoryd {__version__}\n", "")


def test_help_lists_every_subcommand(command: Command) -> None:
    code, out, _ = command("--help")
    assert code == 0
    for title, commands in module.SECTIONS.items():
        section = out.partition(f"{title}:\n")[2].partition("\n\n")[0]
        assert re.findall(r"^  (\w+)", section, re.MULTILINE) == list(commands)


def test_a_summary_is_the_first_line_of_the_command_s_help() -> None:
    context = click.Context(module.memoryd)
    commands = {name: module.memoryd.get_command(context, name) for name in module.memoryd.list_commands(context)}
    assert {name: each.get_short_help_str(100) for name, each in commands.items() if each} == module.SUMMARIES


def test_no_subcommand_shows_the_help(command: Command) -> None:
    code, _, err = command()
    assert code == 2
    assert "Everyday commands:" in err


def test_wrong_usage_is_one_line_and_code_2(command: Command) -> None:
    assert command("sreve") == (2, "", "memoryd: No such command 'sreve'. Did you mean 'serve'?\n")
    assert command("note", "creat") == (2, "", "memoryd: No such command 'creat'. Did you mean 'create'?\n")
    assert command("note", "xyz") == (2, "", "memoryd: No such command 'xyz'. See `memoryd note --help`.\n")
    assert command("xyz") == (2, "", "memoryd: No such command 'xyz'. See `memoryd --help`.\n")
    assert command("config", "--bogus")[0] == 2


def test_a_missing_option_names_the_command_s_help(command: Command) -> None:
    line = "memoryd: Missing argument 'CONTENT'. See `memoryd remember --help`.\n"
    assert command("remember", "ada") == (2, "", line)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("set", "entry set"),
        ("get", "entry get"),
        ("ls", "entry list"),
        ("rm", "entry delete"),
        ("remember", "memory create"),
        ("recall", "memory recall"),
    ],
)
def test_a_short_form_is_the_command_of_a_group(command: Command, short: str, full: str) -> None:
    _, out, _ = command(short, "--help")
    _, expected, _ = command(*full.split(), "--help")
    assert out.partition("\n")[2] == expected.partition("\n")[2]


def test_a_bad_value_names_the_setting_and_where_it_came_from(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_DRAIN_TIMEOUT", "soon")
    code, _, err = command("config")
    assert code == 2
    assert err == (
        "memoryd: drain_timeout: 'soon' is not a duration such as 250ms, 30s or 7d "
        "(from environment MEMORYD_DRAIN_TIMEOUT)\n"
    )


def test_settings_that_do_not_go_together_are_one_line_and_code_1(command: Command) -> None:
    code, _, err = command("config", "--listen", "0.0.0.0:1")
    assert code == 1
    assert err.startswith("memoryd: listen: 0.0.0.0:1 is reachable from other machines")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OperatorError("the disk\nis gone"), "memoryd: the disk is gone\n"),
        (OperatorError("no answer", "STORE_UNAVAILABLE"), "memoryd: no answer (STORE_UNAVAILABLE)\n"),
        (
            SchemaTooNew("what", 9, 1),
            "memoryd: what has schema version 9, this version reads up to 1: use a newer memoryd (SCHEMA_TOO_NEW)\n",
        ),
        (click.ClickException("no"), "memoryd: no\n"),
    ],
)
def test_an_error_is_one_line_with_its_reason(
    command: Command, failing: Callable[[BaseException], None], error: BaseException, line: str
) -> None:
    failing(error)
    assert command("fail") == (1, "", line)


def test_an_interrupt_ends_it_as_shells_expect(command: Command, failing: Callable[[BaseException], None]) -> None:
    failing(KeyboardInterrupt())
    assert command("fail")[0] == 130


@pytest.mark.parametrize(
    ("arguments", "packages"),
    [
        # What each may import, besides the standard library.
        ("--version", LIGHT),
        ("--help", LIGHT),
        ("serve --help", LIGHT),
        ("get --help", LIGHT),
        ("config", LIGHT),
        ("get --address 127.0.0.1:1 --timeout 1ms agent key", LIGHT | {"memoryd", "google", *GRPC}),
        ("health --address 127.0.0.1:1", LIGHT | {"memoryd", "google", *GRPC}),
    ],
)
def test_a_command_waits_only_for_the_packages_that_it_needs(arguments: str, packages: set[str]) -> None:
    loaded = loaded_by(arguments)
    found = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names - {"memoryd_server"}
    assert found <= packages


@pytest.mark.parametrize("arguments", ["--version", "--help", "serve --help", "get --help", "recall --help"])
def test_help_waits_for_no_slow_module_of_the_standard_library(arguments: str) -> None:
    assert not {"asyncio", "ssl", "socket", "importlib.metadata", "ctypes", "hashlib"} & loaded_by(arguments)


def test_a_command_imports_of_the_client_only_what_it_uses() -> None:
    loaded = loaded_by("get --address 127.0.0.1:1 --timeout 1ms agent key")
    assert "memoryd.sync.agent" in loaded
    unused = ("aio", "transaction", "sync.memories", "sync.plans", "model.event_subject", "protocol.context", "api")
    assert not [name for name in loaded for each in unused if name.startswith(f"memoryd.{each}")]


def test_a_probe_of_health_imports_neither_the_client_nor_the_settings() -> None:
    loaded = loaded_by("health --address 127.0.0.1:1")
    assert "grpc_health.v1.health_pb2" in loaded
    unused = ("memoryd.sync", "memoryd.aio", "memoryd.protocol.setting", "memoryd_server.ops.config.settings")
    assert not [name for name in loaded for each in unused if name.startswith(each)]


def loaded_by(arguments: str) -> set[str]:
    """Return the modules that a process has loaded when a command has ended."""
    # Without what other packages import into every process at its start.
    program = (
        "import atexit, sys; before = set(sys.modules); from memoryd_server.ops.cli.main import main\n"
        "files = lambda: {name for name, module in sys.modules.items() if getattr(module, '__file__', None)}\n"
        "atexit.register(lambda: print(*files() - before, file=sys.stderr))\n"
        f"main({arguments.split()!r})"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    return set(done.stderr.splitlines()[-1].split())
