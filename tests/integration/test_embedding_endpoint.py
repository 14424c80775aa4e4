"""A daemon whose embedding endpoint is slow or down, or changes to another model version."""

import signal
from collections.abc import Callable, Iterator

import pytest
from tests.daemon import Daemon
from tests.integration.embedding_endpoint import DIMENSIONS, EmbeddingEndpoint
from tests.integration.long_term_memory import LongTermMemories
from tests.integration.wire import Wire
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import long_term_memory_service_pb2 as pb

Connect = Callable[[Daemon], Wire]


@pytest.fixture
def endpoint() -> Iterator[EmbeddingEndpoint]:
    with EmbeddingEndpoint() as running:
        yield running


def flags_of(endpoint: EmbeddingEndpoint, version: str = "1") -> list[str]:
    flags = ["--embedder", "endpoint", "--embedding-url", endpoint.url, "--embedding-model", "concepts"]
    flags += ["--embedding-dimensions", str(DIMENSIONS), "--embedding-version", version]
    return [*flags, "--embedding-query-timeout", "1s", "--log-level", "debug"]  # time: it must expire


def backlog(memories: LongTermMemories) -> int:
    count: int = memories.agent.stats().stats.unembedded_memory_count
    return count


def by_meaning(memories: LongTermMemories, query: str) -> pb.RecallMemoriesResponse | None:
    """Recall memories; return None if the query was not embedded in time."""
    recalled = memories.recall(query)
    return recalled if recalled.semantic_used else None


@pytest.mark.whole
def test_words_find_at_once_and_meaning_when_the_endpoint_has_answered_whichever_it_is(
    launch_process: Callable[..., Daemon],
    endpoint: EmbeddingEndpoint,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMORYD_EMBEDDING_API_KEY", "kEySeCrEt")
    daemon = launch_process(*flags_of(endpoint))
    memories = LongTermMemories(connect(daemon).agent())
    memories.create_all("Ann has a dog", "Bob drives a car", "nothing that it knows")
    assert memories.found("dog") == ["Ann has a dog"]
    until(lambda: backlog(memories) == 0, "the vectors are there")
    answer = until(lambda: by_meaning(memories, "vehicle"), "the query is embedded in time")
    assert answer.memories[0].memory.content == "Bob drives a car"

    endpoint.is_up = False
    memories.create_all("Cid rents an automobile", "Dan dislikes rain")
    assert memories.found("rain")[0] == "Dan dislikes rain"
    assert not memories.recall("weather").semantic_used
    assert backlog(memories) == 2
    daemon.kill()
    daemon.start()
    memories = LongTermMemories(connect(daemon).agent(memories.agent.id))
    assert memories.found("rain")[0] == "Dan dislikes rain"
    assert backlog(memories) == 2
    endpoint.is_up = True
    until(lambda: backlog(memories) == 0, "the backlog is gone")
    until(lambda: by_meaning(memories, "vehicle"), "the query is embedded in time")
    assert set(memories.found("vehicle")) == {"Bob drives a car", "Cid rents an automobile"}
    assert set(memories.contents()) <= set(endpoint.texts)

    daemon.stop()
    daemon.flags = [*flags_of(endpoint, "2"), "--embedding-query-timeout", "120s", "--drain-timeout", "120s"]
    daemon.start()
    memories = LongTermMemories(connect(daemon).agent(memories.agent.id))
    assert memories.recall("vehicle").match_count == 0
    brought = memories.create("brought", embedding={"vector": [0, 1, 0], "model": "mine"})
    first = memories.reembed(limit=3)
    assert (first.embedded_count, first.remaining_count, first.model, first.version) == (3, 2, "concepts", "2")
    assert memories.reembed().remaining_count == 0
    assert set(memories.found("vehicle")) == {"Bob drives a car", "Cid rents an automobile"}
    assert memories.get(brought, include_embedding=True).embedding.model == "mine"
    assert memories.reembed(replace_client_embeddings=True).embedded_count == 1
    assert memories.get(brought, include_embedding=True).embedding.version == "2"

    endpoint.asked.clear()
    endpoint.gate.clear()
    request = pb.RecallMemoriesRequest(agent_id=memories.agent.id, query="canine", filter={"all_users": True})
    recalling = memories.stub.RecallMemories.future(request)
    assert endpoint.asked.wait(WAIT_S_MAX)
    daemon.signal(signal.SIGTERM)
    until(lambda: daemon.log.count("draining") == 2, "the daemon drains while the recall is under way")
    endpoint.gate.set()
    answer = recalling.result(WAIT_S_MAX)
    assert (answer.memories[0].memory.content, answer.semantic_used) == ("Ann has a dog", True)
    assert daemon.wait() == 0
    for secret in ("kEySeCrEt", "Ann has", "drives a", "brought", "vehicle"):
        assert secret not in daemon.log
