"""The settings of embedders."""

import msgspec

from memoryd_server.models.endpoint.settings import EndpointSettings

API_KEY_VARIABLE = "MEMORYD_EMBEDDING_API_KEY"


class EmbeddingEndpoint(EndpointSettings, frozen=True, kw_only=True):
    """An endpoint with OpenAI's embeddings API. Its key may be in MEMORYD_EMBEDDING_API_KEY.

    ``dimensions`` is the length of the vectors. If ``shorten`` is true, the endpoint is asked for that length, which is
    then not the model's own. ``model_version`` distinguishes the vectors of models that have the same name. A text is
    cut after ``text_characters_max``.
    """

    dimensions: int
    shorten: bool = False
    model_version: str = ""
    text_characters_max: int = 8_000
    batch_texts_max: int = 32


class EmbedderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The choice of an embedder: ``default``, ``none``, ``folder:PATH`` for a model2vec folder, or ``endpoint``."""

    embedder: str = "default"
    endpoint: EmbeddingEndpoint | None = None
