"""Memories that resemble dialogue, for sizes that no real conversation has.

Words are drawn by Zipf's law from the vocabulary of the daemon's table, which is in the order of their frequency. Two
people talk in conversations of 25 turns of 6 to 30 words, one conversation after the other. The memories are the same
each time.
"""

import json
import random
from collections.abc import Sequence
from itertools import accumulate

import msgspec

from memoryd_server.models.embedding.static import DEFAULT_TABLE
from memoryd_server.retrieval.text.stop_word import STOP_WORDS

SEED = 7
USER = "user"

_SPEAKERS = ("Ann", "Bob")
_TURNS = 25
_WORDS_MIN, _WORDS_MAX = 6, 30
_BEGIN_S = 1_600_000_000
_BETWEEN_S = 10 * 3600
_ASKED_WORDS = 4


class SyntheticMemory(msgspec.Struct, frozen=True):
    """A generated turn of a dialogue. ``occur_s`` is in seconds since the Unix epoch."""

    memory_id: str
    content: str
    conversation_id: str
    position: int
    occur_s: int


def synthetic_memories(count: int) -> Sequence[SyntheticMemory]:
    """Return ``count`` memories; those of a smaller count are the first ones of a larger count."""
    chance = random.Random(SEED)
    words = _vocabulary()
    # Zipf's law as Mandelbrot put it.
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(1, len(words) + 1)))
    memories = []
    for number in range(count):
        conversation, position = divmod(number, _TURNS)
        said = chance.choices(words, cum_weights=weights, k=chance.randint(_WORDS_MIN, _WORDS_MAX))
        content = f"{_SPEAKERS[number % 2]}: {' '.join(said)}"
        occur_s = _BEGIN_S + conversation * _BETWEEN_S
        memories.append(SyntheticMemory(f"m-{number}", content, f"c-{conversation}", position, occur_s))
    return memories


def synthetic_questions(memories: Sequence[SyntheticMemory], count: int) -> Sequence[str]:
    """Return ``count`` questions, each with the speaker and some words of one memory."""
    chance = random.Random(SEED)
    questions = []
    for memory in chance.choices(memories, k=count):
        speaker, _, said = memory.content.partition(": ")
        words = sorted(set(said.split()) - STOP_WORDS)
        asked = chance.sample(words, min(_ASKED_WORDS, len(words)))
        questions.append(f"What did {speaker} say about {' '.join(asked)}?")
    return questions


def _vocabulary() -> Sequence[str]:
    vocabulary: dict[str, int] = json.loads((DEFAULT_TABLE / "tokenizer.json").read_bytes())["model"]["vocab"]
    ordered = sorted(vocabulary, key=vocabulary.__getitem__)
    return [word for word in ordered if word.isascii() and word.isalpha() and len(word) > 1]
