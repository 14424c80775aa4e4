"""Parsing of the requests of one type."""

from typing import Any

from google.protobuf.message import DecodeError, Message

from memoryd_server.domain.error import MalformedMessage, TooLarge
from memoryd_server.domain.limit import Limits
from memoryd_server.engine.agents.lane import REQUESTS
from memoryd_server.transport.limit import PARSED_IN_LOOP_BYTES_MAX
from memoryd_server.transport.parsing.element_count import check_elements
from memoryd_server.transport.parsing.message_shape import bytes_max_of, shape_of


class Parser:
    """Parses requests of one type."""

    def __init__(self, request_type: type[Message], limits: Limits) -> None:
        self._parse = request_type.FromString
        self._shape = shape_of(request_type.DESCRIPTOR)
        self._bytes_max = bytes_max_of(request_type.DESCRIPTOR, limits)

    async def parse(self, data: bytes) -> Any:
        """Return the request. The elements of a large one are counted on a thread first.

        Raises MalformedMessage, TooLarge, and InvalidField for a field with too many elements.
        """
        if len(data) <= PARSED_IN_LOOP_BYTES_MAX:
            return self._parsed(data)
        if len(data) > self._bytes_max:
            raise TooLarge("message_bytes", self._bytes_max)
        return await REQUESTS.run(lambda: self._counted(data))

    def _counted(self, data: bytes) -> Any:
        check_elements(data, self._shape)
        return self._parsed(data)

    def _parsed(self, data: bytes) -> Any:
        try:
            return self._parse(data)
        except DecodeError:
            raise MalformedMessage from None
