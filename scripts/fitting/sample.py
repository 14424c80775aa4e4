"""Samples: the features of the candidates of queries, with the candidates that answer them."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from scripts.fitting.asking import Asked, asked
from tests.benchmarks.recall.in_process import indexed_memories, new_index
from tests.conversation import Conversation, read_conversations

_SEED = 20
_SMALL_TURNS = 15
"""Maximum number of turns of a conversation that is asked together with others of its file as well."""

_TOGETHER = 3


class Sample(msgspec.Struct, frozen=True):
    """A query and its candidates, in the order of the first stage.

    ``answers`` is true for candidates that answer it, and ``evidence_count`` the number of all memories that do.
    """

    file: str
    conversation: str
    asked: Asked
    features: NDArray[np.float32]
    answers: NDArray[np.bool_]
    evidence_count: int


def samples_of(file: Path) -> Sequence[Sample]:
    """Return the samples of all queries about a file's conversations."""
    chance = random.Random(_SEED)
    conversations = read_conversations(file)
    whole = [*conversations, *_joined([each for each in conversations if len(each.turns) <= _SMALL_TURNS])]
    return [
        sample
        for conversation in whole
        for sample in _samples(
            file.stem, conversation, [other for other in conversations if other.name not in conversation.name], chance
        )
    ]


def _samples(
    file: str, conversation: Conversation, others: Sequence[Conversation], chance: random.Random
) -> Iterator[Sample]:
    memories = {indexed.memory.memory_id: indexed for indexed in indexed_memories(conversation)}
    index = new_index()
    index.put(memories.values())
    for each in asked(conversation, others, chance):
        index.remove(each.removed)
        memory_ids, features = index.candidates(each.query)
        index.put(memories[memory_id] for memory_id in sorted(each.removed))
        answers = np.array([memory_id in each.evidence for memory_id in memory_ids], np.bool_)
        yield Sample(file, conversation.name, each, features, answers, len(each.evidence))


def _joined(conversations: Sequence[Conversation]) -> Iterator[Conversation]:
    """Yield conversations that have the turns, and the answerable questions, of several."""
    for first in range(0, len(conversations), _TOGETHER):
        # Of those that are far from each other in the file, which are less alike.
        together = conversations[first // _TOGETHER :: -(-len(conversations) // _TOGETHER)]
        yield Conversation(
            "+".join(each.name for each in together),
            (),
            tuple(
                msgspec.structs.replace(turn, id=f"{each.name}/{turn.id}", session=1000 * number + turn.session)
                for number, each in enumerate(together)
                for turn in each.turns
            ),
            tuple(
                msgspec.structs.replace(question, evidence=tuple(f"{each.name}/{id_}" for id_ in question.evidence))
                for each in together
                for question in each.questions
                if question.evidence
            ),
        )
