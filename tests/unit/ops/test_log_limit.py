import logging

from memoryd_server.ops.limit import LOG_PHRASES_MAX, LOG_REPEAT_S, LOG_REPEATS_MAX
from memoryd_server.ops.log_limit import RepeatLimit


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def line(
    phrase: str = "value cannot be serialized", level: int = logging.ERROR, name: str = "memoryd.transport"
) -> logging.LogRecord:
    return logging.makeLogRecord({"name": name, "levelno": level, "msg": phrase})


def passed(limit: RepeatLimit, count: int, **about: object) -> list[logging.LogRecord]:
    return [each for each in (line(**about) for _ in range(count)) if limit.filter(each)]  # type: ignore[arg-type]


def test_lines_that_repeat_are_omitted_and_counted_in_the_next_one() -> None:
    clock = Clock()
    limit = RepeatLimit(clock)
    lines = passed(limit, LOG_REPEATS_MAX + 7)
    assert len(lines) == LOG_REPEATS_MAX
    assert [getattr(each, "more", None) for each in lines[-2:]] == [None, "omitted"]
    clock.now_s = LOG_REPEAT_S
    first, second = passed(limit, 2)
    assert (vars(first).get("omitted"), vars(second).get("omitted")) == (7, None)


def test_other_phrases_and_loggers_have_lines_of_their_own() -> None:
    limit = RepeatLimit(Clock())
    passed(limit, LOG_REPEATS_MAX + 1)
    assert passed(limit, 1) == []
    assert len(passed(limit, 1, phrase="write failed")) == 1
    assert len(passed(limit, 1, name="memoryd.store")) == 1


def test_details_that_were_asked_for_are_not_limited() -> None:
    assert len(passed(RepeatLimit(Clock()), LOG_REPEATS_MAX * 2, level=logging.DEBUG)) == LOG_REPEATS_MAX * 2


def test_phrases_without_end_take_no_memory_without_end() -> None:
    limit = RepeatLimit(Clock())
    for number in range(LOG_PHRASES_MAX * 2):
        assert limit.filter(line(f"library failed {number}"))
    assert len(limit._periods) <= LOG_PHRASES_MAX
