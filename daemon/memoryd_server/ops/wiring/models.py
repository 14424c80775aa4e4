"""The embedder, the indexes, and the models of the settings. Their libraries are imported at first use."""

import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.salience import SaliencePolicy, salience_of
from memoryd_server.models.embedding.choice import embedder_of as chosen_embedder
from memoryd_server.models.embedding.choice import word_vectors_of
from memoryd_server.models.embedding.settings import EmbedderSettings, EmbeddingEndpoint
from memoryd_server.models.endpoint.settings import EndpointSettings
from memoryd_server.ops.config.proposing import Proposing
from memoryd_server.ops.config.settings import Embedding, Summarizing
from memoryd_server.ops.error import SettingError
from memoryd_server.ports.proposing import Proposer
from memoryd_server.ports.retrieval import Embedder, MemoryIndex, MemorySelector, MentionedTime
from memoryd_server.ports.summarizing import Summarizer

if TYPE_CHECKING:
    from memoryd_server.retrieval.reranking.reranker import Reranker

# Before NumPy is imported: the matrices are small, and BLAS's threads would spin while they wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_CHAT_RETRIES = 1
"""Maximum number of retries of a chat completion. It takes many seconds, and a caller waits for it."""


class NewIndexes:
    """Makes empty indexes, which share the second stage of their rankings and the vocabulary of the embedder.

    Without ``reranks``, they have no second stage. Indexes are made on several threads.
    """

    def __init__(self, embedder: Embedder | None = None, *, reranks: bool = True) -> None:
        self._word_vectors = word_vectors_of(embedder)
        self._reranks = reranks
        self._lock = threading.Lock()

    def of_memories(self, policy: SaliencePolicy) -> Callable[[], MemoryIndex]:
        """Return a factory of empty indexes of memories."""

        def salience(memory: Memory, link_strength: float, now: int) -> float:
            return salience_of(memory, link_strength, now, policy)

        def new_index() -> MemoryIndex:
            # Imported late: NumPy takes 15 MB and a tenth of a second, which is not needed before the first recall.
            from memoryd_server.retrieval.index import Index

            return Index(salience, reranker=self._shared_reranker())

        return new_index

    def of_documents(self) -> MemoryIndex:
        """Return an empty index of chunks of documents, which all have the same salience."""
        from memoryd_server.retrieval.index import Index
        from memoryd_server.retrieval.weight import DOCUMENT_WEIGHTS

        return Index(lambda memory, link_strength, now: 1.0, DOCUMENT_WEIGHTS, self._shared_reranker())

    def _shared_reranker(self) -> "Reranker | None":
        with self._lock:
            return self._reranker

    @cached_property
    def _reranker(self) -> "Reranker | None":
        from memoryd_server.retrieval.reranking.reranker import Reranker
        from memoryd_server.retrieval.reranking.vocabulary import Vocabulary

        if not self._reranks:
            return None
        return Reranker(None if self._word_vectors is None else Vocabulary(self._word_vectors))


def new_selector() -> MemorySelector:
    """Return an empty index that selects memories by filters."""
    from memoryd_server.retrieval.table.selector import Selector

    return Selector()


def mentioned_times_of(content: str, occur_time: int) -> Sequence[MentionedTime]:
    """Return the times that a content names. A ``MentionedTimes``."""
    from memoryd_server.retrieval.time.mention import mentioned_times_of as found_in

    return found_in(content, occur_time)


def embedder_of(settings: Embedding, *, insecure: bool = False) -> Embedder | None:
    """Return the embedder of the settings; None for ``none``. Raises SettingError."""
    try:
        return chosen_embedder(
            EmbedderSettings(embedder=settings.embedder, endpoint=_endpoint(settings, insecure=insecure))
        )
    except (OSError, ValueError) as error:
        raise SettingError("embedder", str(error)) from None


def summarizer_of(settings: Summarizing, *, insecure: bool = False) -> Summarizer | None:
    """Return the summarizer of the settings; None without a URL. Raises SettingError."""
    if settings.summary_url is None or settings.summary_model is None:
        return None
    # Imported late: the HTTP client is slow to import.
    from memoryd_server.models.endpoint.key import api_key_of
    from memoryd_server.models.summarizing.endpoint import API_KEY_VARIABLE, EndpointSummarizer

    url, model, timeout = settings.summary_url, settings.summary_model, settings.summary_timeout
    endpoint = _chat_endpoint(url, model, timeout, insecure=insecure)
    try:
        return EndpointSummarizer(endpoint, api_key_of(settings.summary_key_file, API_KEY_VARIABLE, os.environ))
    except (OSError, ValueError) as error:
        raise SettingError("summary_url", str(error)) from None


def proposer_of(
    settings: Proposing, budget_path: Path, clock: Callable[[], int], *, insecure: bool = False
) -> Proposer | None:
    """Return the proposer of the settings; None without a URL. Raises SettingError.

    Its tokens are counted in the file at ``budget_path``, by the days of ``clock`` (ns since the Unix epoch).
    """
    if settings.url is None or settings.model is None:
        return None
    # Imported late: the HTTP client is slow to import.
    from memoryd_server.models.endpoint.key import api_key_of
    from memoryd_server.models.proposing.budget import TokenBudget
    from memoryd_server.models.proposing.endpoint import API_KEY_VARIABLE, EndpointProposer

    endpoint = _chat_endpoint(settings.url, settings.model, settings.timeout, insecure=insecure)
    budget = TokenBudget(budget_path, settings.tokens_per_day, clock)
    try:
        return EndpointProposer(endpoint, budget, api_key_of(settings.key_file, API_KEY_VARIABLE, os.environ))
    except (OSError, ValueError) as error:
        raise SettingError("ingest_url", str(error)) from None


def _chat_endpoint(url: str, model: str, timeout: float, *, insecure: bool) -> EndpointSettings:
    return EndpointSettings(base_url=url, model=model, insecure=insecure, timeout=timeout, retries=_CHAT_RETRIES)


def _endpoint(settings: Embedding, *, insecure: bool) -> EmbeddingEndpoint | None:
    url, model, dimensions = settings.embedding_url, settings.embedding_model, settings.embedding_dimensions
    if url is None or model is None or dimensions is None:
        return None
    return EmbeddingEndpoint(
        base_url=url,
        model=model,
        dimensions=dimensions,
        shorten=settings.embedding_shorten,
        model_version=settings.embedding_version or "",
        api_key_file=settings.embedding_key_file,
        insecure=insecure,
        timeout=settings.embedding_timeout,
    )
