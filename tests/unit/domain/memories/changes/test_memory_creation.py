from unittest.mock import patch

import msgspec
import pytest
from tests.unit.domain.sample import IDENTITY, NOW, Agent, at, memory_draft

from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import ExpireRecords
from memoryd_server.domain.limit import DAY_NS, SECOND_NS, Limits
from memoryd_server.domain.memories.changes import memory_creation
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, CreateMemoryOutcome, MemoryCreated
from memoryd_server.domain.memories.changes.memory_removal import FinishPurges, PurgeMemory
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Confidence, Memory, MemoryStatus, MemoryType, Provenance
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES

SEMANTIC = MemoryType.SEMANTIC
VECTOR = b"8 bytes."


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
    assert agent.state.part(MEMORIES).embeddings["m1"] == Embedding("m1", IDENTITY, VECTOR)
    assert agent.state.size_bytes == size_bytes + len(VECTOR)
    assert agent.events[0].subject.memory == memory
    assert agent.take_memory_events() == [("MEMORY_CREATED", "REQUEST", "m1")]
    assert agent.do(ExpireRecords({MEMORIES.name: agent.policy})).revision == 1


def test_what_happened_happened_now_unless_its_writer_says_otherwise() -> None:
    assert Agent().create().occur_time == NOW


def test_a_memory_is_returned_with_its_content_if_that_is_requested() -> None:
    agent = Agent()
    draft = memory_draft("fox", tags=("t",), metadata_json="{}", provenance=Provenance("c", "d", "l", 1))
    (created,) = agent.do(CreateMemories((draft,), "id", agent.policy, returns_content=True)).created
    assert created.memory == agent.memory(created.memory_id)
    assert created.memory_bytes > len("fox")
    (again,) = agent.do(CreateMemories((draft,), "id", agent.policy)).created
    assert again.memory is not None
    assert (again.memory.content, again.memory.tags, again.memory.metadata_json) == ("", (), "")
    assert (again.memory.provenance, again.memory.user_id) == (Provenance("c", "d", "", 1), "ann")


def test_a_memory_may_be_created_with_any_status() -> None:
    for status in MemoryStatus:
        assert Agent().create("fox", status=status).status is status


def test_many_memories_are_created_as_one_change_in_their_order() -> None:
    agent = Agent()
    created = agent.create_all(memory_draft("fox"), memory_draft("hen", memory_id="own"), memory_draft("owl"))
    assert created == tuple(
        MemoryCreated(CreateMemoryOutcome.CREATED, agent.memory(each).without_content())
        for each in ("id1000", "own", "id1002")
    )
    assert [agent.memory(each.memory_id).sequence for each in created] == [0, 1, 2]
    assert {each.revision for each in agent.state.part(MEMORIES).memories.values()} == {agent.state.revision} == {1}


def test_an_id_that_is_taken_is_refused_with_all_drafts_of_the_command() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    before = agent.state
    with pytest.raises(RecordExists) as refused:
        agent.create_all(memory_draft("hen"), memory_draft("owl", memory_id="m1"))
    assert refused.value.metadata == {"kind": "memory", "record_id": "m1", "revision": "1"}
    assert agent.state is before
    agent.forget("m1")
    with pytest.raises(RecordExists):
        agent.create("owl", memory_id="m1")
    with pytest.raises(RecordExists):
        agent.create_all(memory_draft("hen", memory_id="m2"), memory_draft("owl", memory_id="m2"))


def test_an_id_whose_memory_is_over_or_purged_is_free() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", expire_time=NOW + SECOND_NS)
    agent.create("hen", memory_id="m2")
    agent.purge("m2")
    agent.now += SECOND_NS
    agent.take_events()
    agent.create_all(memory_draft("owl", memory_id="m1"), memory_draft("cat", memory_id="m2"))
    assert agent.take_memory_events() == [
        ("MEMORY_PURGED", "EXPIRY", "m1"),
        ("MEMORY_CREATED", "REQUEST", "m1"),
        ("MEMORY_CREATED", "REQUEST", "m2"),
    ]
    assert agent.memory("m1").sequence == 2


def test_creating_needs_the_agent_at_the_expected_revision() -> None:
    agent = Agent()
    drafts = (memory_draft("fox"),)
    with pytest.raises(RevisionMismatch):
        agent.do(CreateMemories(drafts, "id", agent.policy), precondition=at(1))
    agent.do(CreateMemories(drafts, "id", agent.policy), precondition=at(0))


def test_an_agent_has_a_limited_number_of_memories_not_counting_those_that_are_over() -> None:
    agent = Agent(Limits(memories_per_agent=2))
    agent.create("fox", expire_time=NOW + SECOND_NS)
    agent.create("hen")
    with pytest.raises(QuotaExceeded) as refused:
        agent.create("owl")
    assert refused.value.metadata == {"limit": "memories_per_agent", "value": "2"}
    assert agent.create("hen").reinforce_count == 1
    agent.now += SECOND_NS
    agent.create("owl")
    assert {each.content for each in agent.state.part(MEMORIES).live(agent.now)} == {"hen", "owl"}
    with pytest.raises(QuotaExceeded):
        agent.create("cat")


@pytest.mark.parametrize("limit", ["DUE_MEMORIES_PER_SWEEP_MAX", "DUE_MEMORY_CHANGES_PER_SWEEP_MAX"])
def test_room_is_made_by_few_at_a_time(limit: str) -> None:
    agent = Agent(Limits(memories_per_agent=3))
    for content in ("fox", "hen", "cat"):
        agent.create(content, expire_time=NOW + SECOND_NS)
    agent.now += SECOND_NS
    agent.take_events()
    with patch.object(memory_creation, limit, 2):
        agent.create("owl")
    assert [event for event, _, _ in agent.take_memory_events()] == ["MEMORY_PURGED", "MEMORY_PURGED", "MEMORY_CREATED"]
    assert len(agent.state.part(MEMORIES)) == 2


def test_contents_that_are_blocked_count_with_the_memories() -> None:
    agent = Agent(Limits(memories_per_agent=2))
    for content in ("fox", "hen"):
        agent.do(PurgeMemory(agent.create(content, memory_id="m1").memory_id, blocks_reimport=True))
    agent.do(FinishPurges(("m1",), agent.state.revision))
    with pytest.raises(QuotaExceeded) as refused:
        agent.create("owl")
    assert refused.value.metadata == {"limit": "memories_per_agent", "value": "2"}


def test_what_has_faded_makes_no_room() -> None:
    agent = Agent(Limits(memories_per_agent=1))
    faded = agent.create("fox")
    assert faded.archive_time is not None
    agent.now = faded.archive_time
    with pytest.raises(QuotaExceeded):
        agent.create("hen")


@pytest.mark.parametrize("fields", [{"content": "more"}, {"identity": IDENTITY, "vector": VECTOR}, {"tags": ("a",)}])
def test_memories_take_storage_up_to_the_limit(fields: dict[str, object]) -> None:
    agent = Agent(Limits(storage_bytes_per_agent=len("foxann")))
    agent.create("fox", memory_id="m1")
    with pytest.raises(QuotaExceeded) as refused:
        agent.create(**{"content": "1", "user_id": "b", **fields})  # type: ignore[arg-type]
    assert refused.value.metadata["limit"] == "storage_bytes_per_agent"
    identity, vector = fields.pop("identity", None), fields.pop("vector", b"")
    with pytest.raises(QuotaExceeded):
        agent.do(UpdateMemory("m1", MemoryPatch(**fields), agent.policy, identity, vector))  # type: ignore[arg-type]
    agent.update("m1", content="f")


@pytest.mark.parametrize(
    "known",
    [
        memory_draft("fox"),
        memory_draft("fox", importance=0.1, tags=("t",), expire_time=NOW + 2 * DAY_NS),
    ],
)
def test_a_duplicate_is_reinforced_instead(known: object) -> None:
    agent = Agent()
    agent.create_all(msgspec.structs.replace(known, memory_id="m1"))
    agent.take_events()
    agent.now += SECOND_NS
    (created,) = agent.create_all(memory_draft("fox", memory_id="m2", expire_time=NOW + DAY_NS))
    memory = agent.memory("m1")
    assert created == MemoryCreated(CreateMemoryOutcome.REINFORCED, memory.without_content())
    assert (memory.reinforce_count, memory.reinforce_time, memory.revision) == (1, agent.now, 2)
    assert [each.value for each in memory.confidences] == [0.5, 0.6]
    assert agent.events[-1].subject.memory == memory
    assert agent.take_memory_events() == [("MEMORY_REINFORCED", "DUPLICATE", "m1")]


def test_two_duplicate_drafts_of_one_command_make_one_memory() -> None:
    agent = Agent()
    first, second = agent.create_all(memory_draft("fox"), memory_draft("fox"))
    assert (first.outcome, second.outcome) == (CreateMemoryOutcome.CREATED, CreateMemoryOutcome.REINFORCED)
    assert first.memory_id == second.memory_id
    assert agent.memory(first.memory_id).reinforce_count == 1


def test_the_duplicate_that_was_found_before_is_reinforced() -> None:
    agent = Agent()
    agent.create("The fox is red", memory_id="m1")
    (created,) = agent.create_all(memory_draft("The red fox", duplicate_of="m1"))
    assert (created.outcome, created.memory_id) == (CreateMemoryOutcome.REINFORCED, "m1")


@pytest.mark.parametrize("content", ["The fox is red", "The red fox"])
@pytest.mark.parametrize(
    ("user_id", "fields", "do"),
    [
        ("bob", {}, None),
        ("ann", {"project_id": "other"}, None),
        ("ann", {"allow_duplicates": True}, None),
        ("ann", {}, lambda agent: agent.forget("m1")),
        ("ann", {}, lambda agent: agent.update("m1", status=MemoryStatus.SUPERSEDED)),
        ("ann", {}, lambda agent: agent.update("m1", expire_time=agent.now + SECOND_NS)),
        ("ann", {"expire_time": NOW + 2}, lambda agent: agent.update("m1", expire_time=agent.now + 1)),
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
    assert created.outcome is CreateMemoryOutcome.CREATED
    assert agent.memory("m1") == known


@pytest.mark.parametrize("duplicate_of", ["m1", "unknown"])
def test_a_duplicate_that_is_over_or_gone_is_none(duplicate_of: str) -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1", expire_time=NOW + SECOND_NS)
    agent.now += SECOND_NS
    (created,) = agent.create_all(memory_draft("fox", duplicate_of=duplicate_of))
    assert created.outcome is CreateMemoryOutcome.CREATED


def test_an_archived_memory_with_a_new_duplicate_is_active_again() -> None:
    agent = Agent()
    agent.create("fox", memory_id="m1")
    agent.now += SECOND_NS
    agent.update("m1", status=MemoryStatus.ARCHIVED)
    agent.now += SECOND_NS
    agent.take_events()
    assert agent.create("fox").status is MemoryStatus.ACTIVE
    assert agent.take_memory_events() == [("MEMORY_REINFORCED", "DUPLICATE", "m1")]
    was = agent.state.part(MEMORIES).was("m1", agent.now - 1, agent.now)
    assert was is not None
    assert was.status is MemoryStatus.ARCHIVED


def test_a_new_memory_is_linked_with_its_kin_of_the_same_owner_that_is_there() -> None:
    agent = Agent()
    for memory_id in ("m1", "m2", "m3", "m4"):
        agent.create(f"fox {memory_id}", memory_id=memory_id)
    agent.create("fox", "bob", memory_id="other")
    agent.forget("m3")
    agent.update("m4", status=MemoryStatus.SUPERSEDED)
    agent.take_events()
    kin = tuple((each, 0.25) for each in ("m2", "unknown", "other", "m3", "m4"))
    drafted = memory_draft("fox", memory_id="new", contradicts=(("m1", 0.75), *kin[1:]), relates_to=kin)
    (created,) = agent.create_all(drafted)
    new = agent.memory("new").without_content()
    assert created == MemoryCreated(CreateMemoryOutcome.CREATED, new, ("m1",), ("m2",))
    assert {(link.to_id, link.type, link.strength) for link in agent.state.part(MEMORIES).links_of("new")} == {
        ("m1", LinkType.CONTRADICTS, 0.75),
        ("m2", LinkType.RELATED, 0.25),
    }
    assert agent.take_memory_events() == [
        ("MEMORY_CREATED", "REQUEST", "new"),
        ("MEMORIES_LINKED", "CONTRADICTION", "new"),
        ("MEMORIES_LINKED", "SIMILARITY", "new"),
    ]


def test_a_new_memory_is_linked_as_its_writer_says_and_may_supersede() -> None:
    agent = Agent()
    created = agent.create_all(
        memory_draft("fox", memory_id="m1"),
        memory_draft("hen", memory_id="m2", links=(MemoryLinkDraft("m1", LinkType.SUPERSEDES, 0.75),)),
    )
    assert [each.outcome for each in created] == [CreateMemoryOutcome.CREATED] * 2
    assert agent.memory("m1").status is MemoryStatus.SUPERSEDED
    assert created[0].memory is not None
    assert created[0].memory.status is MemoryStatus.SUPERSEDED
    with pytest.raises(RecordNotFound):
        agent.create("owl", links=(MemoryLinkDraft("unknown", LinkType.RELATED),))
