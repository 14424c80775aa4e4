"""Middleware for the messages of a model, against a live daemon."""

from collections.abc import Iterator

import pytest

import memoryd
from memoryd import ChatMessage, Compose, MemoriesSection, MessageDraft, MessagesSection, NotesSection, Pipeline
from memoryd.errors import NoConversation
from memoryd.sync.pipeline import Proceed

QUESTION: ChatMessage = {"role": "user", "content": "Where does the fox live?"}
NOTES = "[DYNAMIC_MEMORY]\n- Tea: Ada likes tea\n[END_DYNAMIC_MEMORY]\n"
FOX = "[MEMORIES]\n- The fox lives in the barn\n[END_MEMORIES]\n"


@pytest.fixture
def seeded(agent: memoryd.Agent) -> Iterator[memoryd.Agent]:
    """An agent that knows a few things, in a conversation with Ada."""
    agent.notes.create("Tea", "Ada likes tea", user_id="ada")
    agent.notes.create("Bob's", "not for Ada", user_id="bob")
    agent.memories.remember("The fox lives in the barn", user_id="ada")
    agent.memories.remember("The fox lives elsewhere", user_id="bob")
    with memoryd.conversation(agent, "talk", user_id="ada"):
        yield agent


def contents(messages: list[ChatMessage]) -> list[str]:
    return [each["content"] for each in messages]


def test_sections_come_in_front_in_their_order(seeded: memoryd.Agent) -> None:
    rules: ChatMessage = {"role": "system", "content": "Be kind."}
    given = [rules, QUESTION]
    assert contents(Pipeline(NotesSection(), MemoriesSection())(given)) == [NOTES, FOX, "Be kind.", QUESTION["content"]]
    assert contents(Pipeline(MemoriesSection(), NotesSection())(given))[:2] == [FOX, NOTES]
    assert given == [rules, QUESTION]
    assert Pipeline()(given) == given


def test_a_step_gets_the_messages_of_earlier_steps_and_changes_the_result_of_later_ones(seeded: memoryd.Agent) -> None:
    seen: list[tuple[str, list[str]]] = []

    def spy(name: str) -> memoryd.Middleware:
        def step(messages: list[ChatMessage], proceed: Proceed) -> list[ChatMessage]:
            seen.append((name, contents(messages)))
            answered = proceed([*messages, {"role": "user", "content": name}])
            seen.append((f"after {name}", contents(answered)))
            return answered[:-1] if name == "a" else answered

        return step

    answered = Pipeline(spy("a"), NotesSection(), spy("b"))([QUESTION])
    asked = QUESTION["content"]
    assert seen == [
        ("a", [asked]),
        ("b", [NOTES, asked, "a"]),
        ("after b", [NOTES, asked, "a", "b"]),
        ("after a", [NOTES, asked, "a", "b"]),
    ]
    assert contents(answered) == [NOTES, asked, "a"]


def test_a_step_may_stop_the_pipeline(seeded: memoryd.Agent) -> None:
    def refuse(messages: list[ChatMessage], proceed: Proceed) -> list[ChatMessage]:
        raise PermissionError("no")

    with pytest.raises(PermissionError):
        Pipeline(NotesSection(), refuse)([QUESTION])


def test_a_budget_is_kept_and_the_manifest_has_the_outcomes(seeded: memoryd.Agent) -> None:
    seeded.notes.create("Long", "word " * 500, user_id="ada", importance=1)
    composed: list[memoryd.ComposedContext] = []
    sections = [NotesSection(max_tokens=60), MemoriesSection()]
    whole = Pipeline(Compose(*sections, max_tokens=100, model="gpt-5", on_compose=composed.append))
    assert contents(whole([QUESTION])) == [NOTES, FOX, QUESTION["content"]]
    (context,) = composed
    assert (context.max_tokens, context.tokenizer) == (100, "o200k_base")
    assert context.token_count <= 100
    assert {(item.record.kind, item.outcome) for item in context.manifest} == {
        ("note", "over_section_budget"),
        ("note", "included"),
        ("memory", "included"),
    }
    assert contents(Pipeline(NotesSection(max_tokens=10))([QUESTION])) == [QUESTION["content"]]


def test_the_plan_and_the_entities_are_those_of_the_conversation(seeded: memoryd.Agent) -> None:
    seeded.plans.create("Find the fox", ["Look into the barn"], conversation_id="talk")
    seeded.plans.create("Something else", conversation_id="other")
    seeded.entities("talk").add(memoryd.Entity("barn", "b1", "Red barn"))
    seeded.entities("other").add(memoryd.Entity("barn", "b2", "Blue barn"))
    pipeline = Pipeline(memoryd.PlanSection(), memoryd.EntitiesSection())
    plan, entities, asked = pipeline([QUESTION])
    assert plan["content"] == seeded.plans.prompt_text(conversation_id="talk")
    assert entities["content"] == seeded.entities("talk").prompt_text()
    assert asked == QUESTION
    with memoryd.conversation(seeded, "new"):
        assert pipeline([QUESTION]) == [QUESTION]


def test_a_section_that_names_its_user_is_not_limited_to_the_current_one(seeded: memoryd.Agent) -> None:
    (notes, memories, _) = Pipeline(
        NotesSection(filter={"user_ids": ["bob"]}), MemoriesSection(filters={"user_id": "bob"})
    )([QUESTION])
    assert "not for Ada" in notes["content"]
    assert "elsewhere" in memories["content"]


def test_without_a_user_records_of_no_user_are_rendered(seeded: memoryd.Agent) -> None:
    seeded.notes.create("House", "the barn is red")
    with memoryd.conversation(seeded, "talk"):
        notes, question = Pipeline(NotesSection(), MemoriesSection())([QUESTION])
    assert (notes["content"].count("\n"), "the barn is red" in notes["content"], question) == (3, True, QUESTION)


def test_documents_of_no_user_are_for_all_users(seeded: memoryd.Agent) -> None:
    for user_id in ("", "ada", "bob"):
        seeded.documents.create(f"The fox of {user_id or 'all'}", user_id=user_id)
    documents, _ = Pipeline(memoryd.DocumentsSection(full_text=True))([QUESTION])
    assert [f"fox of {name}" in documents["content"] for name in ("all", "ada", "bob")] == [True, True, False]


@pytest.mark.parametrize("question", ["é" * 5000, "\ud800", ""])
def test_any_question_is_searched_for(seeded: memoryd.Agent, question: str) -> None:
    messages = [{"role": "user", "content": question}]
    assert contents(Pipeline(NotesSection(), MemoriesSection())(messages))[0] == NOTES


def test_a_turn_is_appended_as_one_change(seeded: memoryd.Agent) -> None:
    pipeline = Pipeline(NotesSection(), MessagesSection())
    seen: list[list[str]] = []

    def respond(prompt: list[ChatMessage]) -> list[ChatMessage]:
        seen.append(contents(prompt))
        calls = [{"id": "c1", "type": "function", "function": {"name": "recall", "arguments": "{}"}}]
        return [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "content": "in the barn", "tool_call_id": "c1"},
            {"role": "assistant", "content": "In the barn."},
        ]

    response = pipeline.turn([{"role": "system", "content": "Be kind."}, QUESTION], respond)
    assert response[-1] == {"role": "assistant", "content": "In the barn."}
    kept = list(seeded.conversations.messages("talk"))
    assert [each.role for each in kept] == ["user", "assistant", "tool", "assistant"]
    assert {each.revision for each in kept} == {kept[0].revision}

    pipeline.turn([{"role": "user", "content": "Thanks"}], lambda prompt: seen.append(contents(prompt)) or "Welcome.")
    assert seen[0] == [NOTES, "Be kind.", QUESTION["content"]]
    assert seen[1] == [NOTES, QUESTION["content"], "", "in the barn", "In the barn.", "Thanks"]
    assert [each.content for each in seeded.conversations.messages("talk", order="id_descending")][:2] == [
        "Welcome.",
        "Thanks",
    ]
    prompt = pipeline([])
    assert prompt[2]["tool_calls"][0]["function"] == {"name": "recall", "arguments": "{}"}
    assert prompt[3]["tool_call_id"] == "c1"


def test_a_turn_that_fails_is_not_appended(seeded: memoryd.Agent) -> None:
    def fail(prompt: list[ChatMessage]) -> str:
        raise OSError

    with pytest.raises(OSError):
        Pipeline().turn([QUESTION], fail)
    asked: list[object] = []
    with pytest.raises(ValueError, match="narrator"):
        Pipeline().turn([{"role": "narrator", "content": "x"}], lambda prompt: asked.append(prompt) or "x")
    assert not asked
    assert list(seeded.conversations.list()) == []


def test_a_turn_extracts_the_entities_in_the_results_of_tools_when_it_is_asked_to(seeded: memoryd.Agent) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "cms_getPage", "arguments": "{}"}}
    response: list[ChatMessage] = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"id": 7, "title": "Foxes"}'},
        {"role": "assistant", "content": "Page 7."},
    ]
    Pipeline().turn([QUESTION], lambda _: response)
    assert seeded.entities("talk").get().entities == ()
    assert Pipeline().turn([QUESTION], lambda _: response, extract_entities=True) == response
    [found] = seeded.entities("talk").get().entities
    assert (found.type, found.entity_id) == ("page", "7")


def test_outside_of_a_conversation_no_model_is_called() -> None:
    asked: list[object] = []
    with pytest.raises(NoConversation):
        Pipeline().turn([QUESTION], lambda prompt: asked.append(prompt) or "x")
    with pytest.raises(NoConversation):
        Pipeline(NotesSection())([QUESTION])
    assert not asked
    assert Pipeline()([QUESTION]) == [QUESTION]


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    await aio_agent.notes.create("Tea", "Ada likes tea", user_id="ada")
    await aio_agent.conversations.append("talk", [MessageDraft("user", "Hello")])
    seen: list[list[str]] = []

    async def shout(messages: list[ChatMessage], proceed: memoryd.aio.pipeline.Proceed) -> list[ChatMessage]:
        return await proceed([{**each, "content": each["content"].upper()} for each in messages])

    async def respond(prompt: list[ChatMessage]) -> str:
        seen.append(contents(prompt))
        return "In the barn."

    pipeline = memoryd.aio.Pipeline(MessagesSection(), shout, memoryd.aio.Compose(NotesSection()))
    async with memoryd.conversation(aio_agent, "talk", user_id="ada"):
        response = await pipeline.turn([QUESTION], respond)
    assert response == [{"role": "assistant", "content": "In the barn."}]
    assert seen == [[NOTES, "HELLO", "WHERE DOES THE FOX LIVE?"]]
    kept = [each.content async for each in aio_agent.conversations.messages("talk")]
    assert kept == ["Hello", QUESTION["content"], "In the barn."]
    with pytest.raises(NoConversation):
        await pipeline([QUESTION])
