from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd import EventType
from memoryd_server.ops.cli.event.event_choice import EVENT_TYPES

Command = Callable[..., tuple[int, str, str]]


def test_the_types_are_those_of_the_client() -> None:
    assert set(EVENT_TYPES) == set(EventType) - {EventType.UNSPECIFIED}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["a", "--initial", "--from-revision", "3"], "exclude each other"),
        (["--from-revision", "3"], "exactly one AGENT"),
        (["a", "b", "--from-revision", "3"], "exactly one AGENT"),
        (["a", "--from-revision", "0"], "not in the range"),
        (["--type", "rumour"], "'rumour' is not one of 'entry_set'"),
    ],
)
def test_wrong_usage_fails_without_a_daemon(command: Command, arguments: list[str], problem: str) -> None:
    code, out, err = command("watch", *arguments)
    assert (code, out) == (2, "")
    assert problem in err


def test_a_file_that_holds_no_place_is_refused(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "place"
    file.write_text("this is my diary")
    code, _, err = command("watch", "--resume-file", str(file))
    assert (code, err) == (2, f"memoryd: --resume-file: {file} does not hold a resume token\n")
