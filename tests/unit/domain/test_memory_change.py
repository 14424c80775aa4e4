import msgspec
import pytest
from tests.unit.domain.sample import IDENTITY, NOW, Agent, at, memory_draft

from memoryd_server.domain import command
from memoryd_server.domain.command import MemoryPatch
from memoryd_server.domain.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.error import LimitExceeded, MemoryExists, MemoryNotFound, RevisionMismatch
from memoryd_server.domain.event import EventFilter
from memoryd_server.domain.limit import DAY_NS, SECOND_NS, Limits
from memoryd_server.domain.memory import Confidence, LongTermMemoryType, Memory, MemoryStatus, Provenance
from memoryd_server.domain.memory_link import DraftLink, LinkType
from memoryd_server.domain.result import (
    CreationOutcome,
    EmbeddingsKept,
    MemoryChanged,
    MemoryCreated,
    MemoryPurged,
    MemoryReinforced,
    PurgesFinished,
)

SEMANTIC = LongTermMemoryType.SEMANTIC
VECTOR, OTHER_VECTOR = b"8 bytes.", b"8 bytes!"


def told(agent: Agent) -> list[tuple[str, str, str]]:
    """Type, cause and memory of the events so far; they are forgotten then."""
    taken, agent.events = agent.events, []
    return [(event.type.name, event.cause.name, event.memory_id) for event in taken]


def update(agent: Agent, memory_id: str, **fields: object) -> MemoryChanged:
    return agent.do(command.UpdateMemory(memory_id, MemoryPatch(**fields), agent.policy))  # type: ignore[arg-type]


def forget(agent: Agent, memory_id: str, *, restores: bool = False) -> MemoryChanged:
    return agent.do(command.ForgetMemory(memory_id, agent.policy, restores))


def purge(agent: Agent, memory_id: str, *, keeps_out: bool = False) -> MemoryPurged:
    return agent.do(command.PurgeMemory(memory_id, keeps_out))


def confidences(memory: Memory) -> list[float]:
    return [round(each.value, 9) for each in memory.confidences]


def test_a_memory_is_created_with_all_that_its_writer_gave() -> None:
    agent = Agent()
    provenance = Provenance("conversation", "document", "told", 7)
    memory = agent.create(
        "The fox is röd",
        "ann",
        memory_id="m1",
        project_id="den",
        provenance=provenance,
        tags=("t1", "t2"),
        metadata_json='{"a":1}',
        importance=0.75,
        occur_time=5,
        expire_time=NOW + DAY_NS,
        identity=IDENTITY,
        vector=VECTOR,
    )
    size_bytes = len("The fox is röd".encode()) + len("annden" + "conversationdocumenttold" + "t1t2" + '{"a":1}')
    assert memory == Memory(
        "m1",
        0,
        SEMANTIC,
        "The fox is röd",
        "ann",
        "den",
        provenance,
        ("t1", "t2"),
        '{"a":1}',
        0.75,
        NOW,
        NOW,
        5,
        1,
        size_bytes,
        (Confidence(NOW, 0.5),),
        last_access_time=NOW,
        expire_time=NOW + DAY_NS,
        archive_time=memory.archive_time,
    )
    assert (memory.status, memory.confidence, memory.is_forgotten) == (MemoryStatus.ACTIVE, 0.5, False)
    assert agent.state.memories.embeddings["m1"] == Embedding("m1", IDENTITY, VECTOR)
    assert agent.state.size_bytes == size_bytes + len(VECTOR)
    assert agent.events[0].memory == memory
    assert told(agent) == [("MEMORY_CREATED", "REQUEST", "m1")]
    assert agent.do(command.ExpireRecords(agent.policy)).revision == 1


def test_what_happened_happened_now_unless_its_writer_says_otherwise() -> None:
    assert Agent().create().occur_time == NOW


def test_many_memories_are_created_as_one_change_in_their_order() -> None:
    agent = Agent()
    created = agent.create_all(memory_draft("fox"), memory_draft("hen", memory_id="own"), memory_draft("owl"))
    assert created == (
        MemoryCreated(CreationOutcome.CREATED, "id1000", SEMANTIC),
        MemoryCreated(CreationOutcome.CREATED, "own", SEMANTIC),
        MemoryCreated(CreationOutcome.CREATED, "id1002", SEMANTIC),
    )
    assert [agent.memory(each.memory_id).sequence for each in created] == [0, 1, 2]
    assert {each.revision for each in agent.state.memories.memories.values()} == {agent.state.revision} == {1}


def test_an_id_that_is_taken_is_refused_with_all_drafts_of_the_command() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    before = agent.state
    with pytest.raises(MemoryExists) as refused:
        agent.create_all(memory_draft("hen"), memory_draft("owl", memory_id="m1"))
    assert refused.value.metadata == {"memory_id": "m1"}
    assert agent.state is before
    forget(agent, "m1")
    with pytest.raises(MemoryExists):
        agent.create("owl", memory_id="m1")
    with pytest.raises(MemoryExists):
        agent.create_all(memory_draft("hen", memory_id="m2"), memory_draft("owl", memory_id="m2"))


def test_an_id_whose_memory_is_over_or_purged_is_free() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", expire_time=NOW + SECOND_NS)
    agent.create("hen", memory_id="m2")
    purge(agent, "m2")
    agent.now += SECOND_NS
    agent.take_events()
    agent.create_all(memory_draft("owl", memory_id="m1"), memory_draft("cat", memory_id="m2"))
    assert told(agent) == [
        ("MEMORY_PURGED", "EXPIRY", "m1"),
        ("MEMORY_CREATED", "REQUEST", "m1"),
        ("MEMORY_CREATED", "REQUEST", "m2"),
    ]
    assert agent.memory("m1").sequence == 2


def test_creating_needs_the_agent_at_the_expected_revision() -> None:
    agent = Agent()
    drafts = (memory_draft("fox"),)
    with pytest.raises(RevisionMismatch):
        agent.do(command.CreateMemories(drafts, "id", agent.policy, at(1)))
    agent.do(command.CreateMemories(drafts, "id", agent.policy, at(0)))


def test_an_agent_has_a_limited_number_of_memories_not_counting_those_that_are_over() -> None:
    agent = Agent(Limits(memories_per_agent=2))
    agent.create("fox", expire_time=NOW + SECOND_NS)
    agent.create("hen")
    with pytest.raises(LimitExceeded) as refused:
        agent.create("owl")
    assert refused.value.metadata == {"limit": "memories_per_agent", "value": "2"}
    assert agent.create("hen").reinforce_count == 1
    agent.now += SECOND_NS
    agent.create("owl")
    assert {each.content for each in agent.state.memories.live(agent.now)} == {"hen", "owl"}
    with pytest.raises(LimitExceeded):
        agent.create("cat")


def test_what_has_faded_makes_no_room() -> None:
    agent = Agent(Limits(memories_per_agent=1))
    faded = agent.create("fox")
    assert faded.archive_time is not None
    agent.now = faded.archive_time
    with pytest.raises(LimitExceeded):
        agent.create("hen")


@pytest.mark.parametrize("fields", [{"content": "more"}, {"identity": IDENTITY, "vector": VECTOR}, {"tags": ("a",)}])
def test_memories_take_storage_up_to_the_limit(fields: dict[str, object]) -> None:
    agent = Agent(Limits(storage_bytes_per_agent=len("foxann")))
    agent.create("fox", memory_id="m1")
    with pytest.raises(LimitExceeded) as refused:
        agent.create(**{"content": "1", "user_id": "b", **fields})  # type: ignore[arg-type]
    assert refused.value.metadata["limit"] == "storage_bytes_per_agent"
    identity, vector = fields.pop("identity", None), fields.pop("vector", b"")
    with pytest.raises(LimitExceeded):
        agent.do(command.UpdateMemory("m1", MemoryPatch(**fields), agent.policy, identity, vector))  # type: ignore[arg-type]
    update(agent, "m1", content="f")


@pytest.mark.parametrize(
    "known",
    [
        memory_draft("fox"),
        memory_draft("fox", importance=0.1, tags=("t",), expire_time=NOW + 2 * DAY_NS),
    ],
)
def test_a_memory_that_tells_the_same_is_reinforced_instead(known: object) -> None:
    agent = Agent()
    agent.create_all(msgspec.structs.replace(known, memory_id="m1"))
    agent.take_events()
    agent.now += SECOND_NS
    (created,) = agent.create_all(memory_draft("fox", memory_id="m2", expire_time=NOW + DAY_NS))
    assert created == MemoryCreated(CreationOutcome.REINFORCED, "m1", SEMANTIC)
    memory = agent.memory("m1")
    assert (memory.reinforce_count, memory.reinforce_time, memory.revision) == (1, agent.now, 2)
    assert confidences(memory) == [0.5, 0.6]
    assert agent.events[-1].memory == memory
    assert told(agent) == [("MEMORY_REINFORCED", "DUPLICATE", "m1")]


def test_two_drafts_of_one_command_that_tell_the_same_make_one_memory() -> None:
    agent = Agent()
    first, second = agent.create_all(memory_draft("fox"), memory_draft("fox"))
    assert (first.outcome, second.outcome) == (CreationOutcome.CREATED, CreationOutcome.REINFORCED)
    assert first.memory_id == second.memory_id
    assert agent.memory(first.memory_id).reinforce_count == 1


def test_the_duplicate_that_was_found_before_is_reinforced() -> None:
    agent = Agent()
    agent.create("The fox is red", memory_id="m1")
    (created,) = agent.create_all(memory_draft("The red fox", duplicate_of="m1"))
    assert (created.outcome, created.memory_id) == (CreationOutcome.REINFORCED, "m1")


@pytest.mark.parametrize("content", ["The fox is red", "The red fox"])
@pytest.mark.parametrize(
    ("user_id", "fields", "do"),
    [
        ("bob", {}, None),
        ("ann", {"project_id": "other"}, None),
        ("ann", {"looks_for_kin": False}, None),
        ("ann", {}, lambda agent: forget(agent, "m1")),
        ("ann", {}, lambda agent: update(agent, "m1", status=MemoryStatus.SUPERSEDED)),
        ("ann", {}, lambda agent: update(agent, "m1", expire_time=agent.now + SECOND_NS)),
        ("ann", {"expire_time": NOW + 2}, lambda agent: update(agent, "m1", expire_time=agent.now + 1)),
    ],
    ids=["user", "project", "unasked", "forgotten", "superseded", "ends", "ends before"],
)
def test_a_memory_that_another_must_not_touch_is_not_reinforced(
    content: str, user_id: str, fields: dict[str, object], do: object
) -> None:
    agent = Agent()
    agent.create("The fox is red", memory_id="m1")
    if callable(do):
        do(agent)
    known = agent.memory("m1")
    (created,) = agent.create_all(memory_draft(content, user_id, duplicate_of="m1", **fields))
    assert created.outcome is CreationOutcome.CREATED
    assert agent.memory("m1") == known


@pytest.mark.parametrize("duplicate_of", ["m1", "unknown"])
def test_a_duplicate_that_is_over_or_gone_is_none(duplicate_of: str) -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", expire_time=NOW + SECOND_NS)
    agent.now += SECOND_NS
    (created,) = agent.create_all(memory_draft("fox", duplicate_of=duplicate_of))
    assert created.outcome is CreationOutcome.CREATED


def test_an_archived_memory_that_is_told_again_is_active_again() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.now += SECOND_NS
    update(agent, "m1", status=MemoryStatus.ARCHIVED)
    agent.now += SECOND_NS
    agent.take_events()
    assert agent.create("fox").status is MemoryStatus.ACTIVE
    assert told(agent) == [("MEMORY_REINFORCED", "DUPLICATE", "m1")]
    was = agent.state.memories.was("m1", agent.now - 1, agent.now)
    assert was is not None
    assert was.status is MemoryStatus.ARCHIVED


def test_a_new_memory_is_linked_with_its_kin_of_the_same_owner_that_is_there() -> None:
    agent = Agent()
    for memory_id in ("m1", "m2", "m3", "m4"):
        agent.create(f"fox {memory_id}", memory_id=memory_id)
    agent.create("fox", "bob", memory_id="other")
    forget(agent, "m3")
    update(agent, "m4", status=MemoryStatus.SUPERSEDED)
    agent.take_events()
    kin = tuple((each, 0.25) for each in ("m2", "unknown", "other", "m3", "m4"))
    drafted = memory_draft("fox", memory_id="new", contradicts=(("m1", 0.75), *kin[1:]), relates_to=kin)
    assert agent.create_all(drafted) == (MemoryCreated(CreationOutcome.CREATED, "new", SEMANTIC, ("m1",), ("m2",)),)
    assert {(link.to_id, link.type, link.strength) for link in agent.state.memories.links_of("new")} == {
        ("m1", LinkType.CONTRADICTS, 0.75),
        ("m2", LinkType.RELATED, 0.25),
    }
    assert told(agent) == [
        ("MEMORY_CREATED", "REQUEST", "new"),
        ("MEMORIES_LINKED", "CONTRADICTION", "new"),
        ("MEMORIES_LINKED", "SIMILARITY", "new"),
    ]


def test_a_new_memory_is_linked_as_its_writer_says_and_may_supersede() -> None:
    agent = Agent()
    created = agent.create_all(
        memory_draft("fox", memory_id="m1"),
        memory_draft("hen", memory_id="m2", links=(DraftLink("m1", LinkType.SUPERSEDES, 0.75),)),
    )
    assert [each.outcome for each in created] == [CreationOutcome.CREATED] * 2
    assert agent.memory("m1").status is MemoryStatus.SUPERSEDED
    with pytest.raises(MemoryNotFound):
        agent.create("owl", links=(DraftLink("unknown", LinkType.RELATED),))


def test_an_update_changes_each_field_that_it_names_and_no_other() -> None:
    changes = {
        "content": "hen",
        "type": LongTermMemoryType.PROCEDURAL,
        "status": MemoryStatus.ARCHIVED,
        "provenance": Provenance("c", "d", "e", 2),
        "tags": ("t",),
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
        assert update(agent, "m1", **{name: value}) == MemoryChanged(True, 2)
        after = agent.memory("m1")
        assert getattr(after, name) == value
        fields = {name: value, "update_time": agent.now, "revision": 2, "size_bytes": after.size_bytes}
        assert after == msgspec.structs.replace(before, **fields, archive_time=after.archive_time)
        assert agent.events[0].memory == after
        assert told(agent) == [("MEMORY_UPDATED", "REQUEST", "m1")]
        assert [each.memory for each in agent.state.memories.versions["m1"]] == [before]


def test_an_update_may_take_an_end_away() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", expire_time=NOW + SECOND_NS)
    update(agent, "m1", expire_time=None)
    agent.now += SECOND_NS
    assert agent.sweep().memories_ended == 0


def test_an_update_that_changes_nothing_makes_no_revision() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    before = agent.state
    agent.now += SECOND_NS
    assert update(agent, "m1", content="fox", status=MemoryStatus.ACTIVE) == MemoryChanged(False, 1)
    assert agent.state is before


def test_a_new_content_drops_the_vector_of_the_old_one() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    update(agent, "m1", tags=("t",))
    assert agent.state.memories.embeddings["m1"].vector == VECTOR
    update(agent, "m1", content="hen")
    assert "m1" not in agent.state.memories.embeddings


def test_a_vector_may_come_with_a_new_content_or_alone() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    patch = MemoryPatch(content="hen")
    assert agent.do(command.UpdateMemory("m1", patch, agent.policy, IDENTITY, OTHER_VECTOR)) == MemoryChanged(True, 2)
    assert agent.state.memories.embeddings["m1"].vector == OTHER_VECTOR
    other = EmbeddingIdentity("other", "2", 2)
    assert agent.do(command.UpdateMemory("m1", patch, agent.policy, other, VECTOR)) == MemoryChanged(False, 2)
    assert agent.state.memories.embeddings["m1"] == Embedding("m1", other, VECTOR)
    assert agent.decision.events == []


def test_a_memory_that_is_made_active_by_hand_begins_to_fade_anew() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    update(agent, "m1", status=MemoryStatus.ARCHIVED)
    assert agent.state.next_deadline is not None
    agent.now += 300 * DAY_NS
    update(agent, "m1", status=MemoryStatus.ACTIVE)
    assert agent.memory("m1").last_access_time == agent.now
    assert agent.sweep().memories_archived == 0


def test_the_copies_of_a_content_are_known() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("fox", "bob", memory_id="m2")
    agent.create("hen", memory_id="m3")
    assert set(agent.state.memories.copies_of("fox")) == {"m1", "m2"}
    update(agent, "m3", content="fox")
    update(agent, "m1", content="hen")
    assert set(agent.state.memories.copies_of("fox")) == {"m2", "m3"}
    purge(agent, "m1")
    assert not list(agent.state.memories.copies_of("hen"))


def test_reinforcing_makes_a_memory_surer_and_tells_how_sure() -> None:
    agent = Agent()
    first = agent.create("fox", memory_id="m1")
    agent.take_events()
    agent.now += SECOND_NS
    assert agent.do(command.ReinforceMemory("m1", agent.policy)) == MemoryReinforced(0.6, 1, 2)
    assert agent.do(command.ReinforceMemory("m1", agent.policy, 0.25)) == MemoryReinforced(0.25, 2, 3)
    memory = agent.memory("m1")
    assert confidences(memory) == [0.5, 0.6, 0.25]
    assert (memory.reinforce_time, memory.update_time, memory.revision) == (agent.now, NOW, 3)
    assert agent.events[-1].memory == memory
    assert told(agent) == [("MEMORY_REINFORCED", "REQUEST", "m1")] * 2
    assert agent.state.memories.version_count == 0
    assert first.archive_time is not None
    assert memory.archive_time is not None
    assert memory.archive_time > first.archive_time


def test_the_last_hundred_confidences_are_kept() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    for number in range(1, 101):
        agent.do(command.ReinforceMemory("m1", agent.policy, number / 1000))
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
    update(agent, "m1", status=status)
    agent.do(command.ReinforceMemory("m1", agent.policy))
    assert agent.memory("m1").status is after


def test_a_memory_that_was_told_very_often_is_stored() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    often = msgspec.structs.replace(agent.memory("m1"), reinforce_count=2**31)
    agent.do(command.RestoreAgent(command.AgentImage(memories=(often,)), "snapshot"))
    agent.do(command.ReinforceMemory("m1", agent.policy))
    assert agent.memory("m1").archive_time is None


def test_a_forgotten_memory_is_kept_for_a_while_and_can_be_restored() -> None:
    agent = Agent()
    before = agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    agent.take_events()
    agent.now += SECOND_NS
    end = agent.now + agent.policy.forgotten_ns
    assert forget(agent, "m1") == MemoryChanged(True, 2, end)
    memories = agent.state.memories
    assert memories.memories["m1"].is_forgotten
    assert (memories.forgotten_count, len(memories), list(memories.embeddings)) == (1, 1, ["m1"])
    assert [each.memory_id for each in memories.live(agent.now)] == ["m1"]
    assert agent.state.next_deadline is not None
    assert agent.events[-1].memory is None
    assert forget(agent, "m1") == MemoryChanged(False, 2, end)
    agent.now = end - 1
    assert forget(agent, "m1", restores=True) == MemoryChanged(True, 3)
    assert forget(agent, "m1", restores=True) == MemoryChanged(False, 3)
    restored = agent.memory("m1")
    assert restored == msgspec.structs.replace(
        before,
        revision=3,
        update_time=agent.now,
        last_access_time=agent.now,
        archive_time=restored.archive_time,
    )
    assert agent.state.memories.forgotten_count == 0
    assert agent.events[-1].memory == restored
    assert told(agent) == [("MEMORY_FORGOTTEN", "REQUEST", "m1"), ("MEMORY_RESTORED", "REQUEST", "m1")]


def test_a_forgotten_memory_goes_for_good_when_its_time_is_over() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    end = forget(agent, "m1").purge_time
    assert end is not None
    agent.now = end
    agent.take_events()
    for requested in (
        command.ForgetMemory("m1", agent.policy, restores=True),
        command.PurgeMemory("m1"),
    ):
        with pytest.raises(MemoryNotFound):
            agent.do(requested)
    assert agent.sweep().memories_ended == 1
    assert told(agent) == [("MEMORY_PURGED", "EXPIRY", "m1")]
    assert agent.state.record_count == 0


def test_a_purged_memory_is_gone_with_all_that_belonged_to_it() -> None:
    agent = Agent()
    agent.create("hen", memory_id="m2")
    agent.create("fox", memory_id="m1", identity=IDENTITY, vector=VECTOR)
    agent.now += SECOND_NS
    update(agent, "m1", importance=1.0)
    agent.link("m1", "m2")
    agent.link("m2", "m1")
    agent.take_events()
    assert purge(agent, "m1") == MemoryPurged(6)
    assert told(agent) == [("MEMORY_PURGED", "REQUEST", "m1")]
    memories = agent.state.memories
    assert (list(memories.memories), len(memories.embeddings), len(memories.links)) == (["m2"], 0, 0)
    assert (memories.version_count, memories.link_count, memories.record_count) == (0, 0, 2)
    assert agent.state.size_bytes == agent.memory("m2").size_bytes
    with pytest.raises(MemoryNotFound):
        purge(agent, "m1")


def test_a_forgotten_memory_may_be_purged() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    forget(agent, "m1")
    purge(agent, "m1")
    assert agent.state.memories.forgotten_count == 0


def test_a_purge_is_due_until_it_is_finished() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2")
    purge(agent, "m1")
    purge(agent, "m2", keeps_out=True)
    assert agent.state.next_deadline == 0
    assert list(agent.state.memories.unerased) != []
    assert agent.do(command.FinishPurges(("m1", "unknown"))) == PurgesFinished(4)
    assert (agent.state.next_deadline, list(agent.state.memories.purges)) == (0, ["m2"])
    agent.do(command.FinishPurges(("m2",)))
    assert (agent.state.next_deadline, agent.state.revision) == (None, 4)
    assert agent.state.memories.purges["m2"].is_erased
    before = agent.state
    agent.do(command.FinishPurges(("m2",)))
    assert agent.state is before


def test_what_was_purged_to_stay_out_is_kept_out_and_nothing_else() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2")
    purge(agent, "m1", keeps_out=True)
    purge(agent, "m2")
    before = agent.state
    drafted = memory_draft("fox", memory_id="m3", looks_for_kin=False)
    assert agent.create_all(drafted) == (MemoryCreated(CreationOutcome.KEPT_OUT, "", SEMANTIC),)
    assert agent.state is before
    assert agent.create("hen").content == "hen"
    assert agent.create("foxes").content == "foxes"
    assert agent.create("fox", "bob").user_id == "bob"
    assert agent.create("fox", project_id="other").project_id == "other"


def test_purges_of_one_id_keep_all_contents_out_until_they_are_forgotten() -> None:
    agent = Agent()
    for content, keeps_out in (("fox", True), ("hen", True), ("hen", False), ("owl", False)):
        if agent.create_all(memory_draft(content, memory_id="m1"))[0].outcome is CreationOutcome.CREATED:
            purge(agent, "m1", keeps_out=keeps_out)
    agent.do(command.FinishPurges(("m1",)))
    outcomes = [each.outcome.name for each in agent.create_all(*map(memory_draft, ("fox", "hen", "owl")))]
    assert outcomes == ["KEPT_OUT", "KEPT_OUT", "CREATED"]


def test_two_purges_of_one_content_are_known_apart() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("fox", memory_id="m2", looks_for_kin=False)
    purge(agent, "m1", keeps_out=True)
    purge(agent, "m2", keeps_out=True)
    agent.do(command.FinishPurges(("m2",)))
    assert list(agent.state.memories.unerased) == ["m1"]


@pytest.mark.parametrize(
    "requested",
    [
        lambda memory_id, policy, expected: command.UpdateMemory(
            memory_id, MemoryPatch(tags=("t",)), policy, precondition=expected
        ),
        lambda memory_id, policy, expected: command.ReinforceMemory(memory_id, policy, None, expected),
        lambda memory_id, policy, expected: command.ForgetMemory(memory_id, policy, False, expected),
        lambda memory_id, policy, expected: command.PurgeMemory(memory_id, False, expected),
    ],
    ids=["update", "reinforce", "forget", "purge"],
)
def test_a_change_needs_a_memory_that_is_there_at_the_expected_revision(requested: object) -> None:
    assert callable(requested)
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2", expire_time=NOW + SECOND_NS)
    with pytest.raises(MemoryNotFound) as unknown:
        agent.do(requested("unknown", agent.policy, None))
    assert unknown.value.metadata == {"agent_id": "a", "memory_id": "unknown"}
    with pytest.raises(RevisionMismatch) as refused:
        agent.do(requested("m1", agent.policy, at(2)))
    assert refused.value.metadata == {"expected_revision": "2", "actual_revision": "1"}
    agent.do(requested("m1", agent.policy, at(1)))
    agent.now += SECOND_NS
    with pytest.raises(MemoryNotFound):
        agent.do(requested("m2", agent.policy, None))


@pytest.mark.parametrize(
    "requested",
    [
        lambda policy: command.UpdateMemory("m1", MemoryPatch(tags=("t",)), policy),
        lambda policy: command.ReinforceMemory("m1", policy),
    ],
)
def test_a_forgotten_memory_is_neither_changed_nor_reinforced(requested: object) -> None:
    assert callable(requested)
    agent = Agent()
    agent.create("fox", memory_id="m1")
    forget(agent, "m1")
    with pytest.raises(MemoryNotFound):
        agent.do(requested(agent.policy))


def test_vectors_that_come_later_are_kept_while_the_content_is_the_same() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.create("hen", memory_id="m2")
    revision = agent.state.revision
    embedded = tuple(
        command.EmbeddedContent(content, Embedding(memory_id, IDENTITY, VECTOR))
        for content, memory_id in (("fox", "m1"), ("stale", "m2"), ("hen", "unknown"))
    )
    assert agent.do(command.KeepEmbeddings(embedded)) == EmbeddingsKept(1, revision)
    assert list(agent.state.memories.embeddings) == ["m1"]
    assert (agent.state.revision, agent.decision.events) == (revision, [])
    before = agent.state
    assert agent.do(command.KeepEmbeddings(embedded[1:])) == EmbeddingsKept(0, revision)
    assert agent.state is before


def test_accesses_are_counted_without_a_revision() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.now += SECOND_NS
    accesses = (
        command.MemoryAccess("m1", 2, agent.now),
        command.MemoryAccess("m1", 1, NOW - 1),
        command.MemoryAccess("unknown", 1, NOW),
    )
    agent.do(command.RecordAccesses((), accesses))
    memory = agent.memory("m1")
    assert (memory.access_count, memory.last_access_time, memory.revision) == (3, agent.now, 1)
    assert (agent.state.revision, agent.state.update_time, agent.decision.events) == (1, NOW, [])


def test_events_of_memories_are_outside_of_scopes_and_keys() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", relates_to=())
    agent.create("hen", links=(DraftLink("m1", LinkType.RELATED),))
    for event in agent.events:
        assert EventFilter().keeps("a", event)
        assert not EventFilter(key_prefix="f").keeps("a", event)
        assert not EventFilter(scope_ids=frozenset({""}), include_descendants=True).keeps("a", event)
    created, _, linked = agent.events
    assert (created.payload, created.payload_bytes) == (created.memory, len("foxann"))
    assert (linked.payload, linked.payload_bytes) == (linked.link, 0)
