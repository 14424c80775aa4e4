"""An embeddings endpoint on loopback, which returns the responses that a test sets, and correct ones otherwise."""

import json
import struct
from asyncio import StreamWriter
from collections.abc import Sequence
from typing import Any

from tests.unit.models.endpoint import server
from tests.unit.models.endpoint.server import Answer, Request, body, send

DIMENSIONS = 3


class EndpointServer(server.EndpointServer):
    """An endpoint whose default response has the ``vector_of`` each text."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(*answers, right=right)


def vector_of(text: str) -> list[float]:
    """Return a vector for a text, of numbers that float32 represents exactly."""
    return [float(len(text)), float(ord(text[0])), float(ord(text[-1]))]


def packed(texts: Sequence[str]) -> list[bytes]:
    """Return the vectors of texts in the form that the embedder must return."""
    return [struct.pack("<3f", *vector_of(text)) for text in texts]


def embeddings(vectors: Sequence[Any]) -> bytes:
    """Return the body of a response with these vectors."""
    return json.dumps(
        {"object": "list", "data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]}
    ).encode()


async def right(request: Request, writer: StreamWriter) -> None:
    """Send the correct response, with the vectors in another order than that of the texts."""
    data = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(request.body["input"])]
    send(writer, 200, json.dumps({"object": "list", "data": data[::-1]}).encode())


def vectors(*of_texts: Any) -> Answer:
    """Return a response with these vectors to any request."""
    return body(embeddings(of_texts))
