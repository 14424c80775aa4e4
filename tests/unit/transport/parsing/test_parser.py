"""Parsing of requests, small and large."""

import threading
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.unit.transport.parsing.encoded import tagged

from memoryd.v1 import (
    context_service_pb2,
    conversation_service_pb2,
    document_service_pb2,
    event_service_pb2,
    note_service_pb2,
    working_memory_service_pb2,
)
from memoryd_server.domain.error import InvalidField, MalformedMessage, TooLarge
from memoryd_server.domain.limit import Limits
from memoryd_server.transport.limit import MESSAGE_BYTES_MAX, PARSED_IN_LOOP_BYTES_MAX, SMALL_MESSAGE_BYTES_MAX
from memoryd_server.transport.parsing.message_shape import bytes_max_of
from memoryd_server.transport.parsing.parser import Parser

Set = working_memory_service_pb2.SetEntryRequest
Get = working_memory_service_pb2.GetEntryRequest


def parser(request_type: type[Message] = Set) -> Parser:
    return Parser(request_type, Limits())


@pytest.mark.parametrize("size", [10, PARSED_IN_LOOP_BYTES_MAX * 2])
async def test_a_request_is_parsed(size: int) -> None:
    request = Set(agent_id="a", value_json="x" * size)
    assert await parser().parse(request.SerializeToString()) == request


@pytest.mark.parametrize("size", [10, PARSED_IN_LOOP_BYTES_MAX * 2])
async def test_what_is_no_message_is_refused(size: int) -> None:
    with pytest.raises(MalformedMessage):
        await parser().parse(tagged(1, b"\xff" * 10) + tagged(100, b"x" * size))


async def test_a_large_request_is_counted_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def check(*_: Any) -> None:
        threads.append(threading.current_thread())

    monkeypatch.setattr("memoryd_server.transport.parsing.parser.check_elements", check)
    await parser().parse(Set(value_json="x" * 10).SerializeToString())
    assert not threads
    await parser().parse(Set(value_json="x" * PARSED_IN_LOOP_BYTES_MAX).SerializeToString())
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()


async def test_a_large_request_with_too_many_elements_is_refused() -> None:
    with pytest.raises(InvalidField, match="filters"):
        await parser(event_service_pb2.WatchEventsRequest).parse(b"\x52\x00" * PARSED_IN_LOOP_BYTES_MAX)


async def test_a_request_that_is_larger_than_its_fields_allow_is_refused() -> None:
    with pytest.raises(TooLarge) as refused:
        await parser(Get).parse(b"\x00" * (SMALL_MESSAGE_BYTES_MAX + 1))
    assert refused.value.metadata == {"limit": "message_bytes", "value": str(SMALL_MESSAGE_BYTES_MAX)}


@pytest.mark.parametrize(
    ("request_type", "least", "most"),
    [
        (Get, SMALL_MESSAGE_BYTES_MAX, SMALL_MESSAGE_BYTES_MAX),
        (note_service_pb2.ListNotesRequest, SMALL_MESSAGE_BYTES_MAX, 2 * SMALL_MESSAGE_BYTES_MAX),
        (context_service_pb2.CountTokensRequest, 4 * 1024 * 1024, 5 * 1024 * 1024),
        (Set, 5 * 1024 * 1024, 8 * 1024 * 1024),
        (conversation_service_pb2.AppendMessagesRequest, MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX),
        (document_service_pb2.CreateDocumentRequest, MESSAGE_BYTES_MAX, MESSAGE_BYTES_MAX),
    ],
)
def test_the_maximum_size_of_a_request_follows_from_its_fields(
    request_type: type[Message], least: int, most: int
) -> None:
    assert least <= bytes_max_of(request_type.DESCRIPTOR, Limits()) <= most


def test_the_maximum_size_of_a_request_follows_the_limits_that_an_operator_sets() -> None:
    larger = bytes_max_of(Set.DESCRIPTOR, Limits(entry_bytes=4 * 1024 * 1024))
    assert larger - bytes_max_of(Set.DESCRIPTOR, Limits()) == 3 * 1024 * 1024
