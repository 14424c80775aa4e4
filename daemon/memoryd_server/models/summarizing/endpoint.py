"""Sums up by asking an endpoint that speaks OpenAI's chat completions API."""

import logging
from typing import Any

from memoryd_server.domain.error import SummarizerUnavailable
from memoryd_server.models.endpoint.client import EndpointClient, EndpointUnavailable
from memoryd_server.models.endpoint.settings import EndpointSettings
from memoryd_server.models.limit import SUMMARY_ANSWER_BYTES_MAX
from memoryd_server.models.summarizing.answer import question, summary_of

log = logging.getLogger("memoryd.summarizing")

API_KEY_VARIABLE = "MEMORYD_SUMMARY_API_KEY"


class EndpointSummarizer:
    """Implements ``ports.summarizing.Summarizer`` with an endpoint.

    Raises ValueError for settings that cannot be used. ``timing`` is what ``EndpointClient`` takes of ``clock``,
    ``sleep`` and ``chance``.
    """

    def __init__(self, settings: EndpointSettings, api_key: str | None = None, **timing: Any) -> None:
        self._model = settings.model
        self._client = EndpointClient(settings, "chat/completions", api_key, log, **timing)

    async def summarize(self, earlier: str, text: str) -> str:
        """What the model says; see ``ports.summarizing.Summarizer``."""
        try:
            return await self._client.ask(question(self._model, earlier, text), SUMMARY_ANSWER_BYTES_MAX, summary_of)
        except EndpointUnavailable:
            raise SummarizerUnavailable from None

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()
