from datetime import UTC, datetime, timedelta

import pytest

import memoryd
from memoryd import CreateMemoryOutcome, MemoryBuilder, MemoryDraft, MemoryStatus, Provenance, errors

JANUARY = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def memories(agent: memoryd.Agent) -> memoryd.Memories:
    return agent.memories


def test_a_memory_is_returned_with_all_of_its_options(memories: memoryd.Memories, agent_id: str) -> None:
    end = datetime.now(UTC) + timedelta(days=1)
    created = memories.remember(
        "On January 15 we debugged the login",
        user_id="ada",
        project_id="portal",
        memory_id="login-bug",
        type="episodic",
        provenance=Provenance.from_conversation("talk-1", "stand-up", position=7),
        tags=["bug", "login", "bug"],
        metadata={"turn": 12, "deep": {"list": [1.5, None]}},
        importance=0.75,
        occur_time=JANUARY,
        expire_time=end,
        embedding=memoryd.Embedding.of([0.5, -1], model="mine", version="2"),
    )
    assert (created.outcome, created.memory_id, created.revision) == (CreateMemoryOutcome.CREATED, "login-bug", 1)
    assert created.created
    assert created.memory is not None
    assert (created.memory.content, created.memory.importance) == ("On January 15 we debugged the login", 0.75)
    found = memories.get("login-bug", include_embedding=True)
    assert (found.agent_id, found.content, found.revision) == (agent_id, "On January 15 we debugged the login", 1)
    assert (found.user_id, found.project_id, found.type) == ("ada", "portal", "episodic")
    assert found.provenance == Provenance("talk-1", learning_context="stand-up", position=7)
    assert (found.tags, found.metadata) == (("bug", "login"), {"turn": 12, "deep": {"list": [1.5, None]}})
    assert (found.importance, found.status, found.link_count) == (0.75, MemoryStatus.ACTIVE, 0)
    assert (found.occur_time, found.expire_time) == (JANUARY, end)
    assert (found.confidence, found.confidence_history, found.forget_time) == (0.5, (), None)
    assert 0 < found.salience <= 1
    assert found.embedding == memoryd.Embedding((0.5, -1.0), "mine", "2")
    assert memories.get("login-bug").embedding is None
    with pytest.raises(errors.RecordExists):
        memories.remember("another", user_id="ada", memory_id="login-bug")


def test_the_type_and_a_vector_come_from_the_server_where_none_is_given(memories: memoryd.Memories) -> None:
    created = memories.remember("To deploy, run 'make prod'", user_id="ada")
    assert created.memory is not None
    assert created.memory.type == "procedural"
    embedding = memories.get(created.memory_id, include_embedding=True).embedding
    assert embedding is not None
    assert embedding.model


def test_a_builder_makes_a_memory_with_its_links(memories: memoryd.Memories) -> None:
    old = memories.create(
        MemoryDraft("The portal runs on Debian 11", "ada", allow_duplicates=True, skip_contradictions=True)
    ).memory_id
    new = memories.create(
        MemoryBuilder()
        .from_context(memoryd.MemoryContext("ada", conversation_id="talk-1", learning_context="stand-up"))
        .content("The portal runs on Debian 12")
        .linked_to(old, "supersedes", strength=1.0)
        .allow_duplicates()
        .skip_contradictions()
    ).memory_id
    assert memories.get(old).status is MemoryStatus.SUPERSEDED
    assert memories.get(new).link_count == memories.get(old).link_count == 1
    (link,) = memories.links(old)
    assert memories.get_link(new, old, "supersedes") == link
    assert (link.from_memory_id, link.to_memory_id, link.type, link.strength) == (new, old, "supersedes", 1.0)


def test_a_duplicate_reinforces_unless_it_is_a_transcript(memories: memoryd.Memories) -> None:
    first = memories.remember("Ada likes green tea", user_id="ada")
    again = memories.remember("Ada likes green tea", user_id="ada")
    assert (again.outcome, again.memory_id) == (CreateMemoryOutcome.REINFORCED, first.memory_id)
    assert (first.created, again.created) == (True, False)
    kept = memories.remember("Ada likes green tea", user_id="ada", allow_duplicates=True, skip_contradictions=True)
    assert kept.outcome is CreateMemoryOutcome.CREATED
    assert len(list(memories.list(all_users=True))) == 2


def test_many_are_created_at_one_revision_or_none(memories: memoryd.Memories) -> None:
    drafts = [
        MemoryDraft(f"turn {number}", "ada", memory_id=f"t{number}", allow_duplicates=True, skip_contradictions=True)
        for number in "123"
    ]
    created = memories.create_many(drafts)
    assert [(each.memory_id, each.revision) for each in created] == [("t1", 1), ("t2", 1), ("t3", 1)]
    assert [each.memory.content for each in created if each.memory] == ["", "", ""]
    got = list(memories.get_many(("t3", "unknown", "t1")))
    assert [(each.memory_id, each.content) for each in got] == [("t3", "turn 3"), ("t1", "turn 1")]
    assert [each.content for each in memories.get_many(["t2"], view="without_content")] == [""]
    assert [each.memory_id for each in memories.list(all_users=True, order="id", view="without_content")] == [
        "t1",
        "t2",
        "t3",
    ]
    with pytest.raises(errors.RecordExists):
        memories.create_many([MemoryDraft("turn 4", "ada", memory_id="t4"), drafts[0]])
    with pytest.raises(errors.RevisionMismatch):
        memories.create(MemoryBuilder().content("turn 5").user_id("ada"), expected_revision=7)
    assert [found.memory_id for found in memories.list(all_users=True)] == ["t3", "t2", "t1"]


def test_a_memory_is_recalled_by_words_and_by_meaning_with_why(memories: memoryd.Memories) -> None:
    tea = memories.remember("Ada drinks green tea in the morning", user_id="ada", embedding=[1, 0]).memory_id
    dog = memories.remember("Bob has a dog called Rex", user_id="bob", embedding=[0, 1]).memory_id
    found = memories.recall("who drinks tea?", embedding=[1, 0.1], all_users=True)
    best = found.memories[0]
    assert best.memory.memory_id == tea
    assert {"drinks", "tea"} <= set(best.matched_words)
    assert (best.lexical_score > 0, best.semantic_score > 0, best.match_reason != "") == (True, True, True)
    assert (found.semantic_used, found.match_count >= 1, found.query_duration > timedelta(0)) == (True, True, True)
    scores = [each.score for each in found.memories]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    by_meaning = memories.recall(embedding=[0, 1], limit=1, include_embedding=True, all_users=True).memories
    assert [each.memory.memory_id for each in by_meaning] == [dog]
    assert by_meaning[0].memory.embedding is not None
    assert memories.recall("tea", min_score=1.0, all_users=True).memories == ()


def test_filters_keep_what_passes_them_all(memories: memoryd.Memories) -> None:
    for memory_id, given in OPTIONS.items():
        memories.remember(
            f"Tea number {memory_id}", memory_id=memory_id, allow_duplicates=True, skip_contradictions=True, **given
        )  # type: ignore[arg-type]
    memories.update("old", status="archived")
    for options, expected in FILTERS:
        filters = options if "user_id" in options else {**options, "all_users": True}
        assert {found.memory_id for found in memories.list(**filters)} == expected, filters  # type: ignore[arg-type]
        recalled = memories.recall("tea number", limit=100, include_linked=False, **filters).memories  # type: ignore[arg-type]
        assert {each.memory.memory_id for each in recalled} == expected, filters


OPTIONS: dict[str, dict[str, object]] = {
    "one": {"user_id": "ada", "type": "semantic", "tags": ["a", "b"], "occur_time": JANUARY},
    "two": {"user_id": "ada", "type": "episodic", "tags": ["a"], "project_id": "p"},
    "three": {"user_id": "bob", "type": "semantic", "provenance": Provenance.from_conversation("talk")},
    "old": {"user_id": "bob", "type": "procedural"},
}
FILTERS: list[tuple[dict[str, object], set[str]]] = [
    ({}, {"one", "two", "three"}),
    ({"types": ["semantic", "procedural"]}, {"one", "three"}),
    ({"statuses": ["archived"]}, {"old"}),
    ({"statuses": ["archived", "active"], "user_id": "bob"}, {"three", "old"}),
    ({"project_id": "p"}, {"two"}),
    ({"conversation_id": "talk"}, {"three"}),
    ({"project_id": ""}, {"one", "three"}),
    ({"conversation_id": ""}, {"one", "two"}),
    ({"all_tags": ["a", "b"]}, {"one"}),
    ({"any_tags": ["a", "b", "c"]}, {"one", "two"}),
    ({"occur_end_time": JANUARY + timedelta(days=1)}, {"one"}),
    ({"occur_start_time": JANUARY + timedelta(days=1)}, {"two", "three"}),
    ({"min_salience": 1.0}, set()),
]


def test_an_update_changes_what_it_names_and_the_past_stays_known(memories: memoryd.Memories) -> None:
    memory_id = memories.remember("Ada lives in Lisbon", user_id="ada", tags=["home"], metadata={"a": 1}).memory_id
    before = memories.get(memory_id)
    changed = memories.update(memory_id, content="Ada lives in Porto", metadata=None, expected_revision=before.revision)
    assert (changed.changed, changed.revision) == (True, before.revision + 1)
    after = changed.memory
    assert (after.content, after.metadata, after.tags) == ("Ada lives in Porto", {}, ("home",))
    was = memories.get(memory_id, read_time=before.update_time)
    assert (was.content, was.metadata) == ("Ada lives in Lisbon", {"a": 1})
    then = memories.recall("Lisbon", read_time=before.update_time, all_users=True).memories
    assert [each.memory.content for each in then] == ["Ada lives in Lisbon"]
    with pytest.raises(errors.RevisionMismatch):
        memories.update(memory_id, importance=1.0, expected_revision=before.revision)
    with pytest.raises(errors.RecordNotFound):
        memories.get(memory_id, read_time=before.create_time - timedelta(seconds=1))


def test_reinforcing_raises_the_confidence_of_a_memory(memories: memoryd.Memories) -> None:
    memory_id = memories.remember("Ada likes chess", user_id="ada").memory_id
    first = memories.reinforce(memory_id)
    assert (first.confidence, first.reinforce_count) == (pytest.approx(0.6), 1)
    second = memories.reinforce(memory_id, confidence=0.0, expected_revision=first.revision)
    assert (second.confidence, second.reinforce_count) == (0.0, 2)
    found = memories.get(memory_id, include_history=True)
    assert [each.confidence for each in found.confidence_history] == [0.5, pytest.approx(0.6), 0.0]
    assert found.confidence_history[0].start_time == found.create_time
    assert found.reinforce_time is not None


def test_memories_are_linked_and_unlinked(memories: memoryd.Memories) -> None:
    one, two = (memories.remember(text, user_id="ada").memory_id for text in ("Ada likes chess", "Bob is away"))
    linked = memories.link(one, two)
    assert (linked.created, linked.changed, linked.revision, linked.link.strength) == (True, True, 3, 0.5)
    again = memories.link(one, two, strength=0.9, expected_revision=3)
    assert (again.created, again.changed, again.link.revision) == (False, True, 4)
    assert not memories.link(one, two, strength=0.9).changed
    with pytest.raises(errors.RevisionMismatch):
        memories.unlink(one, two, "related", expected_revision=3)
    memories.link(one, two, "supersedes")
    assert memories.get(two).status is MemoryStatus.SUPERSEDED
    assert [(link.type, link.strength) for link in memories.links(two)] == [("related", 0.9), ("supersedes", 0.5)]
    assert [link.type for link in memories.links(link_type="supersedes", all_users=True)] == ["supersedes"]
    assert memories.unlink(one, two, "supersedes")
    assert memories.get(two).status is MemoryStatus.ACTIVE
    assert (memories.unlink(one, two), memories.unlink(one, two)) == (True, False)
    with pytest.raises(errors.RecordNotFound):
        memories.get_link(one, two)
    assert list(memories.links(all_users=True)) == []


def test_what_is_forgotten_can_be_restored_and_what_is_purged_cannot(memories: memoryd.Memories) -> None:
    memory_id = memories.remember("Ada's PIN is 1234", user_id="ada").memory_id
    forgotten = memories.forget(memory_id)
    assert forgotten.deleted
    assert not memories.forget(memory_id).deleted
    assert memories.forget("unknown").memory is None
    with pytest.raises(errors.RecordNotFound):
        memories.get(memory_id)
    kept = memories.get(memory_id, include_forgotten=True)
    assert forgotten.memory is not None
    assert kept.purge_time == forgotten.memory.purge_time
    assert (
        list(memories.list(all_users=True)),
        [each.memory_id for each in memories.list(forgotten_only=True, all_users=True)],
    ) == ([], [memory_id])
    assert memories.restore(memory_id).changed
    assert not memories.restore(memory_id).changed
    results = memories.forget_many([memory_id, "unknown"])
    assert [(each.deleted, each.purge_time is None) for each in results] == [(True, False), (False, True)]
    assert memories.restore(memory_id).memory.content == "Ada's PIN is 1234"
    assert memories.purge(memory_id, block_reimport=True)
    assert not memories.purge(memory_id)
    with pytest.raises(errors.RecordNotFound):
        memories.restore(memory_id)
    assert memories.remember("Ada's PIN is 1234", user_id="ada").outcome is CreateMemoryOutcome.BLOCKED


def test_vectors_of_other_models_are_replaced_with_progress(memories: memoryd.Memories) -> None:
    memories.create_many(
        [
            MemoryDraft(f"turn {number}", "ada", embedding=[1, 0], allow_duplicates=True, skip_contradictions=True)
            for number in range(5)
        ]
    )
    assert memories.reembed().embedded_count == 0
    progress: list[memoryd.Reembedding] = []
    done = memories.reembed(limit=2, replace_client_embeddings=True, progress=progress.append)
    assert [(each.embedded_count, each.remaining_count) for each in progress] == [(2, 3), (4, 1), (5, 0)]
    assert done == progress[-1]
    newest = next(memories.list(all_users=True))
    embedding = memories.get(newest.memory_id, include_embedding=True).embedding
    assert embedding is not None
    assert (embedding.model, embedding.version) == (done.model, done.version)


def test_changes_of_memories_and_links_cause_events(agent: memoryd.Agent) -> None:
    with agent.watch() as watch:
        one = agent.memories.remember("Ada likes chess", user_id="ada").memory_id
        two = agent.memories.remember("Bob is away", user_id="ada").memory_id
        agent.memories.link(one, two)
        agent.memories.purge(two)
        agent.clear_all(["memory"])
        events = []
        for event in watch:
            events.append(event)
            if event.type == "memories_cleared":
                break
    assert [event.type for event in events if event.type != "memories_unlinked"] == [
        "memory_created",
        "memory_created",
        "memories_linked",
        "memory_purged",
        "memories_cleared",
    ]
    match events[0].subject:
        case memoryd.MemoryEvent(memory_id=memory_id, memory=memoryd.Memory(content=content)):
            assert (memory_id, content) == (one, "Ada likes chess")
        case other:
            pytest.fail(f"{other} is not the event of a memory")
    assert isinstance(events[2].subject, memoryd.MemoryLinkEvent)
    assert (events[2].subject.from_memory_id, events[2].subject.to_memory_id) == (one, two)
    assert events[-1].subject == memoryd.ClearedEvent({memoryd.RecordKind.MEMORY: 1})


def test_clearing_leaves_memories_unless_it_names_them(agent: memoryd.Agent) -> None:
    agent.memories.remember("Ada likes chess", user_id="ada")
    assert agent.clear_all().cleared == {}
    assert agent.clear_all([memoryd.RecordKind.MEMORY]).cleared == {"memory": 1}


def test_stats_count_memories_and_links(agent: memoryd.Agent) -> None:
    ids = [agent.memories.remember(text, user_id="ada").memory_id for text in ("Ada likes chess", "Bob is away", "x")]
    agent.memories.update(ids[0], status="archived")
    agent.memories.link(ids[0], ids[1], "supersedes")
    agent.memories.forget(ids[2])
    stats = agent.stats()
    assert (stats.record_counts, stats.forgotten_memory_count) == ({"memory": 2, "memory_link": 1}, 1)
    assert (stats.archived_memory_count, stats.superseded_memory_count) == (1, 1)
    assert stats.unembedded_memory_count == 0


def test_forget_all_forgets_when_it_is_called(agent: memoryd.Agent) -> None:
    for content in ("The fox lives in the barn", "Tea is in the kitchen"):
        agent.memories.remember(content, user_id="ada")
    forgotten = agent.memories.forget_all(user_id="ada")
    assert len(forgotten) == 2
    assert list(agent.memories.list(user_id="ada")) == []


def test_nothing_is_forgotten_for_a_list_of_nothing(agent: memoryd.Agent) -> None:
    agent.memories.remember("The fox lives in the barn", user_id="ada")
    with pytest.raises(ValueError, match="ids is empty"):
        agent.memories.forget_all(user_id="ada", filter={"ids": []})
    assert len(list(agent.memories.list(user_id="ada"))) == 1


def test_remember_takes_a_builder_or_a_draft(agent: memoryd.Agent) -> None:
    builder = memoryd.MemoryBuilder().content("The fox lives in the barn").user_id("ada")
    assert agent.memories.remember(builder.tags("fox")).memory.tags == ("fox",)
    assert agent.memories.remember(memoryd.MemoryDraft("Tea is hot", "ada")).memory.user_id == "ada"
    with pytest.raises(TypeError, match="give it user_id, tags there"):
        agent.memories.remember(builder, user_id="bob", tags=["x"])
