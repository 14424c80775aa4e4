"""The tokenization port: it counts tokens."""

from typing import Protocol

ESTIMATE = "estimate"
"""The tokenizer name that stands for ``domain.values.token_estimate``, for models without a tokenizer here."""


class TokenCounter(Protocol):
    """Counts the tokens of texts by the tokenizers of models."""

    async def tokenizer_of(self, model: str) -> str:
        """Load a model's tokenizer, and return its name; ESTIMATE if the tokenizer is not available."""
        ...

    def count(self, text: str, tokenizer: str) -> int:
        """Return the number of a text's tokens. ``tokenizer`` is a result of ``tokenizer_of``."""
        ...
