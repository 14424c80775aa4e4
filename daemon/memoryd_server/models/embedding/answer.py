"""What an endpoint sends and answers, as OpenAI's embeddings API has it."""

import math
import struct
from collections.abc import Sequence

import msgspec

from memoryd_server.models.endpoint.client import EndpointUnavailable

_FRAME_BYTES_MAX = 64 * 1024
_NUMBER_BYTES_MAX = 64
"""A number has at most 25 characters; the rest is for those who indent."""


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Item]


_decoder = msgspec.json.Decoder(_Answer)


def question(model: str, texts: Sequence[str], dimensions: int | None) -> bytes:
    """The body of a request. ``dimensions`` asks for vectors of another length than the model's own."""
    body = {"model": model, "input": texts}
    return msgspec.json.encode(body if dimensions is None else {**body, "dimensions": dimensions})


def answer_bytes_max(count: int, dimensions: int) -> int:
    """How large an answer with so many vectors may be."""
    return _FRAME_BYTES_MAX + count * (dimensions + 1) * _NUMBER_BYTES_MAX


def vectors_of(body: bytes, count: int, dimensions: int) -> list[bytes]:
    """The vectors of an answer, little-endian float32, in the order of the texts.

    Raises EndpointUnavailable, saying what is wrong, unless there are ``count`` of them, each of ``dimensions`` finite
    numbers.
    """
    try:
        items = _decoder.decode(body).data
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Its words could quote the text.
        raise EndpointUnavailable("the answer is not a list of embeddings") from None
    if len(items) != count:
        raise EndpointUnavailable(f"the answer has {len(items)} vectors for {count} texts")
    by_index = {item.index: item.embedding for item in items}
    if by_index.keys() != set(range(count)):
        raise EndpointUnavailable("the answer does not say which vector is whose")
    return [_packed(by_index[index], dimensions) for index in range(count)]


def _packed(numbers: list[float], dimensions: int) -> bytes:
    if len(numbers) != dimensions:
        raise EndpointUnavailable(f"the answer has a vector of {len(numbers)} dimensions instead of {dimensions}")
    if not all(map(math.isfinite, numbers)):
        raise EndpointUnavailable("the answer has a number that is not finite")
    try:
        return struct.pack(f"<{dimensions}f", *numbers)
    except OverflowError:
        raise EndpointUnavailable("the answer has a number that is too large") from None
