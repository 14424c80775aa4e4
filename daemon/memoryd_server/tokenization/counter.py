"""Counts tokens by the tokenizers of OpenAI's models, which are part of the distribution, and else by an estimate."""

import asyncio
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd_server.domain.token_estimate import estimated_tokens
from memoryd_server.ports.tokenization import ESTIMATE

if TYPE_CHECKING:
    from tiktoken import Encoding

_VOCABULARY = Path(__file__).parent / "vocabulary"
_AT_HAND = frozenset({"o200k_base", "cl100k_base"})
_COUNTS_KEPT = 32_768
"""The messages and notes of a conversation are counted again with each turn."""


class OfflineTokenCounter:
    """Implements ``TokenCounter``. A tokenizer is loaded when it is first asked for: half a second, 30 to 80 MB."""

    def __init__(self) -> None:
        self._encodings: dict[str, Encoding] = {}
        self._loading = asyncio.Lock()
        self._count = functools.lru_cache(_COUNTS_KEPT)(self._counted)

    async def tokenizer_of(self, model: str) -> str:
        """The name of a model's tokenizer, ready to count; ESTIMATE when it is not at hand."""
        name = _tokenizer_name(model)
        if name in _AT_HAND and name not in self._encodings:
            async with self._loading:
                if name not in self._encodings:
                    self._encodings[name] = await asyncio.to_thread(_load, name)
        return name

    def count(self, text: str, tokenizer: str) -> int:
        """How many tokens a text has."""
        return self._count(text, tokenizer)

    def _counted(self, text: str, tokenizer: str) -> int:
        encoding = self._encodings.get(tokenizer)
        # What is written like a control token is text here.
        return estimated_tokens(text) if encoding is None else len(encoding.encode_ordinary(text))


def _tokenizer_name(model: str) -> str:
    if model in _AT_HAND or model in ("", ESTIMATE):
        return model or ESTIMATE
    from tiktoken.model import encoding_name_for_model

    try:
        name = encoding_name_for_model(model)
    except KeyError:
        return ESTIMATE
    return name if name in _AT_HAND else ESTIMATE


def _load(name: str) -> "Encoding":
    # Where tiktoken looks before it downloads; it checks what it finds there.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_VOCABULARY)
    import tiktoken

    return tiktoken.get_encoding(name)
