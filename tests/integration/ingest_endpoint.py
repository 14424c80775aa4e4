"""A fake endpoint that proposes memories, on loopback."""

import json
from typing import Any

from tests.integration.model_endpoint import ModelEndpoint


class IngestEndpoint(ModelEndpoint):
    """An endpoint that proposes each sentence that it is shown, in upper case too. ``shown`` has those of each request.

    It charges ``tokens`` for each.
    """

    def __init__(self, tokens: int = 100) -> None:
        super().__init__()
        self.tokens = tokens
        self.shown: list[list[str]] = []

    def right(self, body: dict[str, Any]) -> dict[str, Any]:
        messages = json.loads(body["messages"][-1]["content"])["messages"]
        self.shown.append([sentence for message in messages for sentence in message["sentences"]])
        proposals = [
            {"number": message["number"], "evidence": sentence, "text": text, "kind": "fact"}
            for message in messages
            for sentence in message["sentences"]
            for text in (sentence, sentence.upper())
        ]
        content = json.dumps({"proposals": proposals})
        return {"choices": [{"message": {"content": content}}], "usage": {"total_tokens": self.tokens}}
