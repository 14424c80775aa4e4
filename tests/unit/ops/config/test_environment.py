"""The variables that the daemon accepts in its environment."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.words.help import commands

from memoryd_server.ops.config.environment import OTHERS, check_variables
from memoryd_server.ops.config.table import TABLE
from memoryd_server.ops.error import OperatorError

CLIENTS = Path(__file__).parents[4] / "clients"
_VARIABLE = re.compile(r"""["'](MEMORYD_[A-Z_]+)["']""")


def _variables_of_options() -> Iterator[str]:
    for _, command in commands():
        for parameter in command.params:
            if isinstance(parameter.envvar, str):
                yield parameter.envvar


def test_every_variable_of_a_command_is_known() -> None:
    check_variables(_variables_of_options())
    assert "MEMORYD_ADDRESS" in set(_variables_of_options())


def test_every_variable_of_a_client_is_known() -> None:
    sources = [*CLIENTS.glob("*/src/**/*"), *CLIENTS.glob("python/memoryd/**/*.py"), *CLIENTS.glob("go/*.go")]
    found = {
        name
        for path in sources
        if path.is_file() and "test" not in str(path.relative_to(CLIENTS))
        for name in _VARIABLE.findall(path.read_text("utf-8", "replace"))
    }
    assert "MEMORYD_ADDRESS" in found
    # A unit test of a client names one that must not exist.
    check_variables(found - {"MEMORYD_NOBODY_SETS_THIS"})


def test_the_other_variables_are_no_settings() -> None:
    assert not OTHERS & {setting.variable for setting in TABLE}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("MEMORYD_DURABLITY", r"did you mean MEMORYD_DURABILITY\?"),
        ("MEMORYD_LISTENS", r"did you mean MEMORYD_LISTEN\?"),
        ("MEMORYD_ADRESS", r"did you mean MEMORYD_ADDRESS\?"),
        ("MEMORYD_QQQ", "`memoryd serve --help` lists the settings"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(name: str, hint: str) -> None:
    with pytest.raises(OperatorError, match=f"environment: {name} is not a setting: {hint}"):
        check_variables(["HOME", name])


@pytest.mark.parametrize(
    "name",
    [
        "HOME",
        "MEMORYD_SERVICE_HOST",
        "MEMORYD_SERVICE_PORT",
        "MEMORYD_SERVICE_PORT_GRPC",
        "MEMORYD_PORT",
        "MEMORYD_PORT_7600_TCP",
        "MEMORYD_PORT_7600_TCP_ADDR",
        "MEMORYD_METRICS_SERVICE_HOST",
        "MEMORYD_METRICS_PORT_9464_TCP_PROTO",
        "MEMORYD_TEST_SEED",
    ],
)
def test_the_variables_of_other_programs_are_left_alone(name: str) -> None:
    check_variables([name])
