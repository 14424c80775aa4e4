"""What the engine needs to count tokens."""

from typing import Protocol

ESTIMATE = "estimate"
"""The name of counting by ``domain.values.token_estimate``, where no tokenizer is at hand."""


class TokenCounter(Protocol):
    """Counts the tokens of texts, as models do."""

    async def tokenizer_of(self, model: str) -> str:
        """The name of the tokenizer that a model has, ready to count; ESTIMATE when it is not at hand."""
        ...

    def count(self, text: str, tokenizer: str) -> int:
        """How many tokens a text has for a tokenizer that ``tokenizer_of`` has answered."""
        ...
