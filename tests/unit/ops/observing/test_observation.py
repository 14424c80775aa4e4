import logging
import threading

import pytest

from memoryd_server.ops.observing import observation


def test_exporters_are_ended_together_and_not_waited_for_without_a_bound(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(observation, "EXPORTS_END_S", 0.05)  # time: one export must not end in time
    responds, ended = threading.Event(), threading.Event()
    with caplog.at_level(logging.WARNING):
        observation._end([lambda: responds.wait() and None, ended.set])
    assert ended.is_set()
    assert [each.message for each in caplog.records] == ["last export did not end in time"]
    responds.set()


def test_exporters_that_end_in_time_log_nothing(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()
    observation._end([ended.set])
    assert ended.is_set()
    assert caplog.records == []
