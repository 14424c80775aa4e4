"""Which embedder the settings ask for."""

import os
from collections.abc import Mapping
from pathlib import Path

from memoryd_server.models.embedding.settings import API_KEY_VARIABLE, EmbedderSettings
from memoryd_server.models.embedding.static import StaticEmbedder
from memoryd_server.ports.retrieval import Embedder

_FOLDER = "folder:"


def embedder_of(settings: EmbedderSettings, environment: Mapping[str, str] = os.environ) -> Embedder | None:
    """The embedder; None for none. Raises ValueError that says what is wrong, never with the key in it, and OSError."""
    if settings.embedder == "none":
        return None
    if settings.embedder == "default":
        return StaticEmbedder()
    if settings.embedder.startswith(_FOLDER):
        return StaticEmbedder(Path(settings.embedder.removeprefix(_FOLDER)).expanduser())
    if settings.embedder != "endpoint":
        raise ValueError(f"{settings.embedder!r} is none of default, none, folder:PATH and endpoint")
    if settings.endpoint is None:
        raise ValueError("the endpoint needs a URL, a model and its dimensions")
    # What speaks HTTP takes a while to import, which others need not wait for.
    from memoryd_server.models.embedding.endpoint import EndpointEmbedder
    from memoryd_server.models.endpoint.key import api_key_of

    key = api_key_of(settings.endpoint.api_key_file, API_KEY_VARIABLE, environment)
    return EndpointEmbedder(settings.endpoint, key)
