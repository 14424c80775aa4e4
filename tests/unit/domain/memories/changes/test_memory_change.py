import msgspec
import pytest
from tests.unit.domain.sample import IDENTITY, NOW, Agent, at, image, memory_access, memory_draft, reads
from tests.unit.record_filters import of_memories

from memoryd_server.domain.agent.event import EventFilter
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RESULT_BYTES
from memoryd_server.domain.error import InvalidField, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import RestoreAgent
from memoryd_server.domain.limit import DAY_NS, SECOND_NS
from memoryd_server.domain.memories.changes.embedding_change import EmbeddedContent, EmbeddingsKept, KeepEmbeddings
from memoryd_server.domain.memories.changes.memory_change import (
    MemoryChanged,
    MemoryPatch,
    ReinforceMemory,
    RestoreMemory,
    UpdateMemory,
)
from memoryd_server.domain.memories.changes.memory_creation import CreateMemoryOutcome, MemoryCreated
from memoryd_server.domain.memories.changes.memory_removal import (
    FinishPurges,
    ForgetMemories,
    ForgetMemory,
    ForgottenId,
    MemoriesForgotten,
    MemoryForgotten,
    MemoryPurged,
    PurgeMemory,
    PurgesFinished,
)
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Memory, MemoryStatus, MemoryType, Provenance
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES

VECTOR, OTHER_VECTOR = b"8 bytes.", b"8 bytes!"


def confidences(memory: Memory) -> list[float]:
    return [round(each.value, 9) for each in memory.confidences]


def test_an_update_changes_each_field_that_it_names_and_no_other() -> None:
    changes = {
        "content": "hen",
        "type": MemoryType.PROCEDURAL,
        "status": MemoryStatus.ARCHIVED,
        "provenance": Provenance("c", "d", "e", 2),
        "tags": ("t",),
        "aliases": ("a",),
        "metadata_json": "{}",
        "importance": 1.0,
        "occur_time": 3,
        "expire_time": NOW + DAY_NS,
    }
    for name, value in changes.items():
        agent = Agent()
        before = agent.create("fox", memory_id="m1")
        agent.now += SECOND_NS
        agent.take_events()
        updated = agent.update("m1", **{name: value})
        after = agent.memory("m1")
        assert updated == MemoryChanged(after, True, 2)
        assert getattr(after, name) == value
        fields = {name: value, "update_time": agent.now, "revision": 2, "size_bytes": after.size_bytes}
        assert after == msgspec.structs.replace(before, **fields, archive_time=after.archive_time)
        assert agent.events[0].subject.memory == after
        assert agent.take_memory_events() == [("MEMORY_UPDATED", "REQUEST", "m1")]
        assert [each.memory for each in agent.state.part(MEMORIES).versions["m1"]] == [before]


def test_an_update_may_take_an_end_away() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", expire_time=NOW + SECOND_NS)
    agent.update("m1", expire_time=None)
    agent.now += SECOND_NS
    assert agent.sweep().counts.get("memories", 0) == 0


def test_an_update_that_changes_nothing_makes_no_revision() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    before, memory = agent.state, agent.memory("m1")
    agent.now += SECOND_NS
    assert agent.update("m1", content="fox", status=MemoryStatus.ACTIVE) == MemoryChanged(memory, False, 1)
    assert agent.state is before


def test_a_new_content_drops_the_vector_of_the_old_one() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    agent.update("m1", tags=("t",))
    assert agent.state.part(MEMORIES).embeddings["m1"].vector == VECTOR
    agent.update("m1", content="hen")
    assert "m1" not in agent.state.part(MEMORIES).embeddings


def test_a_vector_may_come_with_a_new_content_or_alone() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    patch = MemoryPatch(content="hen")
    updated = agent.do(UpdateMemory("m1", patch, agent.policy, IDENTITY, OTHER_VECTOR))
    memory = agent.memory("m1")
    assert updated == MemoryChanged(memory, True, 2)
    assert agent.state.part(MEMORIES).embeddings["m1"].vector == OTHER_VECTOR
    other = EmbeddingIdentity("other", "2", 2)
    assert agent.do(UpdateMemory("m1", patch, agent.policy, other, VECTOR)) == MemoryChanged(memory, True, 2)
    assert agent.do(UpdateMemory("m1", patch, agent.policy, other, VECTOR)) == MemoryChanged(memory, False, 2)
    assert agent.state.part(MEMORIES).embeddings["m1"] == Embedding("m1", other, VECTOR)
    assert agent.decision.events == []


def test_a_memory_that_is_made_active_by_hand_restarts_its_decay() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.update("m1", status=MemoryStatus.ARCHIVED)
    assert agent.state.next_deadline is not None
    agent.now += 300 * DAY_NS
    agent.update("m1", status=MemoryStatus.ACTIVE)
    assert agent.memory("m1").last_access_time == agent.now
    assert agent.sweep().counts.get("memories_archived", 0) == 0


def test_the_copies_of_a_content_are_known() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("fox", "bob", memory_id="m2")
    agent.create("hen", memory_id="m3")
    assert set(agent.state.part(MEMORIES).copies_of("fox")) == {"m1", "m2"}
    agent.update("m3", content="fox")
    agent.update("m1", content="hen")
    assert set(agent.state.part(MEMORIES).copies_of("fox")) == {"m2", "m3"}
    agent.purge("m1")
    assert not list(agent.state.part(MEMORIES).copies_of("hen"))


def test_reinforcing_raises_and_returns_the_confidence() -> None:
    agent = Agent()
    first = agent.create("fox", memory_id="m1")
    agent.take_events()
    agent.now += SECOND_NS
    reinforced = agent.do(ReinforceMemory("m1", agent.policy))
    assert (reinforced.memory.confidence, reinforced.memory.reinforce_count, reinforced.changed) == (0.6, 1, True)
    again = agent.do(ReinforceMemory("m1", agent.policy, 0.25))
    memory = agent.memory("m1")
    assert again == MemoryChanged(memory, True, 3)
    assert confidences(memory) == [0.5, 0.6, 0.25]
    assert (memory.reinforce_time, memory.update_time, memory.revision) == (agent.now, NOW, 3)
    assert agent.events[-1].subject.memory == memory
    assert agent.take_memory_events() == [("MEMORY_REINFORCED", "REQUEST", "m1")] * 2
    assert agent.state.part(MEMORIES).version_count == 0
    assert first.archive_time is not None
    assert memory.archive_time is not None
    assert memory.archive_time > first.archive_time


def test_the_last_hundred_confidences_are_kept() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    for number in range(1, 101):
        agent.do(ReinforceMemory("m1", agent.policy, number / 1000))
    memory = agent.memory("m1")
    assert (len(memory.confidences), memory.confidences[0].value, memory.confidence) == (100, 0.001, 0.1)
    assert memory.reinforce_count == 100


@pytest.mark.parametrize(
    ("status", "after"),
    [
        (MemoryStatus.ARCHIVED, MemoryStatus.ACTIVE),
        (MemoryStatus.SUPERSEDED, MemoryStatus.SUPERSEDED),
    ],
)
def test_reinforcing_makes_what_was_archived_active_but_not_what_was_superseded(
    status: MemoryStatus, after: MemoryStatus
) -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.update("m1", status=status)
    assert agent.do(ReinforceMemory("m1", agent.policy)).memory == agent.memory("m1")
    assert agent.memory("m1").status is after


def test_a_memory_that_was_reinforced_very_often_is_stored() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    often = msgspec.structs.replace(agent.memory("m1"), reinforce_count=2**31)
    agent.do(RestoreAgent(image(often), "snapshot"))
    agent.do(ReinforceMemory("m1", agent.policy))
    assert agent.memory("m1").archive_time is None


def test_a_forgotten_memory_is_kept_for_a_while_and_can_be_restored() -> None:
    agent = Agent()
    before = agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    agent.take_events()
    agent.now += SECOND_NS
    end = agent.now + agent.policy.forgotten_ns
    forgotten = agent.forget("m1")
    assert forgotten == MemoryForgotten(agent.memory("m1"), True, 2)
    assert forgotten.memory is not None
    assert forgotten.memory.purge_time == end
    memories = agent.state.part(MEMORIES)
    assert memories.memories["m1"].is_forgotten
    assert (memories.forgotten_count, len(memories), list(memories.embeddings)) == (1, 1, ["m1"])
    assert [each.memory_id for each in memories.live(agent.now)] == ["m1"]
    assert agent.state.next_deadline is not None
    assert agent.events[-1].subject.memory is None
    assert agent.forget("m1") == MemoryForgotten(agent.memory("m1"), False, 2)
    agent.now = end - 1
    restoring = agent.restore("m1")
    restored = agent.memory("m1")
    assert restoring == MemoryChanged(restored, True, 3)
    assert agent.restore("m1") == MemoryChanged(restored, False, 3)
    assert restored == msgspec.structs.replace(
        before,
        revision=3,
        update_time=agent.now,
        last_access_time=agent.now,
        archive_time=restored.archive_time,
    )
    assert agent.state.part(MEMORIES).forgotten_count == 0
    assert agent.events[-1].subject.memory == restored
    assert agent.take_memory_events() == [("MEMORY_FORGOTTEN", "REQUEST", "m1"), ("MEMORY_RESTORED", "REQUEST", "m1")]


def test_a_forgotten_memory_goes_for_good_when_its_time_is_over() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    forgotten = agent.forget("m1").memory
    assert forgotten is not None
    end = forgotten.purge_time
    assert end is not None
    agent.now = end
    agent.take_events()
    with pytest.raises(RecordNotFound):
        agent.restore("m1")
    assert agent.forget("m1") == MemoryForgotten(None, False, 2)
    assert agent.purge("m1") == MemoryPurged(False, 2)
    assert agent.sweep().counts["memories"] == 1
    assert agent.take_memory_events() == [("MEMORY_PURGED", "EXPIRY", "m1")]
    assert agent.state.record_count == 0


def test_a_purged_memory_is_gone_with_all_that_belonged_to_it() -> None:
    agent = Agent()
    agent.create("hen", memory_id="m2")
    agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    agent.now += SECOND_NS
    agent.update("m1", importance=1.0)
    agent.link("m1", "m2")
    agent.link("m2", "m1")
    agent.take_events()
    assert agent.purge("m1") == MemoryPurged(True, 6)
    assert agent.take_memory_events() == [("MEMORY_PURGED", "REQUEST", "m1")]
    memories = agent.state.part(MEMORIES)
    assert (list(memories.memories), len(memories.embeddings), len(memories.links)) == (["m2"], 0, 0)
    assert (memories.version_count, memories.link_count, memories.record_count) == (0, 0, 2)
    assert agent.state.size_bytes == agent.memory("m2").size_bytes
    assert agent.purge("m1", blocks_reimport=True) == MemoryPurged(False, 6)
    assert not agent.state.part(MEMORIES).blocked


def test_many_memories_are_forgotten_as_one_change() -> None:
    agent = Agent()
    for memory_id in ("m1", "m2", "m3"):
        agent.create(f"fox {memory_id}", memory_id=memory_id)
    agent.forget("m2")
    agent.take_events()
    agent.now += SECOND_NS
    done = agent.do(ForgetMemories(("m1", "unknown", "m2", "m3"), agent.policy))
    end = agent.now + agent.policy.forgotten_ns
    assert done == MemoriesForgotten(
        (
            ForgottenId("m1", True, end),
            ForgottenId("unknown", False, None),
            ForgottenId("m2", False, end - SECOND_NS),
            ForgottenId("m3", True, end),
        ),
        5,
    )
    assert done.memory_bytes > RESULT_BYTES * 4
    assert agent.take_memory_events() == [(("MEMORY_FORGOTTEN"), "REQUEST", each) for each in ("m1", "m3")]
    before = agent.state
    assert not any(each.deleted for each in agent.do(ForgetMemories(("m1", "unknown"), agent.policy)).forgotten)
    assert agent.state is before


def test_memories_that_a_filter_selected_are_forgotten_unless_they_changed_meanwhile() -> None:
    agent = Agent()
    for memory_id in ("m1", "m2", "m3"):
        agent.create(f"fox {memory_id}", memory_id=memory_id, tags=("old",))
    agent.update("m1", tags=("new",))
    agent.forget("m2")
    chosen = of_memories(all_tags=frozenset({"old"}))
    done = agent.do(ForgetMemories(("m1", "m2", "gone", "m3"), agent.policy, chosen, remaining=7))
    assert [(each.memory_id, each.deleted) for each in done.forgotten] == [("m3", True)]
    assert (done.remaining, agent.memory("m1").is_forgotten) == (7, False)


def test_a_precondition_holds_for_a_memory_that_does_not_exist_too() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    for requested in (ForgetMemory("m2", agent.policy, at(7)), PurgeMemory("m2", precondition=at(7))):
        with pytest.raises(RevisionMismatch):
            agent.do(requested)
    must_exist, absent = Precondition(must_exist=True), Precondition(must_not_exist=True)
    for requested in (ForgetMemory("m2", agent.policy, must_exist), PurgeMemory("m2", precondition=must_exist)):
        with pytest.raises(RecordNotFound):
            agent.do(requested)
    for requested in (ForgetMemory("m1", agent.policy, absent), RestoreMemory("m1", agent.policy, absent)):
        with pytest.raises(RecordExists):
            agent.do(requested)
    assert agent.do(ForgetMemory("m2", agent.policy, absent)) == MemoryForgotten(None, False, 1)


def test_results_count_the_memories_that_they_return() -> None:
    agent = Agent()
    agent.create("fox " * 1_000, memory_id="m1")
    assert agent.update("m1", importance=1.0).memory_bytes > 4_000
    assert agent.forget("m1").memory_bytes > 4_000
    assert agent.forget("unknown").memory_bytes == RESULT_BYTES


def test_an_update_may_bring_the_vector_of_its_content() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    patch = MemoryPatch(content="hen")
    agent.do(UpdateMemory("m1", patch, agent.policy).with_vector(IDENTITY, VECTOR, is_given=True))
    assert agent.state.part(MEMORIES).embeddings["m1"] == Embedding("m1", IDENTITY, VECTOR, True)


def test_the_size_of_memories_has_all_that_belongs_to_them_and_ends_with_them() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", expire_time=NOW + DAY_NS, identity=IDENTITY, vector=VECTOR)
    agent.create("hen", memory_id="m2")
    agent.now += SECOND_NS
    agent.update("m1", content="a red fox")
    memories = agent.state.part(MEMORIES)
    (version,) = memories.versions["m1"]
    lasting = agent.memory("m2").size_bytes
    embeddings = sum(each.size_bytes for each in memories.embeddings.values())
    assert memories.size_bytes(agent.now) == lasting + agent.memory("m1").size_bytes + version.size_bytes + embeddings
    assert memories.size_bytes(NOW + DAY_NS) == lasting


def test_a_forgotten_memory_may_be_purged() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.forget("m1")
    agent.purge("m1")
    assert agent.state.part(MEMORIES).forgotten_count == 0


def test_a_purge_is_due_until_it_is_finished() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2")
    agent.purge("m1")
    agent.purge("m2", blocks_reimport=True)
    assert agent.state.next_deadline == 0
    assert list(agent.state.part(MEMORIES).unerased) != []
    assert agent.do(FinishPurges(("m1", "unknown"), agent.state.revision)) == PurgesFinished(4)
    assert (agent.state.next_deadline, list(agent.state.part(MEMORIES).purges)) == (0, ["m2"])
    agent.do(FinishPurges(("m2",), agent.state.revision))
    assert (agent.state.next_deadline, agent.state.revision) == (None, 4)
    assert agent.state.part(MEMORIES).purges["m2"].is_erased
    before = agent.state
    agent.do(FinishPurges(("m2",), agent.state.revision))
    assert agent.state is before


def test_what_was_purged_to_be_blocked_is_blocked_and_nothing_else() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2")
    agent.purge("m1", blocks_reimport=True)
    agent.purge("m2")
    before = agent.state
    drafted = memory_draft("fox", memory_id="m3", allow_duplicates=True, skip_contradictions=True)
    assert agent.create_all(drafted) == (MemoryCreated(CreateMemoryOutcome.BLOCKED, None),)
    assert agent.state is before
    agent.create("owl", memory_id="m4")
    with pytest.raises(InvalidField, match="purged with block_reimport"):
        agent.update("m4", content="fox")
    assert agent.create("hen").content == "hen"
    assert agent.create("foxes").content == "foxes"
    assert agent.create("fox", "bob").user_id == "bob"
    assert agent.create("fox", project_id="other").project_id == "other"


def test_purges_of_one_id_block_all_contents_until_they_are_forgotten() -> None:
    agent = Agent()
    for content, blocks_reimport in (("fox", True), ("hen", True), ("hen", False), ("owl", False)):
        if agent.create_all(memory_draft(content, memory_id="m1"))[0].outcome is CreateMemoryOutcome.CREATED:
            agent.purge("m1", blocks_reimport=blocks_reimport)
    agent.do(FinishPurges(("m1",), agent.state.revision))
    outcomes = [each.outcome.name for each in agent.create_all(*map(memory_draft, ("fox", "hen", "owl")))]
    assert outcomes == ["BLOCKED", "BLOCKED", "CREATED"]


def test_two_purges_of_one_content_are_known_apart() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("fox", memory_id="m2", allow_duplicates=True, skip_contradictions=True)
    agent.purge("m1", blocks_reimport=True)
    agent.purge("m2", blocks_reimport=True)
    agent.do(FinishPurges(("m2",), agent.state.revision))
    assert list(agent.state.part(MEMORIES).unerased) == ["m1"]


@pytest.mark.parametrize(
    "requested",
    [
        lambda memory_id, policy, expected: UpdateMemory(
            memory_id, MemoryPatch(tags=("t",)), policy, precondition=expected
        ),
        lambda memory_id, policy, expected: ReinforceMemory(memory_id, policy, None, expected),
        lambda memory_id, policy, expected: RestoreMemory(memory_id, policy, expected),
    ],
    ids=["update", "reinforce", "restore"],
)
def test_a_change_needs_a_memory_that_is_there_at_the_expected_revision(requested: object) -> None:
    assert callable(requested)
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2", expire_time=NOW + SECOND_NS)
    with pytest.raises(RecordNotFound) as unknown:
        agent.do(requested("unknown", agent.policy, None))
    assert unknown.value.metadata == {"agent_id": "a", "kind": "memory", "record_id": "unknown"}
    with pytest.raises(RevisionMismatch) as refused:
        agent.do(requested("m1", agent.policy, at(2)))
    assert refused.value.metadata == {"expected_revision": "2", "actual_revision": "1"}
    agent.do(requested("m1", agent.policy, at(1)))
    agent.now += SECOND_NS
    with pytest.raises(RecordNotFound):
        agent.do(requested("m2", agent.policy, None))


@pytest.mark.parametrize(
    "requested",
    [
        lambda policy: UpdateMemory("m1", MemoryPatch(tags=("t",)), policy),
        lambda policy: ReinforceMemory("m1", policy),
    ],
)
def test_a_forgotten_memory_is_neither_changed_nor_reinforced(requested: object) -> None:
    assert callable(requested)
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.forget("m1")
    with pytest.raises(RecordNotFound):
        agent.do(requested(agent.policy))


def test_vectors_that_come_later_are_kept_while_the_content_is_the_same() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2")
    revision = agent.state.revision
    embedded = tuple(
        EmbeddedContent(content, Embedding(memory_id, IDENTITY, VECTOR))
        for content, memory_id in (("fox", "m1"), ("stale", "m2"), ("hen", "unknown"))
    )
    assert agent.do(KeepEmbeddings(embedded)) == EmbeddingsKept(1, revision)
    assert list(agent.state.part(MEMORIES).embeddings) == ["m1"]
    assert (agent.state.revision, agent.decision.events) == (revision, [])
    before = agent.state
    assert agent.do(KeepEmbeddings(embedded[1:])) == EmbeddingsKept(0, revision)
    assert agent.state is before


def test_accesses_are_counted_without_a_revision() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.now += SECOND_NS
    accesses = (
        memory_access("m1", 2, agent.now),
        memory_access("m1", 1, NOW - 1),
        memory_access("unknown", 1, NOW),
    )
    agent.do(reads(*accesses))
    memory = agent.memory("m1")
    assert (memory.access_count, memory.last_access_time, memory.revision) == (3, agent.now, 1)
    assert (agent.state.revision, agent.state.update_time, agent.decision.events) == (1, NOW, [])


def test_events_of_memories_are_outside_of_scopes_and_keys() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", relates_to=())
    agent.create("hen", links=(MemoryLinkDraft("m1", LinkType.RELATED),))
    for event in agent.events:
        assert EventFilter().keeps("a", event)
        assert not EventFilter(key_prefix="f").keeps("a", event)
        assert not EventFilter(scope_ids=frozenset({""}), include_descendants=True).keeps("a", event)
    created, _, linked = agent.events
    assert (created.subject.record, created.subject.record_bytes) == (created.subject.memory, len("foxann"))
    assert (linked.subject.record, linked.subject.record_bytes) == (linked.subject.link, 0)
