import logging

import pytest

from memoryd_server.stores.redis.servers import trouble
from memoryd_server.stores.redis.servers.trouble import log_trouble, text_of


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    lines = [f"{record.message} {vars(record).get('server', '')}".strip() for record in caplog.records]
    caplog.clear()
    return lines


def test_the_same_message_is_logged_once_per_interval(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for what in ("a", "b", "a", "b"):
        log_trouble(logging.WARNING, "away: 100%", server=what)
    assert logged(caplog) == ["away: 100% a", "away: 100% b"]
    monkeypatch.setattr(trouble, "AGAIN_S", 0.0)
    log_trouble(logging.ERROR, "away: 100%", server="a")
    assert [(record.name, record.levelno, record.filename) for record in caplog.records] == [
        ("memoryd.redis", logging.ERROR, "test_trouble.py")
    ]


def test_the_number_of_distinct_messages_is_bounded(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3 * trouble.TEXTS_MAX):
        log_trouble(logging.WARNING, "away", server=str(number))
    assert len(logged(caplog)) == trouble.TEXTS_MAX
    monkeypatch.setattr(trouble, "AGAIN_S", 0.0)
    log_trouble(logging.WARNING, "another")
    assert logged(caplog) == ["another"]
    assert trouble._log_times.keys() == {("another",)}


def test_an_error_without_a_message_is_described_by_its_class() -> None:
    assert text_of(ConnectionRefusedError()) == "ConnectionRefusedError"
    assert text_of(ValueError("a")) == "a"
