import pytest

import memoryd
from memoryd import MessageDraft, errors


@pytest.fixture
def seeded(agent: memoryd.Agent) -> memoryd.Agent:
    """An agent with a note, an entry, a memory and a conversation."""
    agent.notes.create("Tea", "Ada likes tea", note_id="tea", notebook="ada")
    agent.set("step", {"at": 2})
    agent.memories.remember("The fox lives in the barn", user_id="ada", memory_id="fox")
    agent.conversations.append("talk", [MessageDraft("user", "Where does the fox live?", name="ada")])
    return agent


def test_sections_come_in_their_order_with_a_manifest(seeded: memoryd.Agent) -> None:
    context = seeded.compose(
        "talk",
        [
            memoryd.TextSection("Be kind.", name="rules"),
            memoryd.NotesSection("ada"),
            memoryd.EntriesSection(key_prefix="st"),
            memoryd.MemoriesSection(filters={"user_id": "ada"}, limit=5),
            memoryd.MessagesSection(priority=1),
        ],
        model="gpt-5",
        include_manifest=True,
    )
    assert [(each.section, each.role) for each in context.messages] == [
        ("rules", "system"),
        ("notes", "system"),
        ("entries", "system"),
        ("memories", "user"),
        ("messages", "user"),
    ]
    assert context.messages[1].content == "[DYNAMIC_MEMORY]\n- Tea: Ada likes tea\n[END_DYNAMIC_MEMORY]\n"
    assert context.messages[4].name == "ada"
    assert [(each.record.kind, str(each.record), each.outcome) for each in context.manifest] == [
        ("text", "", "included"),
        ("note", "tea", "included"),
        ("entry", "step", "included"),
        ("memory", "fox", "included"),
        ("message", "talk/1", "included"),
    ]
    assert (context.max_tokens, context.tokenizer) == (13_500, "o200k_base")
    assert context.token_count == sum(usage.token_count for usage in context.usages)


def test_the_same_state_and_request_have_the_same_answer(seeded: memoryd.Agent) -> None:
    assert seeded.compose("talk") == seeded.compose("talk")
    assert seeded.memories.get("fox").access_count == 1


def test_what_does_not_fit_is_left_out(seeded: memoryd.Agent) -> None:
    context = seeded.compose("talk", max_tokens=12, include_manifest=True)
    assert [each.section for each in context.messages] == []
    assert {each.outcome for each in context.manifest} == {"over_section_budget"}
    context = seeded.compose(
        "talk",
        [memoryd.MessagesSection(max_tokens=12), memoryd.NotesSection(name="n")],
        max_tokens=12,
        include_manifest=True,
    )
    assert [each.section for each in context.messages] == ["messages"]
    assert [each.outcome for each in context.manifest] == ["included", "over_total_budget"]


def test_the_manifest_is_absent_unless_it_is_asked_for(seeded: memoryd.Agent) -> None:
    context = seeded.compose("talk", [memoryd.NotesSection()])
    assert (context.manifest, context.usages[0].included_count) == ((), 1)


def test_a_budget_of_nothing_composes_nothing(seeded: memoryd.Agent) -> None:
    context = seeded.compose("talk", max_tokens=0)
    assert (context.messages, context.token_count, context.max_tokens) == ((), 0, 0)


def test_an_invalid_section_is_refused(seeded: memoryd.Agent) -> None:
    with pytest.raises(TypeError, match="not a section"):
        seeded.compose("talk", [memoryd.ContextSection()])
    with pytest.raises(errors.InvalidArgument):
        seeded.compose("", [memoryd.MessagesSection()])


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    await aio_agent.conversations.append("talk", [MessageDraft("user", "Hello")])
    context = await aio_agent.compose("talk")
    assert [each.content for each in context.messages] == ["Hello"]
