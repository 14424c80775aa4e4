import logging

import pytest

from memoryd_server.stores.redis import trouble
from memoryd_server.stores.redis.trouble import log_trouble, words_of


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    messages = [record.message for record in caplog.records]
    caplog.clear()
    return messages


def test_the_same_text_is_logged_once_in_a_while(
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


def test_texts_that_never_end_are_not_all_logged_nor_kept(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3 * trouble.TEXTS_MAX):
        log_trouble(logging.WARNING, "key %d", number)
    assert len(logged(caplog)) == trouble.TEXTS_MAX
    monkeypatch.setattr(trouble, "AGAIN_S", 0.0)
    log_trouble(logging.WARNING, "another")
    assert logged(caplog) == ["another"]
    assert trouble._told_times.keys() == {"another"}


def test_an_error_without_words_is_told_by_its_name() -> None:
    assert words_of(ConnectionRefusedError()) == "ConnectionRefusedError"
    assert words_of(ValueError("a")) == "a"
