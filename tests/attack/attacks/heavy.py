"""Requests that are allowed, and as dear as they can be."""

import asyncio
from collections import Counter
from typing import Any

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.outcome import ANSWERS, outcome

from memoryd.v1 import (
    context_service_pb2,
    conversation_service_pb2,
    document_service_pb2,
    entity_service_pb2,
    long_term_memory_service_pb2,
)
from memoryd.v1 import working_memory_service_pb2 as pb

_AGENT = "attacker-heavy"
_TIMEOUT_S = 120.0
_MEBIBYTE = 1 << 20


def _requests() -> list[Any]:
    """Return large requests of each service."""
    memories, conversations, context = long_term_memory_service_pb2, conversation_service_pb2, context_service_pb2
    texts = ("x" * _MEBIBYTE, "ab " * (_MEBIBYTE // 3), "\u200d\U0001f468" * (_MEBIBYTE // 8), "\u0e01\u0301" * 100_000)
    requests: list[Any] = []
    for number, text in enumerate(texts):
        draft = {"user_id": "u", "content": text, "memory_id": f"m{number}", "allow_duplicates": True}
        requests.append(memories.CreateMemoryRequest(agent_id=_AGENT, draft=draft))
        requests.append(context.CountTokensRequest(texts=[text] * 3))
        document = {"title": f"t{number}"}
        requests.append(document_service_pb2.CreateDocumentRequest(agent_id=_AGENT, draft=document, text=text * 3))
        message = {"role": 1, "content": text[: _MEBIBYTE // 16]}
        append = {"agent_id": _AGENT, "conversation_id": "c", "drafts": [message]}
        requests.append(conversations.AppendMessagesRequest(**append))
        value = f'"{text[: _MEBIBYTE // 4]}"'
        requests.append(pb.SetEntryRequest(agent_id=_AGENT, key=f"k{number}", value_json=value))
    keys = [f"b{number}" for number in range(1_000)]
    sets = [{"set": {"key": key, "value_json": f'"{"v" * 4_000}"'}} for key in keys]
    many = ",".join(f'"{number}":[{number},{{"a":null}}]' for number in range(30_000))
    requests += [
        pb.BatchWriteEntriesRequest(agent_id=_AGENT, operations=sets),
        pb.BatchGetEntriesRequest(agent_id=_AGENT, keys=keys),
        pb.ListEntriesRequest(agent_id=_AGENT, page_size=1_000),
        pb.SetEntryRequest(agent_id=_AGENT, key="json", value_json=f"{{{many}}}"),
        memories.RecallMemoriesRequest(agent_id=_AGENT, query="ab " * 1_300, limit=100, filter={"all_users": True}),
        memories.ListMemoriesRequest(agent_id=_AGENT, page_size=1_000, filter={"all_users": True}),
        entity_service_pb2.ExtractEntitiesRequest(
            agent_id=_AGENT, conversation_id="c", tool_name="tool", result_json=f"{{{many}}}"
        ),
        context.ComposeContextRequest(agent_id=_AGENT, conversation_id="c", query="ab " * 1_000, max_tokens=100_000),
        document_service_pb2.SearchDocumentsRequest(agent_id=_AGENT, query="ab " * 1_000, limit=100),
    ]
    return requests


async def _heavy(target: Target, times: int) -> Outcomes:
    """Make all calls, ``times`` at a time."""
    outcomes: Outcomes = Counter()
    waiting = _requests()
    async with channel_to(target.address) as channel:

        async def work() -> None:
            while waiting:
                request = waiting.pop(0)
                service = _SERVICES[request.DESCRIPTOR.file.name]
                path = f"/{service}/{request.DESCRIPTOR.name.removesuffix('Request')}"
                call = channel.unary_unary(path)(
                    request.SerializeToString(), timeout=_TIMEOUT_S, metadata=target.bearer
                )
                outcomes[await outcome(call)] += 1

        await asyncio.gather(*(work() for _ in range(times)))
    return outcomes


_SERVICES = {
    module.DESCRIPTOR.name: next(iter(module.DESCRIPTOR.services_by_name.values())).full_name
    for module in (
        context_service_pb2,
        conversation_service_pb2,
        document_service_pb2,
        entity_service_pb2,
        long_term_memory_service_pb2,
        pb,
    )
}

ATTACKS = (
    Attack(
        "heavy",
        "29 large requests that are allowed, {times} at a time",
        _heavy,
        8,
        2,
        ANSWERS,
        growth_max_mb=400,
        kept_max_mb=350,
    ),
)
