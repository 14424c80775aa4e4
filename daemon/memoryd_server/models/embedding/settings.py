"""What an operator says about embedders."""

import msgspec

from memoryd_server.models.endpoint.settings import EndpointSettings

API_KEY_VARIABLE = "MEMORYD_EMBEDDING_API_KEY"


class EmbeddingEndpoint(EndpointSettings, frozen=True, kw_only=True):
    """An endpoint that speaks OpenAI's embeddings API; its key may be in MEMORYD_EMBEDDING_API_KEY.

    ``dimensions`` is how long the vectors are; ``shorten`` asks the endpoint for just that length, where the model's
    own is another. ``model_version`` tells vectors of one name apart, when the model behind it has changed. A text is
    cut after ``text_characters_max``.
    """

    dimensions: int
    shorten: bool = False
    model_version: str = ""
    text_characters_max: int = 8_000
    batch_texts_max: int = 32


class EmbedderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder there is: ``default``, ``none``, ``folder:PATH`` for a folder of model2vec, or ``endpoint``."""

    embedder: str = "default"
    endpoint: EmbeddingEndpoint | None = None
