"""The share of the evidence that answers a question which is in the context composed for it."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence

import msgspec
from tests.benchmarks.figure import percentile
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.recall.daemon import Daemon
from tests.conversation import Conversation, Question

from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1 import conversation_pb2, conversation_service_pb2
from memoryd.v1.context_service_pb2_grpc import ContextServiceStub
from memoryd.v1.conversation_pb2 import MESSAGE_ROLE_ASSISTANT, MESSAGE_ROLE_USER
from memoryd.v1.conversation_service_pb2_grpc import ConversationServiceStub

BUDGETS = (1_000, 4_000, 16_000)
MODEL = "gpt-5"
CONVERSATION_ID = "talk"
_MESSAGES_PER_CALL = 500
_RECALLED_MAX = 100

Compose = Callable[[int], Sequence[pb.ContextSection]]
"""Returns the sections of a context, for a budget in tokens."""


class Reached(msgspec.Struct, frozen=True):
    """The result of one way to compose within a budget, over all questions.

    ``share`` is the mean share of the evidence that was in the context, ``complete`` the share of the questions for
    which all of it was, and ``tokens`` the mean size. Times are of single calls.
    """

    name: str
    budget: int
    share: float
    complete: float
    tokens: float
    ms_p50: float
    ms_p95: float


def truncated(_: int) -> Sequence[pb.ContextSection]:
    """Return the last messages, as many as fit: the usual way without a memory."""
    return [pb.ContextSection(messages=pb.MessagesSource(), max_tokens=10_000_000)]


def composed(budget: int) -> Sequence[pb.ContextSection]:
    """Return recalled memories, up to three quarters of the budget, and the last messages in the rest."""
    return [
        pb.ContextSection(memories=pb.MemoriesSource(limit=_RECALLED_MAX), max_tokens=budget * 3 // 4, priority=1),
        pb.ContextSection(messages=pb.MessagesSource(), max_tokens=budget // 4),
    ]


WAYS: dict[str, Compose] = {"composed": composed, "last messages": truncated}


def store(process: DaemonProcess, conversation: Conversation) -> None:
    """Store each turn as a memory and as a message, for the agent of the conversation's name."""
    Daemon("memoryd", "", process).store(conversation)
    conversations = ConversationServiceStub(process.channel)
    drafts = [
        conversation_pb2.MessageDraft(
            role=MESSAGE_ROLE_USER if turn.speaker == conversation.speakers[0] else MESSAGE_ROLE_ASSISTANT,
            content=turn.content,
        )
        for turn in conversation.turns
    ]
    for start in range(0, len(drafts), _MESSAGES_PER_CALL):
        together = drafts[start : start + _MESSAGES_PER_CALL]
        request = conversation_service_pb2.AppendMessagesRequest(
            agent_id=conversation.name, conversation_id=CONVERSATION_ID, drafts=together
        )
        conversations.AppendMessages(request)


def reached(process: DaemonProcess, conversations: Sequence[Conversation], name: str, budget: int) -> Reached:
    """Compose a context for each question that has evidence, and return the result over all."""
    contexts = ContextServiceStub(process.channel)
    shares, tokens, times_ms = [], [], []
    for conversation in conversations:
        for question in conversation.questions:
            if not question.evidence:
                continue
            request = pb.ComposeContextRequest(
                agent_id=conversation.name,
                conversation_id=CONVERSATION_ID,
                max_tokens=budget,
                model=MODEL,
                query=question.question,
                sections=WAYS[name](budget),
                include_manifest=True,
                filter={"all_users": True},
            )
            began = time.perf_counter()
            context = contexts.ComposeContext(request)
            times_ms.append((time.perf_counter() - began) * 1000)
            shares.append(_share(question, _turn_ids(conversation, context.manifest)))
            tokens.append(context.token_count)
    return Reached(
        name,
        budget,
        statistics.fmean(shares),
        statistics.fmean(share == 1 for share in shares),
        statistics.fmean(tokens),
        percentile(times_ms, 50),
        percentile(times_ms, 95),
    )


def _share(question: Question, turn_ids: set[str]) -> float:
    return len(turn_ids.intersection(question.evidence)) / len(set(question.evidence))


def _turn_ids(conversation: Conversation, manifest: Iterable[pb.ContextManifestItem]) -> set[str]:
    """Return the ids of the turns that a context includes, as memories or as messages."""
    return {
        item.record.memory_id or conversation.turns[item.record.message.number - 1].id
        for item in manifest
        if item.outcome == pb.CONTEXT_OUTCOME_INCLUDED
    }
