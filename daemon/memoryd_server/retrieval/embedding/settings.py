"""What an operator says about embedders."""

from pathlib import Path

import msgspec

API_KEY_VARIABLE = "MEMORYD_EMBEDDING_API_KEY"


class EndpointSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint that speaks OpenAI's embeddings API. Lengths of time are in seconds.

    ``base_url`` is what comes before ``/embeddings``, such as ``http://127.0.0.1:11434/v1``. ``dimensions`` is how long
    the vectors are; ``shorten`` asks the endpoint for just that length, where the model's own is another.
    ``model_version`` tells vectors of one name apart, when the model behind it has changed.

    The key is read from ``api_key_file``, else from the environment's MEMORYD_EMBEDDING_API_KEY; without either, none
    is sent. It goes to no other machine without https, unless ``insecure``. A text is cut after
    ``text_characters_max``. ``timeout`` is for one attempt, of which there are one and ``retries``; an endpoint that
    asks to wait longer than ``retry_wait_max`` is unavailable. After ``failures_max`` failures in a row it is left
    alone for ``rest``.
    """

    base_url: str
    model: str
    dimensions: int
    shorten: bool = False
    model_version: str = ""
    api_key_file: Path | None = None
    insecure: bool = False
    text_characters_max: int = 8_000
    batch_texts_max: int = 32
    requests_max: int = 2
    timeout: float = 10.0
    retries: int = 3
    retry_wait_max: float = 30.0
    failures_max: int = 5
    rest: float = 30.0


class EmbedderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder there is: ``default``, ``none``, ``folder:PATH`` for a folder of model2vec, or ``endpoint``."""

    embedder: str = "default"
    endpoint: EndpointSettings | None = None
