"""Bound users, forgetting of users, and knowledge that agents share, through the client."""

from pathlib import Path

import pytest

import memoryd


@pytest.mark.whole
def test_a_bound_user_is_that_of_all_that_is_written_and_read(agent: memoryd.Agent, tmp_path: Path) -> None:
    ada = agent.user("ada")
    ada.set("color", "red")
    with ada.batch() as batch:
        batch.set("size", 3)
    with ada.transaction() as tx:
        tx.set("shape", "round")
        tx.notes.create("Ada's", "of a transaction")
    with ada.scope("task") as task:
        task.set("inner", 1)
        assert [entry.user_id for entry in task.entries()] == ["ada"]
    agent.notes.create("nobody's", "note")
    tea, beer = memoryd.MemoryDraft("Ada likes tea."), memoryd.MemoryDraft("Bob likes beer.", user_id="bob")
    ada.memories.create_many([tea, beer])
    assert [entry.key for entry in ada.entries()] == ["color", "shape", "size"]
    assert list(agent.entries()) == []
    assert [note.title for note in ada.notes.list()] == ["Ada's"]
    assert [note.title for note in ada.notes.list(filter={"user_ids": [""]})] == ["nobody's"]
    assert len(list(ada.notes.list(all_users=True))) == 2
    assert [each.memory.user_id for each in ada.memories.recall("Who likes what?").memories] == ["ada"]
    assert "Ada's" in ada.compose(sections=[memoryd.NotesSection()]).messages[0].content
    assert ada.update("visits", lambda visits: visits + 1, default=0) == 1
    assert ada.get_or_set("made", lambda: 1) == 1
    agent.set("shared", 1)
    assert ada.update("shared", lambda value: value + 1) == 2
    users = {entry.key: entry.user_id for entry in agent.entries(all_users=True)}
    assert (users["visits"], users["made"], users["shared"]) == ("ada", "ada", "")
    large = tmp_path / "large.txt"
    large.write_text("A ship floats. " * 100_000)
    assert ada.documents.create(file=large).user_id == "ada"
    assert [each.title for each in ada.documents.list()] == ["large.txt"]
    assert list(ada.user("").notes.list()) == list(agent.notes.list())
    assert [note.title for note in ada.user("bob").notes.list()] == []


def test_a_bound_user_watches_what_is_the_users(agent: memoryd.Agent) -> None:
    ada = agent.user("ada")
    with ada.watch() as watch:
        agent.set("nobody", 1)
        agent.set("bob", 1, user_id="bob")
        ada.set("ada", 1)
        event = next(iter(watch))
    assert isinstance(event.subject, memoryd.EntryEvent)
    assert event.subject.key == "ada"
    assert [each.subject.key for each in ada.events() if isinstance(each.subject, memoryd.EntryEvent)] == ["ada"]


def test_the_messages_of_a_conversation_are_those_of_all(agent: memoryd.Agent) -> None:
    ada = agent.user("ada")
    ada.conversations.append("c", [memoryd.MessageDraft("user", "Hello")])
    assert [message.content for message in ada.conversations.messages("c")] == ["Hello"]


def test_a_user_is_forgotten_with_a_report(client: memoryd.Client, agent: memoryd.Agent) -> None:
    agent.set("profile", {"likes": "tea"}, user_id="zoe")
    agent.set("other", 1, user_id="bob")
    agent.memories.remember("zoe: I have a dog", user_id="zoe")
    snapshot = agent.create_snapshot().snapshot_id
    report = agent.forget_user("zoe", block_reimport=True)
    assert report.deleted == {"entry": 1, "memory": 1}
    assert snapshot in report.snapshot_ids
    assert report.snapshot_count >= 1
    assert report.revision == agent.info().revision
    assert [entry.key for entry in agent.entries(all_users=True)] == ["other"]
    assert agent.memories.remember("zoe: I have a dog", user_id="zoe").outcome == "blocked"
    assert [event.type for event in agent.events()][-1] == "user_forgotten"


def test_an_agent_reads_what_another_one_keeps_for_all(client: memoryd.Client, agent: memoryd.Agent) -> None:
    shared = client.agent(f"{agent.agent_id}-kb")
    shared.documents.create("A kettle is refunded within thirty days.", title="Manual")
    shared.memories.remember("A kettle is descaled with vinegar", user_id="kb")
    shared.notes.create("Tone", "Be kind")
    agent.memories.remember("The kettle of zoe is green", user_id="zoe")
    recalled = agent.memories.recall("vinegar for a kettle", all_users=True, further_agents=[shared.agent_id])
    assert [each.memory.agent_id for each in recalled.memories] == [shared.agent_id, agent.agent_id]
    assert recalled.further_revisions == {shared.agent_id: 3}
    searched = agent.documents.search("refunded kettle", further_agents=[shared.agent_id])
    assert [(each.title, each.agent_id) for each in searched.chunks] == [("Manual", shared.agent_id)]
    assert searched.further_revisions == {shared.agent_id: 3}
    composed = agent.compose(
        "",
        [
            memoryd.DocumentsSection(agent=shared.agent_id),
            memoryd.NotesSection(agent=shared.agent_id),
            memoryd.MemoriesSection(query="kettle"),
        ],
        query="refunded kettle",
        all_users=True,
        include_manifest=True,
    )
    assert [message.section for message in composed.messages] == ["documents", "notes", "memories"]
    assert [item.record.agent_id for item in composed.manifest] == [shared.agent_id, shared.agent_id, ""]
    assert str(composed.manifest[0].record).startswith(f"{shared.agent_id}:")
    assert composed.further_revisions == {shared.agent_id: 3}
