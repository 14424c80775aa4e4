"""Forgetting of users, and knowledge that agents share, through the client."""

import memoryd


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
