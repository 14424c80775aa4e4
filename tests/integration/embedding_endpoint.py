"""An embeddings endpoint on loopback for daemons: texts about the same concept have the same vector."""

from typing import Any

from tests.integration.model_endpoint import ModelEndpoint

_CONCEPTS = (("dog", "puppy", "canine"), ("car", "automobile", "vehicle"), ("rain", "weather", "storm"))
DIMENSIONS = len(_CONCEPTS)


class EmbeddingEndpoint(ModelEndpoint):
    """An endpoint that embeds texts. ``texts`` has those that it has embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def right(self, body: dict[str, Any]) -> dict[str, Any]:
        self.texts += body["input"]
        data = [{"index": index, "embedding": _vector(text)} for index, text in enumerate(body["input"])]
        return {"object": "list", "data": data}


def _vector(text: str) -> list[float]:
    words = text.lower().split()
    return [float(sum(word in words for word in concept)) for concept in _CONCEPTS]
