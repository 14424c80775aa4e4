"""The requests and responses of OpenAI's embeddings API."""

import math
import struct
from collections.abc import Sequence

import msgspec

from memoryd_server.models.endpoint.client import EndpointUnavailable

_FRAME_BYTES_MAX = 64 * 1024
_NUMBER_BYTES_MAX = 64
"""Maximum size of a number in a response: at most 25 characters, the rest for indentation."""


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Item]


_decoder = msgspec.json.Decoder(_Answer)


def request_body(model: str, texts: Sequence[str], dimensions: int | None) -> bytes:
    """Return the body of a request. ``dimensions`` requests vectors of that length instead of the model's own."""
    body = {"model": model, "input": texts}
    return msgspec.json.encode(body if dimensions is None else {**body, "dimensions": dimensions})


def answer_bytes_max(count: int, dimensions: int) -> int:
    """Return the maximum size of a response with ``count`` vectors."""
    return _FRAME_BYTES_MAX + count * (dimensions + 1) * _NUMBER_BYTES_MAX


def vectors_of(body: bytes, count: int, dimensions: int) -> list[bytes]:
    """Return the vectors of a response, in little-endian float32, in the order of the texts.

    Raises EndpointUnavailable, with the reason, unless there are ``count`` vectors of ``dimensions`` finite numbers.
    """
    try:
        items = _decoder.decode(body).data
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Drop the cause: its message could quote the text.
        raise EndpointUnavailable("the endpoint's response is not a list of embeddings") from None
    if len(items) != count:
        raise EndpointUnavailable(f"the endpoint's response has {len(items)} vectors for {count} texts")
    by_index = {item.index: item.embedding for item in items}
    if by_index.keys() != set(range(count)):
        raise EndpointUnavailable(f"the indexes in the endpoint's response are not 0 to {count - 1}")
    return [_packed(by_index[index], dimensions) for index in range(count)]


def _packed(numbers: list[float], dimensions: int) -> bytes:
    if len(numbers) != dimensions:
        raise EndpointUnavailable(f"the endpoint's vectors have {len(numbers)} dimensions instead of {dimensions}")
    if not all(map(math.isfinite, numbers)):
        raise EndpointUnavailable("the endpoint's response has a number that is not finite")
    try:
        return struct.pack(f"<{dimensions}f", *numbers)
    except OverflowError:
        raise EndpointUnavailable("the endpoint's response has a number that float32 cannot hold") from None
