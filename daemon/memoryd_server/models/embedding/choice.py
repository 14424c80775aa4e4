"""The choice of an embedder by the settings."""

import os
from collections.abc import Mapping
from pathlib import Path

from memoryd_server.models.embedding.settings import API_KEY_VARIABLE, EmbedderSettings
from memoryd_server.models.embedding.static import StaticEmbedder
from memoryd_server.ports.retrieval import Embedder, WordVectors

_FOLDER = "folder:"


def word_vectors_of(embedder: Embedder | None) -> WordVectors | None:
    """Return the vectors of an embedder's words; None unless it has a table of them."""
    return embedder.word_table if isinstance(embedder, StaticEmbedder) else None


def embedder_of(settings: EmbedderSettings, environment: Mapping[str, str] = os.environ) -> Embedder | None:
    """Return the configured embedder; None for ``none``.

    Raises OSError, and ValueError with a message that says what is wrong and never contains the key.
    """
    if settings.embedder == "none":
        return None
    if settings.embedder == "default":
        return StaticEmbedder()
    if settings.embedder.startswith(_FOLDER):
        return StaticEmbedder(Path(settings.embedder.removeprefix(_FOLDER)).expanduser())
    if settings.embedder != "endpoint":
        raise ValueError(f"{settings.embedder!r} is none of default, none, folder:PATH and endpoint")
    if settings.endpoint is None:
        raise ValueError("the embedding endpoint needs a URL, a model and its dimensions")
    # Imported here because the HTTP client is slow to import, and other embedders do not need it.
    from memoryd_server.models.embedding.endpoint import EndpointEmbedder
    from memoryd_server.models.endpoint.key import api_key_of

    key = api_key_of(settings.endpoint.api_key_file, API_KEY_VARIABLE, environment)
    return EndpointEmbedder(settings.endpoint, key)
