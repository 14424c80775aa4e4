"""The choice of tools, and their declarations for models."""

import inspect
import json
import re
from typing import Any, get_type_hints

import jsonschema
import pytest

import memoryd
from memoryd.errors import NoConversation
from memoryd.protocol.toolkit import TOOLKITS

ALL = [tool for tools in TOOLKITS.values() for tool in tools]


def names(toolkit: memoryd.Toolkit) -> list[str]:
    return [tool.name for tool in toolkit.tools]


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.name)
def test_every_tool_is_fit_for_a_model(tool: memoryd.Tool) -> None:
    assert re.fullmatch(r"[a-z_]{1,64}", tool.name)
    assert tool.description.endswith(".")
    assert "\n" not in tool.description
    jsonschema.Draft202012Validator.check_schema(tool.parameters)
    assert all(each["description"] for each in tool.parameters["properties"].values())
    assert not (tool.read_only and tool.destructive)


def test_tools_have_names_of_their_own() -> None:
    assert len({tool.name for tool in ALL}) == len(ALL)
    assert not {tool.name for tool in ALL} & set(TOOLKITS)


def test_tools_are_chosen_by_toolkit_or_by_name() -> None:
    assert memoryd.Toolkit().tools == tuple(ALL)
    assert memoryd.Toolkit("notes").tools == TOOLKITS["notes"]
    assert names(memoryd.Toolkit("recall", "create_note", "recall")) == ["recall", "create_note"]
    with pytest.raises(ValueError, match="no tool or toolkit 'memory': use one of notes, "):
        memoryd.Toolkit("memory")


def test_what_reads_only_changes_nothing() -> None:
    chosen = names(memoryd.Toolkit(read_only=True))
    assert "recall" in chosen
    assert not [name for name in chosen if re.match("create|update|delete|remember|forget|add|complete", name)]
    assert names(memoryd.Toolkit("notes", read_only=True)) == ["list_notes", "get_note"]


def test_openai_gets_functions() -> None:
    (declaration,) = memoryd.Toolkit("get_note").to_openai()
    assert declaration == {
        "type": "function",
        "function": {
            "name": "get_note",
            "description": "Read one of your notes.",
            "parameters": {
                "type": "object",
                "properties": {
                    "note_id": {"type": "string", "description": "The note's id, as list_notes returns it."}
                },
                "required": ["note_id"],
                "additionalProperties": False,
            },
        },
    }


def test_anthropic_gets_input_schemas() -> None:
    (openai,) = memoryd.Toolkit("remember").to_openai()
    (anthropic,) = memoryd.aio.Toolkit("remember").to_anthropic()
    function = openai["function"]
    assert anthropic == {
        "name": "remember",
        "description": function["description"],
        "input_schema": function["parameters"],
    }


def test_changing_a_declaration_changes_no_tool() -> None:
    toolkit = memoryd.Toolkit("get_note")
    toolkit.to_openai()[0]["function"]["parameters"]["properties"].clear()
    assert toolkit.to_anthropic()[0]["input_schema"]["properties"]


def test_a_function_is_described_as_its_tool() -> None:
    (function,) = memoryd.Toolkit("create_note").functions()
    (tool,) = memoryd.Toolkit("create_note").tools
    assert (function.__name__, function.__doc__) == ("create_note", tool.description)
    signature = inspect.signature(function)
    assert list(signature.parameters) == ["title", "content", "importance"]
    assert signature.parameters["importance"].default == 0.5
    assert get_type_hints(function) == {"title": str, "content": str, "importance": float, "return": str}
    assert inspect.iscoroutinefunction(memoryd.aio.Toolkit("create_note").functions()[0])


def test_langchain_gets_the_same() -> None:
    from langchain_core.tools import BaseTool
    from langchain_core.utils.function_calling import convert_to_openai_tool

    toolkit = memoryd.Toolkit()
    tools: list[Any] = toolkit.to_langchain()
    assert all(isinstance(tool, BaseTool) for tool in tools)
    assert [convert_to_openai_tool(tool) for tool in tools] == toolkit.to_openai()


def test_outside_of_a_conversation_nothing_is_done() -> None:
    with pytest.raises(NoConversation):
        memoryd.Toolkit().dispatch("recall", {"query": "x"})


async def test_outside_of_a_conversation_nothing_is_done_in_asyncio_either() -> None:
    with pytest.raises(NoConversation):
        await memoryd.aio.Toolkit().dispatch("recall", {"query": "x"})


async def test_agents_and_tools_of_two_clients_do_not_fit() -> None:
    async with memoryd.aio.connect() as client:
        with memoryd.conversation(client.agent("a"), "talk"), pytest.raises(TypeError, match="not one of memoryd:"):
            memoryd.Toolkit().dispatch("recall")
    with (
        memoryd.connect() as other,
        memoryd.conversation(other.agent("a"), "talk"),
        pytest.raises(TypeError, match=r"not one of memoryd\.aio:"),
    ):
        await memoryd.aio.Toolkit().dispatch("recall")


def test_invalid_arguments_are_returned_without_a_call_to_the_daemon() -> None:
    toolkit = memoryd.Toolkit("notes")
    with memoryd.connect("127.0.0.1:1") as client, memoryd.conversation(client.agent("a"), "talk"):
        assert "there is no tool 'recall': use one of list_notes, " in json.loads(toolkit.dispatch("recall"))["error"]
        for wrong in ("{", "[]", {}, {"note_id": 3}, {"note_id": "n", "more": 1}):
            answer = toolkit.run("get_note", wrong)
            assert (answer.is_error, answer.error) == (True, None)
            assert json.loads(answer.text)["error"]
        assert "give at least one of title" in toolkit.dispatch("update_note", {"note_id": "n"})


def test_an_unavailable_daemon_is_returned_as_an_error() -> None:
    with (
        memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client,  # time: nobody answers
        memoryd.conversation(client.agent("a"), "talk"),
    ):
        answer = memoryd.Toolkit().run("recall", {"query": "x"})
    assert isinstance(answer.error, memoryd.errors.Unavailable)
    assert "127.0.0.1:1" in json.loads(answer.text)["error"]
