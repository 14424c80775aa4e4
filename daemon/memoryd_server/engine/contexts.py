"""What goes into a model's context window, and how much of it that takes."""

import asyncio
from collections.abc import Sequence

from memoryd_server.domain.token_estimate import estimated_tokens
from memoryd_server.ports.tokenization import ESTIMATE, TokenCounter

_AT_ONCE_CHARACTERS = 16_384
"""How long a text is counted within a few milliseconds."""


class Contexts:
    """The contexts of all agents. Without a counter, tokens are estimated."""

    def __init__(self, counter: TokenCounter | None) -> None:
        self._counter = counter

    async def count(self, texts: Sequence[str], model: str) -> tuple[Sequence[int], str]:
        """How many tokens each text has for a model, and what counted."""
        counter = self._counter
        tokenizer = ESTIMATE if counter is None else await counter.tokenizer_of(model)

        def counted() -> Sequence[int]:
            if counter is None:
                return [estimated_tokens(text) for text in texts]
            return [counter.count(text, tokenizer) for text in texts]

        if sum(map(len, texts)) <= _AT_ONCE_CHARACTERS:
            return counted(), tokenizer
        return await asyncio.to_thread(counted), tokenizer
