"""A summarizer that calls an endpoint with OpenAI's chat completions API."""

import logging
from typing import Any

from memoryd_server.domain.error import SummarizerUnavailable
from memoryd_server.models.endpoint.client import EndpointClient, EndpointUnavailable
from memoryd_server.models.endpoint.settings import EndpointSettings
from memoryd_server.models.limit import SUMMARY_ANSWER_BYTES_MAX
from memoryd_server.models.summarizing.answer import request_body, summary_of

log = logging.getLogger("memoryd.summarizing")

API_KEY_VARIABLE = "MEMORYD_SUMMARY_API_KEY"


class EndpointSummarizer:
    """Implements ``ports.summarizing.Summarizer`` with an endpoint.

    Raises ValueError for settings that cannot be used. ``timing`` is passed on to ``EndpointClient``: ``clock``,
    ``sleep`` and ``chance``.
    """

    def __init__(self, settings: EndpointSettings, api_key: str | None = None, **timing: Any) -> None:
        self._model = settings.model
        self._client = EndpointClient(settings, "chat/completions", api_key, log, **timing)

    async def summarize(self, earlier: str, text: str) -> str:
        """Return the model's summary; see ``ports.summarizing.Summarizer``."""
        body = request_body(self._model, earlier, text)
        try:
            return await self._client.ask(body, SUMMARY_ANSWER_BYTES_MAX, summary_of)
        except EndpointUnavailable:
            raise SummarizerUnavailable from None

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()
