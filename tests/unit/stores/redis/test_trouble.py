import logging

import pytest

from memoryd_server.stores.redis import trouble
from memoryd_server.stores.redis.trouble import log_trouble, words_of


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    messages = [record.message for record in caplog.records]
    caplog.clear()
    return messages


def test_the_same_message_is_logged_once_per_interval(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for what in ("a", "b", "a", "b"):
        log_trouble(logging.WARNING, "%s is away: 100%%", what)
    assert logged(caplog) == ["a is away: 100%", "b is away: 100%"]
    monkeypatch.setattr(trouble, "AGAIN_S", 0.0)
    log_trouble(logging.ERROR, "%s is away: 100%%", "a")
    assert [(record.name, record.levelno, record.filename) for record in caplog.records] == [
        ("memoryd.redis", logging.ERROR, "test_trouble.py")
    ]


def test_the_number_of_distinct_messages_is_bounded(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3 * trouble.TEXTS_MAX):
        log_trouble(logging.WARNING, "key %d", number)
    assert len(logged(caplog)) == trouble.TEXTS_MAX
    monkeypatch.setattr(trouble, "AGAIN_S", 0.0)
    log_trouble(logging.WARNING, "another")
    assert logged(caplog) == ["another"]
    assert trouble._told_times.keys() == {"another"}


def test_an_error_without_a_message_is_described_by_its_class() -> None:
    assert words_of(ConnectionRefusedError()) == "ConnectionRefusedError"
    assert words_of(ValueError("a")) == "a"
