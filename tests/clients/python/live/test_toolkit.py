"""Every tool of a model, against a live daemon."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import memoryd
from memoryd.protocol.toolkit import TOOLKITS

Use = Callable[..., dict[str, Any]]


@pytest.fixture
def used() -> set[str]:
    return set()


@pytest.fixture
def use(agent: memoryd.Agent, used: set[str]) -> Iterator[Use]:
    """A function that calls a tool as a model does, in a conversation with Ada, and returns its result."""
    toolkit = memoryd.Toolkit()

    def call(name: str, **arguments: Any) -> dict[str, Any]:
        used.add(name)
        result: dict[str, Any] = json.loads(toolkit.dispatch(name, json.dumps(arguments)))
        return result

    with memoryd.conversation(agent, "talk-1", user_id="ada"):
        yield call


def test_notes_are_written_read_changed_and_removed(use: Use, used: set[str], agent: memoryd.Agent) -> None:
    note = use("create_note", title="Tea", content="Ada likes tea", importance=0.75)
    kept = agent.notes.get(note["note_id"])
    assert (kept.title, kept.content, kept.importance) == ("Tea", "Ada likes tea", 0.75)
    assert (kept.notebook, kept.user_id) == ("", "ada")
    assert use("get_note", note_id=note["note_id"]) == note
    changed = use("update_note", note_id=note["note_id"], content="Ada likes green tea")
    assert (changed["title"], changed["content"], changed["importance"]) == ("Tea", "Ada likes green tea", 0.75)
    for number in range(3):
        use("create_note", title=f"T{number}", content="C")
    assert [each["title"] for each in use("list_notes")["notes"]] == ["Tea", "T0", "T1", "T2"]
    assert [each["title"] for each in use("list_notes", limit=2)["notes"]] == ["Tea", "T0"]
    long = use("create_note", title="Long", content="x" * 600)
    assert use("list_notes")["notes"][-1]["content"] == "x" * 499 + "…"
    assert use("get_note", note_id=long["note_id"])["content"] == "x" * 600
    assert use("delete_note", note_id=note["note_id"]) == {"deleted": True}
    assert "no note" in use("get_note", note_id=note["note_id"])["error"]
    assert used == {tool.name for tool in TOOLKITS["notes"]}


def test_memories_are_remembered_found_corrected_and_forgotten(use: Use, used: set[str], agent: memoryd.Agent) -> None:
    made = use("remember", content="Ada: I moved to Lisbon", type="episodic", importance=0.9, tags=["home"])
    assert made["outcome"] == "created"
    kept = agent.memories.get(made["memory_id"])
    assert (kept.user_id, kept.type, kept.importance, kept.tags) == ("ada", "episodic", 0.9, ("home",))
    assert kept.provenance == memoryd.Provenance.from_conversation("talk-1", "said by the model")
    assert use("remember", content="Ada: I moved to Lisbon", type="episodic")["outcome"] == "reinforced"
    (found,) = use("recall", query="Lisbon", types=["episodic"], tags=["home"], limit=1)["memories"]
    assert (found["memory_id"], found["content"]) == (made["memory_id"], "Ada: I moved to Lisbon")
    assert found["why"]
    assert use("recall", query="Lisbon", types=["procedural"]) == {"memories": [], "match_count": 0}

    assert use("update_memory", memory_id=made["memory_id"], content="Ada: I live in Porto") == {
        "memory_id": made["memory_id"],
        "updated": True,
        "contradicted_memory_ids": [],
    }
    memory = use("get_memory", memory_id=made["memory_id"])
    assert (memory["content"], memory["learned_in_conversation"], memory["importance"]) == (
        "Ada: I live in Porto",
        "talk-1",
        0.9,
    )
    assert use("reinforce_memory", memory_id=made["memory_id"])["confidence"] > memory["confidence"]
    assert [each["content"] for each in use("list_memories")["memories"]] == ["Ada: I live in Porto"]
    assert use("forget_memory", memory_id=made["memory_id"])["restorable_until"]
    assert use("list_memories") == {"memories": []}
    assert "error" in use("get_memory", memory_id=made["memory_id"])
    assert use("restore_memory", memory_id=made["memory_id"])["restored"]
    assert len(use("list_memories")["memories"]) == 1
    assert used == {tool.name for tool in TOOLKITS["memories"]}


def test_a_recalled_memory_says_which_newer_ones_contradict_it(use: Use, agent: memoryd.Agent) -> None:
    old = use("remember", content="Ada works for Acme")["memory_id"]
    new = use("remember", content="Ada works for Globex")
    assert new["contradicted_memory_ids"] == [old]
    found = use("recall", query="Who does Ada work for?")["memories"]
    assert [(each["memory_id"], each.get("contradicted_by")) for each in found] == [
        (new["memory_id"], None),
        (old, [new["memory_id"]]),
    ]
    recalled = agent.memories.recall("Who does Ada work for?", user_id="ada").memories
    assert [each.contradicted_by for each in recalled] == [(), (new["memory_id"],)]
    other = use("remember", content="Ada has a cat")["memory_id"]
    updated = use("update_memory", memory_id=other, content="Ada works for Initech")
    assert set(updated["contradicted_memory_ids"]) == {old, new["memory_id"]}


def test_a_plan_is_made_followed_changed_and_ended(use: Use, used: set[str], agent: memoryd.Agent) -> None:
    assert use("get_plan") == {"plan": None}
    assert "no" in use("update_plan_step", step_id="1", status="completed")["error"]
    made = use("create_plan", goal="Move to Lisbon", steps=["Find a flat", "Pack"])["plan"]
    assert [(step["step_id"], step["status"]) for step in made["steps"]] == [("1", "pending"), ("2", "pending")]
    kept = agent.plans.get(conversation_id="talk-1")
    assert (kept.plan_id, kept.goal) == (made["plan_id"], "Move to Lisbon")

    changed = use("update_plan_step", step_id="1", status="completed", notes="in Alfama", description="Find a home")
    assert changed["step"] == {
        "step_id": "1",
        "description": "Find a home",
        "status": "completed",
        "notes": "in Alfama",
    }
    added = use("add_plan_step", description="Sell the car", before_step_id="2")
    assert (added["step"]["step_id"], added["step"]["status"]) == ("3", "pending")
    assert use("move_plan_step", step_id="1")["step"]["step_id"] == "1"
    assert [step["step_id"] for step in use("get_plan")["plan"]["steps"]] == ["3", "2", "1"]
    assert [use("remove_plan_step", step_id="2")["removed"] for _ in range(2)] == [True, False]
    assert use("update_plan", goal="Move to Porto")["plan"]["goal"] == "Move to Porto"
    assert use("add_plan_note", text="The lift is small") == {"note": "The lift is small"}
    followed = use("get_plan")["plan"]
    assert followed["notes"] == ["The lift is small"]
    assert use("complete_plan")["plan"] == followed | {"status": "completed"}
    assert use("get_plan")["plan"] == followed | {"status": "completed"}
    assert use("reopen_plan", plan_id=followed["plan_id"])["plan"] == followed
    use("complete_plan")
    assert "error" in use("add_plan_step", description="late")

    use("create_plan", goal="Rest", steps=[])
    (newest, oldest) = use("list_plans")["plans"]
    assert (newest["goal"], newest["step_count"]) == ("Rest", 0)
    assert (oldest["status"], oldest["completed_step_count"], oldest["step_count"]) == ("completed", 1, 2)
    assert use("list_plans", limit=1)["plans"] == [newest]
    with memoryd.conversation(agent, "talk-2"):
        assert use("get_plan") == {"plan": None}
    assert used == {tool.name for tool in TOOLKITS["plans"]}


def test_documents_are_created_found_read_and_removed(use: Use, used: set[str], agent: memoryd.Agent) -> None:
    text = "# Guide\n\n" + "\n\n".join(f"Paragraph {n} tells of the topic{n}. " * 20 for n in range(12))
    added = use("create_document", text=text, title="The guide", description="all of it", tags=["manual"])
    kept = agent.documents.get(added["document_id"])
    assert (kept.title, kept.description, kept.tags) == ("The guide", "all of it", ("manual",))
    hen = use("create_document", text="A hen.")
    assert hen["title"] == "A hen."
    assert [each["title"] for each in use("list_documents")["documents"]] == ["The guide", "A hen."]
    assert use("list_documents", limit=1, tags=["manual"])["documents"] == [added]

    (best,) = use("search_documents", query="topic7", limit=1, document_ids=[added["document_id"]])["passages"]
    assert (best["title"], best["heading"]) == ("The guide", "Guide")
    assert "topic7" in best["text"]
    assert use("search_documents", query="topic7", tags=["other"])["passages"] == []
    part = use("read_document", document_id=added["document_id"], from_part=best["part"], parts=1)
    assert part["parts_read"] == [best["part"]]
    assert best["text"].endswith(part["text"])
    assert use("read_document", document_id=added["document_id"], parts=50)["text"] == text
    beyond = use("read_document", document_id=hen["document_id"], from_part=2)
    assert "'from_part' must be at most 1" in beyond["error"]

    changed = use("update_document", document_id=hen["document_id"], text="A red hen.", tags=["farm"])
    assert (changed["title"], changed["tags"]) == ("A hen.", ["farm"])
    assert use("read_document", document_id=hen["document_id"])["text"] == "A red hen."
    assert use("update_document", document_id=hen["document_id"], title="Hens")["title"] == "Hens"
    assert "error" in use("update_document", document_id=hen["document_id"])
    assert use("delete_document", document_id=hen["document_id"]) == {"deleted": True}
    assert use("delete_document", document_id=hen["document_id"]) == {"deleted": False}
    assert "error" in use("read_document", document_id=hen["document_id"])
    assert used == {tool.name for tool in TOOLKITS["documents"]}


def test_records_of_another_user_are_not_found(use: Use, agent: memoryd.Agent) -> None:
    note = agent.notes.create("Bob's", "secret", user_id="bob").note_id
    secret = agent.memories.remember("Bob: secret", user_id="bob").memory_id
    assert use("list_notes") == {"notes": []}
    assert use("list_memories") == {"memories": []}
    assert use("recall", query="secret")["memories"] == []
    for name in ("get_note", "delete_note"):
        assert "no note" in use(name, note_id=note)["error"]
    assert "no note" in use("update_note", note_id=note, content="x")["error"]
    for name in ("get_memory", "reinforce_memory", "forget_memory", "restore_memory"):
        assert "no memory" in use(name, memory_id=secret)["error"]
    assert "no memory" in use("update_memory", memory_id=secret, content="x")["error"]
    assert (agent.notes.get(note).content, agent.memories.get(secret).content) == ("secret", "Bob: secret")


def test_without_a_user_the_records_of_no_user_are_used(agent: memoryd.Agent) -> None:
    agent.notes.create("Bob's", "x", user_id="bob")
    toolkit = memoryd.Toolkit()
    with memoryd.conversation(agent, "talk"):
        made = json.loads(toolkit.dispatch("remember", {"content": "the barn is red"}))["memory_id"]
        toolkit.dispatch("create_note", {"title": "Mine", "content": "y"})
        notes = json.loads(toolkit.dispatch("list_notes"))["notes"]
    assert [note["title"] for note in notes] == ["Mine"]
    assert agent.memories.get(made).user_id == ""


def test_a_refusal_of_the_daemon_is_returned(use: Use, agent: memoryd.Agent) -> None:
    assert "title" in use("create_note", title="two\nlines", content="x")["error"]
    with memoryd.conversation(agent, "talk"):
        answer = memoryd.Toolkit().run("get_note", {"note_id": "none"})
    assert isinstance(answer.error, memoryd.errors.RecordNotFound)


def test_a_plain_function_does_the_same(agent: memoryd.Agent) -> None:
    create, read = memoryd.Toolkit("create_note", "get_note").functions()
    with memoryd.conversation(agent, "talk"):
        made = json.loads(create("Tea", content="Ada likes tea"))
        assert json.loads(read(made["note_id"])) == made
        assert "must be a text" in json.loads(create("Tea", 3))["error"]
    with pytest.raises(TypeError, match="missing a required argument"):
        create("Tea")


def test_langchain_calls_them(agent: memoryd.Agent) -> None:
    remember, recall = memoryd.Toolkit("remember", "recall").to_langchain()
    with memoryd.conversation(agent, "talk"):
        assert json.loads(remember.invoke({"content": "the fox lives in the barn"}))["outcome"] == "created"
        said = recall.invoke({"type": "tool_call", "id": "c1", "name": "recall", "args": {"query": "fox"}})
        wrong = recall.invoke({"type": "tool_call", "id": "c2", "name": "recall", "args": {"query": 3}})
    assert (said.tool_call_id, said.status) == ("c1", "success")
    assert json.loads(said.content)["memories"][0]["content"] == "the fox lives in the barn"
    assert wrong.status == "error"
    assert "must be a text" in wrong.content


async def test_langchain_calls_them_in_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    (remember,) = memoryd.aio.Toolkit("remember").to_langchain()
    async with memoryd.conversation(aio_agent, "talk"):
        assert json.loads(await remember.ainvoke({"content": "the fox"}))["outcome"] == "created"


async def test_tasks_talk_to_their_own_agents(aio_agent: memoryd.aio.Agent) -> None:
    toolkit = memoryd.aio.Toolkit()

    async def talk(user_id: str) -> list[str]:
        async with memoryd.conversation(aio_agent, f"with {user_id}", user_id=user_id):
            await toolkit.dispatch("create_note", {"title": user_id, "content": "x"})
            return [each["title"] for each in json.loads(await toolkit.dispatch("list_notes"))["notes"]]

    users = [f"user-{number}" for number in range(8)]
    assert await asyncio.gather(*map(talk, users)) == [[user] for user in users]
    (create,) = memoryd.aio.Toolkit("create_note").functions()
    async with memoryd.conversation(aio_agent, "more"):
        assert json.loads(await create("Tea", "x"))["title"] == "Tea"


def test_documents_of_other_users_are_out_of_reach(use: Use, agent: memoryd.Agent) -> None:
    theirs = agent.documents.create("Bob's secret letter", title="Bob", user_id="bob").document_id
    own = use("create_document", text="Ada's open letter", title="Ada")["document_id"]
    assert agent.documents.get(own).user_id == "ada"
    assert [each["document_id"] for each in use("list_documents")["documents"]] == [own]
    assert [each["document_id"] for each in use("search_documents", query="letter")["passages"]] == [own]
    assert "no document" in use("read_document", document_id=theirs)["error"]
    assert "no document" in use("update_document", document_id=theirs, title="Mine")["error"]
    assert use("delete_document", document_id=theirs) == {"deleted": False}
    assert agent.documents.get(theirs).title == "Bob"
    assert use("update_document", document_id=own, title="Open")["title"] == "Open"
    assert use("delete_document", document_id=own) == {"deleted": True}


LONG = [5_000, 70_000, 3_000_000]


@pytest.mark.parametrize("tool", [tool for tools in TOOLKITS.values() for tool in tools], ids=lambda tool: tool.name)
def test_an_error_about_a_long_argument_is_short_and_names_one_limit(agent: memoryd.Agent, tool: memoryd.Tool) -> None:
    """Every text that a tool takes, and an argument that it does not take."""
    properties = tool.parameters["properties"]
    required = {name: example(properties[name]) for name in tool.parameters["required"]}
    toolkit = memoryd.Toolkit()
    with memoryd.conversation(agent, "talk-1", user_id="ada"):
        for name, schema in properties.items():
            errors = []
            for size in LONG:
                text = "x" * size
                given = {"string": text, "array": [text]}.get(schema["type"])
                if given is not None:
                    answer = toolkit.run(tool.name, {**required, name: given})
                    errors += [answer.text] if answer.is_error else []
            assert all(len(error) < 500 and "x" * 100 not in error for error in errors)
            # A larger text breaks the same limit, unless it makes the whole request too large.
            limits = re.findall(r"(?:at most|to) ([\d,]+) bytes", " ".join(errors))
            assert len(set(limits)) <= 1
        answer = toolkit.run(tool.name, {**required, **{"y" * size: 1 for size in range(5_000, 5_100)}})
        assert answer.is_error
        assert len(answer.text) < 1_000
        assert len(toolkit.dispatch("z" * 5_000)) < 1_000


def example(schema: dict[str, Any]) -> Any:
    """A value that a tool's argument takes."""
    one = {"string": "x", "integer": 1, "number": 0.5, "boolean": True, "array": ["x"]}[schema["type"]]
    return schema["enum"][0] if "enum" in schema else one
