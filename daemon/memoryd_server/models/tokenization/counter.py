"""Counts tokens by the tokenizers of OpenAI's models, which are part of the distribution, and else by an estimate."""

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from memoryd_server.domain.values.token_estimate import estimated_tokens
from memoryd_server.models.tokenization.recent_count import RecentCounts
from memoryd_server.ports.tokenization import ESTIMATE

if TYPE_CHECKING:
    from tiktoken import Encoding

_VOCABULARY = Path(__file__).parent / "vocabulary"
_AT_HAND = frozenset({"o200k_base", "cl100k_base"})
_AT_ONCE_CHARACTERS = 32
"""So little is counted as fast as it is remembered."""
_PART_CHARACTERS = 65_536
"""In a longer run without a word in it, tiktoken's time grows faster than the run."""
_BETWEEN_WORDS = re.compile(r"(?<=[a-z]) (?=[a-z])")


class OfflineTokenCounter:
    """Implements ``TokenCounter``. A tokenizer is loaded when it is first asked for: half a second, 30 to 80 MB."""

    def __init__(self) -> None:
        self._encodings: dict[str, Encoding] = {}
        self._loading = asyncio.Lock()
        self._recent = RecentCounts()

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
        if len(text) <= _AT_ONCE_CHARACTERS:
            return self._counted(text, tokenizer)
        count = self._recent.find(text, tokenizer)
        if count is None:
            count = self._counted(text, tokenizer)
            self._recent.keep(text, tokenizer, count)
        return count

    def _counted(self, text: str, tokenizer: str) -> int:
        encoding = self._encodings.get(tokenizer)
        if encoding is None:
            return estimated_tokens(text)
        # What is written like a control token is text here.
        return sum(len(encoding.encode_ordinary(each)) for each in _parts(text))


def _parts(text: str) -> Iterator[str]:
    """A text in parts, cut where every tokenizer at hand begins a new token, or else where a part is too long."""
    start = 0
    while len(text) - start > _PART_CHARACTERS:
        end = start + _PART_CHARACTERS
        between = _BETWEEN_WORDS.search(text, end, end + _PART_CHARACTERS)
        end = between.start() if between else end
        yield text[start:end]
        start = end
    yield text[start:]


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
