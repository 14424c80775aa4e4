"""An embeddings endpoint on loopback that answers what a test has written down, and else as it should."""

import json
import struct
from asyncio import StreamWriter
from collections.abc import Sequence
from typing import Any

from tests.unit.models.endpoint import server
from tests.unit.models.endpoint.server import Answer, Request, body, send

DIMENSIONS = 3


class EndpointServer(server.EndpointServer):
    """Answers with ``vector_of`` when a test has nothing else in mind."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(*answers, right=right)


def vector_of(text: str) -> list[float]:
    """What a text's vector is here: numbers that float32 holds exactly."""
    return [float(len(text)), float(ord(text[0])), float(ord(text[-1]))]


def packed(texts: Sequence[str]) -> list[bytes]:
    """The vectors of texts as the embedder is to answer them."""
    return [struct.pack("<3f", *vector_of(text)) for text in texts]


def embeddings(vectors: Sequence[Any]) -> bytes:
    """The body of an answer."""
    return json.dumps(
        {"object": "list", "data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]}
    ).encode()


async def right(request: Request, writer: StreamWriter) -> None:
    """The right answer, with the vectors in another order than that of the texts."""
    data = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(request.body["input"])]
    send(writer, 200, json.dumps({"object": "list", "data": data[::-1]}).encode())


def vectors(*of_texts: Any) -> Answer:
    """An answer with these vectors, whatever was asked."""
    return body(embeddings(of_texts))
