"""P-7: the latency of recall among many memories, with the query already embedded, and the cost of its index."""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

import msgspec
from google.protobuf.timestamp_pb2 import Timestamp
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.recall.fts5 import matching, table_of
from tests.benchmarks.synthetic_memory import USER, SyntheticMemory, synthetic_memories, synthetic_questions
from tests.benchmarks.timing import percentiles_ms, times_ms
from tests.wait import until

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub
from memoryd.v1.memory_pb2 import Embedding, Provenance
from memoryd_server.domain.memories import embedding, memory
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.memories.salience import SaliencePolicy
from memoryd_server.models.embedding.static import StaticEmbedder
from memoryd_server.ops.wiring.models import NewIndexes
from memoryd_server.ports.retrieval import IndexedMemory, Query

QUESTIONS = 300
TOGETHER = 20_000
"""Number of memories that are embedded and indexed at a time, for the sake of memory."""

LIMIT = 10
BATCH_MEMORIES = 1_000
SECOND_NS = 1_000_000_000

_AGENT = "agent"


class EmbeddedQuestion(msgspec.Struct, frozen=True):
    """A question and its vector."""

    text: str
    vector: bytes


class Served(msgspec.Struct, frozen=True):
    """Latencies of recall over gRPC: of the first one, which builds the index, and of later ones.

    ``loaded_s`` is that of the first one after another kill, which loads the saved index. ``cpu_ms`` is the daemon's
    processor time for one of the later ones.
    """

    first_s: float
    loaded_s: float
    recalls_ms: Sequence[float]
    cpu_ms: float


class Indexed(msgspec.Struct, frozen=True):
    """The cost of the index alone: processor time, and the memory that it estimates for itself."""

    put_s: float
    load_s: float
    searches_ms: Sequence[float]
    bytes_each: float


def recall_size(directory: Path) -> list[Figure]:
    """Measure recall in 10,000 and in 100,000 memories."""
    return [
        *_figures(directory / "small", 10_000, recall_ms_max=5, first_s_max=10, loaded_s_max=None),
        *_figures(directory / "large", 100_000, recall_ms_max=15, first_s_max=None, loaded_s_max=1),
    ]


def index_size(directory: Path) -> list[Figure]:
    """Measure the index alone, without a daemon, with up to a million memories."""
    limits = ((10_000, 2, None), (100_000, 5, 1), (1_000_000, 15, 5))
    return [figure for count, ms_max, load_s_max in limits for figure in _figures_alone(count, ms_max, load_s_max)]


def _figures_alone(count: int, ms: float, load_s: float | None) -> list[Figure]:
    memories = synthetic_memories(count)
    texts = synthetic_questions(memories, QUESTIONS)
    identity, vectors = asyncio.run(_embedded(texts))
    questions = [EmbeddedQuestion(text, vector) for text, vector in zip(texts, vectors, strict=True)]
    alone = _in_process(memories, questions, identity)
    detail = f"{percentiles_ms(alone.searches_ms)} of processor, the queries embedded"
    many, made = f"{count:,} memories", f"{alone.put_s:.1f} s of processor to index them, after embedding"
    return [
        Figure("P-7", f"Index alone, {many}, p95", percentile(alone.searches_ms, 95), "ms", below=ms, detail=detail),
        Figure("P-7", f"Index alone, {many}, each", alone.bytes_each, "bytes", below=1_200, detail=made),
        Figure(
            "P-7", f"Index alone, {many}, loaded", alone.load_s, "s", below=load_s, detail="of processor, from a file"
        ),
    ]


def _figures(
    directory: Path, count: int, *, recall_ms_max: float, first_s_max: float | None, loaded_s_max: float | None
) -> list[Figure]:
    directory.mkdir()
    memories = synthetic_memories(count)
    texts = synthetic_questions(memories, QUESTIONS)
    identity, vectors = asyncio.run(_embedded(texts))
    questions = [EmbeddedQuestion(text, vector) for text, vector in zip(texts, vectors, strict=True)]
    served = _in_daemon(directory, memories, questions, identity)
    alone = _in_process(memories, questions, identity)
    table = table_of([each.content for each in memories])
    fts5_ms = times_ms((partial(matching, table, text, LIMIT) for text in texts), time.process_time)
    many = f"{count:,} memories"
    p95_ms = percentile(served.recalls_ms, 95)
    over = (
        f"{percentiles_ms(served.recalls_ms)}, over gRPC; {served.cpu_ms:.1f} ms of the daemon's processor a call;"
        f" the index alone {percentiles_ms(alone.searches_ms)} of processor"
    )
    cold = (
        f"the first recall after SIGKILL and a start, with all that it loads; the index alone {alone.put_s:.1f} s of"
        f" processor and {alone.bytes_each:,.0f} bytes a memory"
    )
    loaded = (
        "the first recall after SIGKILL and a start, with all that it loads and the saved index; the index alone"
        f" {alone.load_s:.2f} s of processor"
    )
    words = f"{percentiles_ms(fts5_ms)} of processor; words alone, in process"
    return [
        Figure("P-7", f"Recall in {many}, p95", p95_ms, "ms", below=recall_ms_max, detail=over),
        Figure("P-7", f"Indexed from cold, {many}", served.first_s, "s", below=first_s_max, detail=cold),
        Figure("P-7", f"Loaded from cold, {many}", served.loaded_s, "s", below=loaded_s_max, detail=loaded),
        Figure("P-7", f"FTS5 in {many}, p95", percentile(fts5_ms, 95), "ms", detail=words),
    ]


async def _embedded(texts: Sequence[str]) -> tuple[EmbeddingIdentity, Sequence[bytes]]:
    embedder = StaticEmbedder()
    return embedder.identity, await embedder.embed(texts)


def _in_daemon(
    directory: Path,
    memories: Sequence[SyntheticMemory],
    questions: Sequence[EmbeddedQuestion],
    identity: EmbeddingIdentity,
) -> Served:
    """Measure recall through the public API, of memories that the daemon embeds itself."""
    with DaemonProcess(directory, "--durability", "journaled") as daemon:
        stub = LongTermMemoryServiceStub(daemon.channel)
        for start in range(0, len(memories), BATCH_MEMORIES):
            drafts = [_draft(each) for each in memories[start : start + BATCH_MEMORIES]]
            stub.BatchCreateMemories(pb.BatchCreateMemoriesRequest(agent_id=_AGENT, drafts=drafts))
        requests = [_request(each, identity) for each in questions]
        first_ms = _after_a_kill(daemon, requests[0])
        until(lambda: any(daemon.data_dir.rglob("*.index")), "the index is saved")
        loaded_ms = _after_a_kill(daemon, requests[0])
        stub = LongTermMemoryServiceStub(daemon.channel)
        daemon.settle()
        before_s = daemon.cpu_s()
        recalls_ms = times_ms(partial(stub.RecallMemories, each) for each in requests)
        return Served(first_ms / 1000, loaded_ms / 1000, recalls_ms, (daemon.cpu_s() - before_s) * 1000 / len(requests))


def _after_a_kill(daemon: DaemonProcess, request: pb.RecallMemoriesRequest) -> float:
    """Kill and start the daemon. Return the time of the first recall in ms."""
    daemon.settle()
    daemon.kill()
    daemon.start()
    stub = LongTermMemoryServiceStub(daemon.channel)
    (first_ms,) = times_ms([partial(stub.RecallMemories, request)])
    return first_ms


def _in_process(
    memories: Sequence[SyntheticMemory], questions: Sequence[EmbeddedQuestion], identity: EmbeddingIdentity
) -> Indexed:
    """Measure the index alone, without the daemon."""
    new_index = NewIndexes(StaticEmbedder()).of_memories(SaliencePolicy())
    index, put_ms, everything = new_index(), 0.0, list[IndexedMemory]()
    for first in range(0, len(memories), TOGETHER):
        some = memories[first : first + TOGETHER]
        _, vectors = asyncio.run(_embedded([each.content for each in some]))
        indexed = [_indexed(first + place, each, identity, vectors[place]) for place, each in enumerate(some)]
        put_ms += times_ms([partial(index.put, indexed)], time.process_time)[0]
        everything += indexed
    with TemporaryFile() as file:
        index.save(file)
        file.seek(0)
        (load_ms,) = times_ms([partial(new_index().load, file, everything)], time.process_time)
    everything.clear()
    now = time.time_ns()
    queries = [Query(each.text, now, LIMIT, each.vector, identity) for each in questions]
    index.search(queries[0])  # loads the table of words
    searches_ms = times_ms((partial(index.search, query) for query in queries), time.process_time)
    return Indexed(put_ms / 1000, load_ms / 1000, searches_ms, index.size_bytes / len(memories))


def _draft(synthetic: SyntheticMemory) -> pb.MemoryDraft:
    return pb.MemoryDraft(
        memory_id=synthetic.memory_id,
        content=synthetic.content,
        user_id=USER,
        provenance=Provenance(conversation_id=synthetic.conversation_id, position=synthetic.position),
        occur_time=Timestamp(seconds=synthetic.occur_s),
        allow_duplicates=True,
        skip_contradictions=True,
    )


def _request(question: EmbeddedQuestion, identity: EmbeddingIdentity) -> pb.RecallMemoriesRequest:
    vector = memoryview(question.vector).cast("f")
    given = Embedding(vector=vector, model=identity.model, version=identity.version)
    return pb.RecallMemoriesRequest(
        agent_id=_AGENT, query=question.text, limit=LIMIT, embedding=given, filter={"all_users": True}
    )


def _indexed(number: int, synthetic: SyntheticMemory, identity: EmbeddingIdentity, vector: bytes) -> IndexedMemory:
    draft = memory.MemoryDraft(
        synthetic.content,
        USER,
        memory.MemoryType.EPISODIC,
        provenance=memory.Provenance(synthetic.conversation_id, position=synthetic.position),
        occur_time=synthetic.occur_s * SECOND_NS,
    )
    kept = memory.memory_of(draft, synthetic.memory_id, number, number, synthetic.occur_s * SECOND_NS)
    return IndexedMemory(kept, embedding.Embedding(synthetic.memory_id, identity, vector))
