"""A fake endpoint that summarizes conversations, on loopback: the summaries are numbered."""

from typing import Any

from tests.integration.model_endpoint import ModelEndpoint


class SummaryEndpoint(ModelEndpoint):
    """An endpoint that summarizes texts. ``texts`` has those that it has summarized."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def right(self, body: dict[str, Any]) -> dict[str, Any]:
        self.texts.append(body["messages"][-1]["content"])
        summary = f"summary {len(self.texts)}"
        return {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": summary}}]}
