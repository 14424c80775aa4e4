from collections.abc import Callable

import pytest

from memoryd import MemoryLinkType, MemoryStatus, MemoryType
from memoryd_server.ops.cli.memory.parameter import LINK_TYPES, STATUSES, TYPES

Command = Callable[..., tuple[int, str, str]]


def test_the_words_are_those_of_the_client() -> None:
    for words, known in [(TYPES, MemoryType), (STATUSES, MemoryStatus), (LINK_TYPES, MemoryLinkType)]:
        assert set(words) == set(known) - {known.UNSPECIFIED}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["recall", "a", "x", "--type", "dream"], "'dream' is not one of 'semantic'"),
        (["recall", "a", "x", "--limit", "101"], "101 is not in the range 1<=x<=100"),
        (["memory", "list", "a", "--limit", "0"], "'0' is not a whole number of at least 1"),
        (["memory", "list", "a", "--limit", str(2**63)], "is not a whole number of at least 1"),
        (["recall", "a", "x", "--since", "soon"], "'soon' is not a date"),
        (["memory", "update", "a", "m"], "Name at least one field to change"),
        (["memory", "link", "a", "m", "n", "--strength", "2"], "'2' is not a number from 0 to 1"),
        (["memory", "reembed"], "Name either AGENT or --all"),
        (["memory", "reembed", "a", "--all"], "Name either AGENT or --all"),
    ],
)
def test_wrong_usage_fails_without_a_daemon(command: Command, arguments: list[str], problem: str) -> None:
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert problem in err
