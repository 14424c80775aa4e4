from collections.abc import Callable

import pytest

from memoryd import EntryType
from memoryd_server.ops.cli.entry import ENTRY_TYPES

Command = Callable[..., tuple[int, str, str]]


def test_the_types_are_those_of_the_client() -> None:
    assert set(ENTRY_TYPES) == set(EntryType) - {EntryType.UNSPECIFIED}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nonsense"], "VALUE is not JSON"),
        (["1", "--ttl", "soon"], "'soon' is not a duration"),
        (["1", "--type", "rumour"], "'rumour' is not one of 'fact'"),
        (["1", "--metadata", "[]"], "must be a JSON object such as"),
        (["1", "--if-absent", "--if-revision", "3"], "exclude each other"),
        (["1", "--tll", "3m"], "unexpected extra arguments"),
        ([], "Missing argument 'VALUE'"),
    ],
)
def test_wrong_usage_asks_no_daemon(command: Command, arguments: list[str], problem: str) -> None:
    code, out, err = command("set", "ada", "key", *arguments)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1
