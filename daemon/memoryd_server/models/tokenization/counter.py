"""A counter of tokens, by the tokenizers of OpenAI's models, which are in the distribution, or by an estimate."""

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
_AVAILABLE = frozenset({"o200k_base", "cl100k_base"})
_UNCACHED_CHARACTERS = 32
"""Length up to which a text is counted each time: that is as fast as finding a remembered count."""
_PART_CHARACTERS = 65_536
"""Length of the parts in which a text is counted: for long runs without words, tiktoken's time is not linear."""
_BETWEEN_WORDS = re.compile(r"(?<=[a-z]) (?=[a-z])")


class OfflineTokenCounter:
    """Implements ``TokenCounter``. A tokenizer is loaded at its first use: half a second, 30 to 80 MB."""

    def __init__(self) -> None:
        self._encodings: dict[str, Encoding] = {}
        self._loading = asyncio.Lock()
        self._recent = RecentCounts()

    async def tokenizer_of(self, model: str) -> str:
        """Load a model's tokenizer, and return its name; ESTIMATE if the tokenizer is not available."""
        name = _tokenizer_name(model)
        if name in _AVAILABLE and name not in self._encodings:
            async with self._loading:
                if name not in self._encodings:
                    self._encodings[name] = await asyncio.to_thread(_load, name)
        return name

    def count(self, text: str, tokenizer: str) -> int:
        """Return the number of tokens of a text."""
        if len(text) <= _UNCACHED_CHARACTERS:
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
        # Ordinary: text that looks like a control token is counted as text.
        return sum(len(encoding.encode_ordinary(each)) for each in _parts(text))


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts, cut where every available tokenizer begins a new token, or where a part is too long."""
    start = 0
    while len(text) - start > _PART_CHARACTERS:
        end = start + _PART_CHARACTERS
        between = _BETWEEN_WORDS.search(text, end, end + _PART_CHARACTERS)
        end = between.start() if between else end
        yield text[start:end]
        start = end
    yield text[start:]


def _tokenizer_name(model: str) -> str:
    if model in _AVAILABLE or model in ("", ESTIMATE):
        return model or ESTIMATE
    from tiktoken.model import encoding_name_for_model

    try:
        name = encoding_name_for_model(model)
    except KeyError:
        return ESTIMATE
    return name if name in _AVAILABLE else ESTIMATE


def _load(name: str) -> "Encoding":
    # tiktoken looks here before it downloads, and verifies the files.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_VOCABULARY)
    import tiktoken

    return tiktoken.get_encoding(name)
