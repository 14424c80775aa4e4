import pytest

from memoryd.v1.event_pb2 import EventFilter
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import FILTERS_MAX
from memoryd_server.transport.events.event_message import selection_of
from memoryd_server.transport.fields.wire import bytes_tag


def test_filters_are_counted_before_any_of_them_is_decoded() -> None:
    wrong = EventFilter(kinds=[0])
    with pytest.raises(InvalidField, match=r"filters\[0\].kinds"):
        selection_of([wrong] * FILTERS_MAX)
    with pytest.raises(InvalidField, match=f"^filters: must be at most {FILTERS_MAX}$"):
        selection_of([wrong] * (FILTERS_MAX + 1))


def test_a_filter_of_events_with_a_condition_of_a_newer_client_is_refused() -> None:
    newer = EventFilter.FromString(bytes_tag(90) + b"\x01x")
    with pytest.raises(InvalidField, match="does not know"):
        selection_of([newer])
