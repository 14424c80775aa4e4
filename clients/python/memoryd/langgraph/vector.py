"""The vectors of items, which are stored with them, and their similarity to a query."""

import base64
import math
import operator
import struct
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, PutOp, ensure_embeddings, get_text_at_path

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class EmbedTexts:
    """The step of a flow that embeds texts."""

    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class EmbedQuery:
    """The step of a flow that embeds a query."""

    text: str


class VectorIndex:
    """The configured embedding of items: the function, its dimensions, and the fields to embed."""

    def __init__(self, config: IndexConfig) -> None:
        self.embeddings: Embeddings = ensure_embeddings(config.get("embed"))
        self._dims = config.get("dims")
        self._fields = config.get("fields") or ["$"]

    def texts_of(self, put: PutOp) -> dict[str, str]:
        """Return the texts of an item to embed, by their paths."""
        if put.value is None or put.index is False:
            return {}
        texts: dict[str, str] = {}
        for path in self._fields if put.index is None else put.index:
            found = get_text_at_path(put.value, path)
            texts |= {path if len(found) == 1 else f"{path}.{number}": text for number, text in enumerate(found)}
        return texts

    def checked(self, vectors: Sequence[Vector], count: int) -> Sequence[Vector]:
        """Return the vectors. Raises ValueError unless there are ``count``, of the configured number of dimensions."""
        if len(vectors) != count:
            raise ValueError(f"embedding function returned {len(vectors)} vectors for {count} texts")
        for vector in vectors:
            if self._dims is not None and len(vector) != self._dims:
                raise ValueError(f"embedding function returned {len(vector)} dimensions: index.dims is {self._dims}")
        return vectors


def embedded(index: VectorIndex | None, puts: Iterable[PutOp]) -> Generator[EmbedTexts, Any, list[Mapping[str, str]]]:
    """Return the packed vectors of each item by path, after embedding the texts of all in one step."""
    texts = [{} if index is None else index.texts_of(put) for put in puts]
    different = list(dict.fromkeys(text for each in texts for text in each.values()))
    packed: dict[str, str] = {}
    if index is not None and different:
        vectors = index.checked((yield EmbedTexts(different)), len(different))
        packed = {text: pack(vector) for text, vector in zip(different, vectors, strict=True)}
    return [{path: packed[text] for path, text in each.items()} for each in texts]


def unit(vector: Vector) -> list[float]:
    """Return the vector scaled to length 1, so that a dot product is a cosine. A vector of zeros is unchanged."""
    length = math.hypot(*vector)
    return [number / length for number in vector] if length else [float(number) for number in vector]


def pack(vector: Vector) -> str:
    """Return the vector scaled to length 1 as text: little-endian 4-byte floats in base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *unit(vector))).decode()


def score(query: Vector, packed: Iterable[str]) -> float | None:
    """Return the greatest cosine of a vector and a query of length 1.

    None if no vector has the size of the query: they were made by another embedding function.
    """
    nearest: float | None = None
    for each in packed:
        content = base64.b64decode(each)
        if len(content) == 4 * len(query):
            cosine = sum(map(operator.mul, query, struct.unpack(f"<{len(query)}f", content)))
            nearest = cosine if nearest is None else max(nearest, cosine)
    return nearest
