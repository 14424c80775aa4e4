"""The tokens of recalled texts that hold the evidence of an answer, with memories of statements or without."""

import statistics
from collections.abc import Callable, Iterator, Sequence

import msgspec
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.recall.daemon import Daemon, Ingesting
from tests.conversation import Conversation, Question

from memoryd.v1.long_term_memory_service_pb2 import RecallMemoriesRequest
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub

BUDGETS = (50, 100, 200, 500, 1_000)
RECALLED_MAX = 100
TURNS, BOTH, STATED = "turns", "turns and statements", "statements"
WAYS = (TURNS, BOTH, STATED)


class Held(msgspec.Struct, frozen=True):
    """The mean share of the evidence that is in the first ``budget`` tokens of what is recalled, over all questions."""

    way: str
    budget: int
    share: float


def held(
    process: DaemonProcess, conversations: Sequence[Conversation], count: Callable[[str], int]
) -> tuple[Sequence[Held], int, int]:
    """Return the shares, and the numbers of questions in all and of those of which a statement is evidence.

    ``count`` returns the number of tokens of a text. The shares are of the questions of which a statement is evidence:
    for the others, statements can only be in the way, which ``scripts/bench recall`` shows by all questions.
    """
    ingesting = Ingesting("", "", process)
    memories = LongTermMemoryServiceStub(process.channel)
    shares: dict[tuple[str, int], list[float]] = {(way, budget): [] for way in WAYS for budget in BUDGETS}
    questions = stated = 0
    for conversation in conversations:
        _store(process, ingesting, conversation)
        turn_ids = {
            memory_id: turn for (name, memory_id), turn in ingesting.turn_ids.items() if name == conversation.name
        }
        for question in conversation.questions:
            if not question.evidence:
                continue
            questions += 1
            if not set(question.evidence) & set(turn_ids.values()):
                continue
            stated += 1
            for way in WAYS:
                found = list(_found(memories, conversation, question, way))
                for budget in BUDGETS:
                    shares[way, budget].append(_share(question, found, turn_ids, budget, count))
    return [Held(way, budget, statistics.fmean(each)) for (way, budget), each in shares.items()], questions, stated


def _store(process: DaemonProcess, ingesting: Ingesting, conversation: Conversation) -> None:
    ingesting.store(conversation)
    Daemon("", "", process).store(msgspec.structs.replace(conversation, name=f"{conversation.name} {TURNS}"))


def _found(
    memories: LongTermMemoryServiceStub, conversation: Conversation, question: Question, way: str
) -> Iterator[tuple[str, str]]:
    agent_id = f"{conversation.name} {TURNS}" if way == TURNS else conversation.name
    recalling = RecallMemoriesRequest(
        agent_id=agent_id, query=question.question, limit=RECALLED_MAX, filter={"all_users": True}
    )
    if way == STATED:
        recalling.filter.any_tags.extend(("preference", "fact", "event", "decision"))
    for each in memories.RecallMemories(recalling).memories:
        yield each.memory.memory_id, each.memory.content


def _share(
    question: Question,
    found: Sequence[tuple[str, str]],
    turn_ids: dict[str, str],
    budget: int,
    count: Callable[[str], int],
) -> float:
    reached: set[str] = set()
    for memory_id, content in found:
        budget -= count(content)
        if budget < 0:
            break
        reached.add(turn_ids.get(memory_id, memory_id))
    return len(reached & set(question.evidence)) / len(set(question.evidence))
