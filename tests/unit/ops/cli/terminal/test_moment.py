import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from memoryd_server.ops.cli.terminal.moment import parse_moment


@pytest.fixture
def in_lisbon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Lisbon")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_lisbon")
@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-20", datetime(2026, 5, 19, 23, tzinfo=UTC)),
        ("2026-01-20T14:30", datetime(2026, 1, 20, 14, 30, tzinfo=UTC)),
        ("2026-05-20T14:30:15.5Z", datetime(2026, 5, 20, 14, 30, 15, 500_000, tzinfo=UTC)),
        ("2026-05-20 14:30+02:00", datetime(2026, 5, 20, 12, 30, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_zone_is_that_of_the_machine(text: str, moment: datetime) -> None:
    assert parse_moment(text) == moment


def test_a_length_of_time_is_how_long_ago_it_was() -> None:
    before = datetime.now(UTC)
    moment = parse_moment("7d")
    assert before <= moment + timedelta(days=7) <= datetime.now(UTC)


@pytest.mark.parametrize("text", ["soon", "2026-13-01", "-1h", "7 weeks", "101 years"])
def test_what_is_neither_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a date such as 2026-05-20, .* or an age such as"):
        parse_moment(text)
