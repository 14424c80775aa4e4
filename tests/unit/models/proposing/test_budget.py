from pathlib import Path

import pytest

from memoryd_server.domain.error import Overloaded
from memoryd_server.domain.limit import DAY_NS, SECOND_NS
from memoryd_server.models.proposing.budget import TokenBudget

NOON = 20_000 * DAY_NS + DAY_NS // 2


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def test_beyond_the_budget_requests_are_refused_until_the_next_day(path: Path, clock: Clock) -> None:
    budget = TokenBudget(path, 100, clock)
    budget.reserve(60)
    budget.reserve(60)
    with pytest.raises(Overloaded) as refused:
        budget.reserve(1)
    assert refused.value.metadata == {"limit": "ingest_tokens_per_day", "value": "100"}
    assert refused.value.delay_ms is not None
    assert DAY_NS // 2 <= refused.value.delay_ms * SECOND_NS // 1_000 <= DAY_NS // 2 + SECOND_NS
    clock.now += refused.value.delay_ms * SECOND_NS // 1_000
    budget.reserve(1)


def test_what_was_reserved_is_corrected_by_what_was_used(path: Path, clock: Clock) -> None:
    budget = TokenBudget(path, 100, clock)
    budget.reserve(99)
    budget.correct(-99)
    budget.reserve(99)
    budget.correct(1)
    with pytest.raises(Overloaded):
        budget.reserve(1)
    budget.correct(-1_000)
    clock.now += DAY_NS
    budget.correct(-1)
    budget.reserve(100)
    with pytest.raises(Overloaded):
        budget.reserve(1)


def test_a_restart_does_not_reset_it_and_workers_share_it(path: Path, clock: Clock) -> None:
    one, other = (TokenBudget(path, 100, clock) for _ in range(2))
    one.reserve(60)
    other.reserve(60)
    for budget in (one, other, TokenBudget(path, 100, clock)):
        with pytest.raises(Overloaded):
            budget.reserve(1)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"day": 7}', b'{"tokens": "many"}', b"[" * 5_000])
def test_a_damaged_file_counts_as_empty(path: Path, clock: Clock, data: bytes) -> None:
    path.write_bytes(data)
    budget = TokenBudget(path, 100, clock)
    budget.reserve(100)
    with pytest.raises(Overloaded):
        budget.reserve(1)


def test_a_file_that_cannot_be_used_is_logged_and_the_process_counts(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    budget = TokenBudget(tmp_path / "missing" / "tokens.json", 100, clock)
    budget.reserve(100)
    with pytest.raises(Overloaded):
        budget.reserve(1)
    assert "tokens of the day not read" in caplog.text


def test_a_disk_that_is_full_is_logged_and_the_process_counts(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    budget = TokenBudget(Path("/dev/full"), 100, clock)
    budget.reserve(60)
    budget.reserve(60)
    with pytest.raises(Overloaded):
        budget.reserve(1)
    assert "tokens of the day not noted" in caplog.text
