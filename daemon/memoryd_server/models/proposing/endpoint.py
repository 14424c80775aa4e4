"""A proposer that calls an endpoint with OpenAI's chat completions API."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from memoryd_server.domain.error import ProposerUnavailable
from memoryd_server.domain.memories.proposals.batch import Batch, batch_of
from memoryd_server.domain.memories.proposals.proposal import Proposal
from memoryd_server.domain.memories.proposals.selection import Fault, selected
from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.models.endpoint.client import AnswerLost, EndpointClient, EndpointUnavailable, RequestRefused
from memoryd_server.models.endpoint.settings import EndpointSettings
from memoryd_server.models.limit import PROPOSALS_ANSWER_BYTES_MAX
from memoryd_server.models.proposing.answer import PROMPT_VERSION, Answer, answer_of, request_body
from memoryd_server.models.proposing.budget import TokenBudget

log = logging.getLogger("memoryd.proposing")

API_KEY_VARIABLE = "MEMORYD_INGEST_API_KEY"


class EndpointProposer:
    """Implements ``ports.proposing.Proposer`` with an endpoint.

    Raises ValueError for settings that cannot be used. ``timing`` is passed on to ``EndpointClient``: ``clock``,
    ``sleep`` and ``chance``.
    """

    def __init__(
        self, settings: EndpointSettings, budget: TokenBudget, api_key: str | None = None, **timing: Any
    ) -> None:
        self._model = settings.model
        self._budget = budget
        self._client = EndpointClient(settings, "chat/completions", api_key, log, **timing)
        self._has_answered = False

    @property
    def metadata_json(self) -> str:
        """The model and the version of the prompt."""
        return msgspec.json.encode({"proposer": self._model, "prompt_version": PROMPT_VERSION}).decode()

    async def propose(self, texts: Sequence[str]) -> Sequence[Sequence[Proposal]]:
        """Return what the model proposes of the first texts, by one answer; see ``ports.proposing.Proposer``.

        Texts for which the endpoint has no answer that can be used are shown again in smaller batches: if it declines
        one, the others are not lost with it.
        """
        batch = await asyncio.to_thread(batch_of, texts)
        while batch.shown:
            answer = await self._asked(batch)
            if answer is not None and answer.is_usable:
                self._has_answered = True
                return await asyncio.to_thread(self._selected, answer, batch)
            if len(batch.shown) == 1:
                self._note_declined()
                break
            batch = await asyncio.to_thread(batch_of, texts[: batch.half])
        return [()] * len(batch.texts)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    def _note_declined(self) -> None:
        """Log that there is no answer for a text alone, which is then left out.

        Raises ProposerUnavailable if there was never one for any text: then the endpoint is unfit, not the text.
        """
        if not self._has_answered:
            log.warning("the model follows no schema", extra={"model": self._model})
            raise ProposerUnavailable
        log.warning("the model declines a message", extra={"model": self._model})

    async def _asked(self, batch: Batch) -> Answer | None:
        """Return the answer for a batch, None if the endpoint refuses the request. Raises ProposerUnavailable."""
        body = request_body(self._model, batch)
        size = await asyncio.to_thread(estimated_tokens, body.decode())

        async def reserve() -> None:
            await asyncio.to_thread(self._budget.reserve, size)

        await reserve()
        # What is cancelled from here on stays counted, as does what ends with an error of the budget: the endpoint may
        # work on. An attempt whose answer is lost stays counted when the request is repeated.
        unused = 0
        try:
            answer = await self._client.ask(body, PROPOSALS_ANSWER_BYTES_MAX, answer_of, reserve)
            unused = size - (answer.tokens or size)
            return answer
        except RequestRefused:
            unused = size
            return None
        except AnswerLost:
            raise ProposerUnavailable from None
        except EndpointUnavailable:
            unused = size
            raise ProposerUnavailable from None
        finally:
            if unused:
                await asyncio.to_thread(self._budget.correct, -unused)

    def _selected(self, answer: Answer, batch: Batch) -> Sequence[Sequence[Proposal]]:
        selection = selected(answer.suggestions, batch)
        faults = dict(selection.dropped)
        if answer.malformed:
            faults[Fault.MALFORMED] = answer.malformed
        if answer.unread:
            faults[Fault.SURPLUS] = faults.get(Fault.SURPLUS, 0) + answer.unread
        if faults:
            counts = {fault.value: count for fault, count in faults.items()}
            log.info("proposals were dropped", extra={"model": self._model, **counts})
        return selection.proposals
