"""An embedder that calls an endpoint with OpenAI's embeddings API."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.models.embedding.answer import answer_bytes_max, request_body, vectors_of
from memoryd_server.models.embedding.settings import EmbeddingEndpoint
from memoryd_server.models.endpoint.client import EndpointClient, EndpointUnavailable
from memoryd_server.ports.retrieval import EmbedderUnavailable, Familiarity

log = logging.getLogger("memoryd.embedding")

_FLOAT_BYTES = 4


class EndpointEmbedder:
    """Implements ``ports.retrieval.Embedder`` with an endpoint.

    Texts are sent in batches. A blank text is not sent: its vector is zero. Raises ValueError for settings that cannot
    be used. ``timing`` is passed on to ``EndpointClient``: ``clock``, ``sleep`` and ``chance``.
    """

    is_immediate = False

    def __init__(self, settings: EmbeddingEndpoint, api_key: str | None = None, **timing: Any) -> None:
        self.identity = EmbeddingIdentity(settings.model, settings.model_version, settings.dimensions)
        self._settings = settings
        self._client = EndpointClient(settings, "embeddings", api_key, log, **timing)

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the vectors of texts, as the endpoint returned them. Raises EmbedderUnavailable if any is missing."""
        vectors = [bytes(_FLOAT_BYTES * self.identity.dimensions)] * len(texts)
        sent = [number for number, text in enumerate(texts) if text and not text.isspace()]
        size = self._settings.batch_texts_max
        batches = [sent[at : at + size] for at in range(0, len(sent), size)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._embed_batch([texts[number] for number in batch])) for batch in batches]
        except ExceptionGroup as failures:
            # The first failure cancelled the other batches.
            raise failures.exceptions[0] from None
        for batch, task in zip(batches, tasks, strict=True):
            for number, vector in zip(batch, task.result(), strict=True):
                vectors[number] = vector
        return vectors

    def familiarity_of(self, text: str) -> Familiarity:
        """Return that all words are known: the model's own tokens are not visible here."""
        return Familiarity()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _embed_batch(self, texts: list[str]) -> list[bytes]:
        settings = self._settings
        cut = [text[: settings.text_characters_max] for text in texts]
        body = request_body(settings.model, cut, settings.dimensions if settings.shorten else None)
        read = partial(vectors_of, count=len(texts), dimensions=settings.dimensions)
        try:
            return await self._client.ask(body, answer_bytes_max(len(texts), settings.dimensions), read)
        except EndpointUnavailable as failure:
            raise EmbedderUnavailable(str(failure)) from None
