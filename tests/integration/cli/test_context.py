import json
from collections.abc import Callable

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_conversation_is_written_listed_and_deleted(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    printed = command("conversation", "append", name, "talk", "user", "Where is the fox?", "--name", "ada")
    assert printed == (0, "message 1 was appended; the conversation has 5 tokens\n", "")
    command("conversation", "append", name, "talk", "assistant", "In the\nbarn", "--metadata", '{"a": 1}')
    code, out, _ = command("conversation", "messages", name, "talk")
    rows = [line.split("\t")[:6] for line in out.splitlines()]
    assert code == 0
    assert rows == [
        ["1", "user", "ada", "Where is the fox?", "5", "0.5"],
        ["2", "assistant", "", "In the barn", "4", "0.5"],
    ]
    assert command("conversation", "messages", name, "talk", "--newest-first", "--limit", "1")[1].startswith("2\t")
    last = json.loads(command("conversation", "messages", name, "talk", "--after", "1", "--json")[1])
    assert (last["content"], last["metadata"]) == ("In the\nbarn", {"a": 1})
    assert command("conversation", "message", name, "talk", "2")[1] == "In the\nbarn\n"
    assert json.loads(command("conversation", "message", name, "talk", "1", "--json")[1])["name"] == "ada"
    assert command("conversation", "message", name, "talk", "3")[0] == 1
    assert command("conversation", "messages", name, "talk", "--role", "user")[1].startswith("1\t")
    assert command("conversation", "list", name)[1].split("\t")[:5] == ["talk", "", "", "2", "9"]
    assert command("conversation", "truncate", name, "talk", "2", "--yes") == (
        0,
        "deleted 1 message; the conversation has 5 tokens\n",
        "",
    )
    assert command("conversation", "delete", name, "talk", "--plans", "--entities", "--yes") == (
        0,
        "talk was deleted, with 1 message and 0 plans and 0 entities\n",
        "",
    )
    code, _, error = command("conversation", "delete", name, "talk", "--yes")
    assert (code, "(RECORD_NOT_FOUND)" in error) == (1, True)


def test_a_conversation_is_created_described_and_found(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    create = ("conversation", "create", name)
    printed = command(*create, "talk", "--title", "Foxes", "--user", "ada", "--tag", "wild", "--metadata", '{"a": 1}')
    assert printed == (0, "talk was created at revision 1\n", "")
    assert command(*create)[1].endswith(" was created at revision 2\n")
    printed = command("conversation", "update", name, "talk", "--title", "Hens", "--if-revision", "1")
    assert printed == (0, "talk was updated at revision 3\n", "")
    assert command("conversation", "update", name, "talk")[0] == 2
    rows = [line.split("\t") for line in command("conversation", "get", name, "talk")[1].splitlines()]
    assert rows[:4] == [["title", "Hens"], ["user", "ada"], ["tags", "wild"], ["messages", "0"]]
    assert json.loads(command("conversation", "get", name, "talk", "--json")[1])["metadata"] == {"a": 1}
    assert command("conversation", "get", name, "new")[0] == 1
    for options in (("--user", "ada"), ("--all-users", "--tag", "wild")):
        assert command("conversation", "list", name, *options)[1].split("\t")[:3] == ["talk", "Hens", "ada"]
    assert command("conversation", "list", name, "--all-users", "--latest-first")[1].startswith("talk\t")
    assert len(command("conversation", "list", name, "--all-users")[1].splitlines()) == 2


def test_the_result_of_a_tool_is_appended(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    command("conversation", "append", name, "talk", "tool", "in the barn", "--tool-call-id", "t1", "--id", "m1")
    (message,) = agent.conversations.messages("talk")
    assert (message.message_id, message.parts) == ("m1", (memoryd.ToolResult("t1", "in the barn"),))
    call = memoryd.MessageDraft("assistant", parts=[memoryd.TextPart("Hm"), memoryd.ToolCall("t2", "find", "{}")])
    agent.conversations.append("talk", [call])
    lines = command("conversation", "messages", name, "talk")[1].splitlines()
    assert [line.split("\t")[3] for line in lines] == ["in the barn", "Hm find({})"]
    composed = command("context", "compose", name, "talk")[1]
    assert composed.endswith("--- assistant: messages ---\nHm\nfind({})\n")


def test_a_conversation_is_compacted(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    for content in ("one", "two", "three"):
        command("conversation", "append", name, "talk", "user", content)
    compact = ("conversation", "compact", name, "talk", "--yes", "--max-tokens")
    printed = command(*compact, "2", "--keep-last", "0")
    assert printed == (0, "deleted 1 message; the conversation has 2 tokens\n", "")
    printed = command(*compact, "1", "--keep-last", "1", "--strategy", "extract_to_notes", "--notebook", "k")
    assert printed[1] == "deleted 1 message; the conversation has 1 token; created 1 note\n"
    assert [(each.notebook, each.content) for each in agent.notes.list()] == [("k", "user: two")]
    done = json.loads(command(*compact, "9", "--json")[1])
    assert (done["deleted_message_count"], done["conversation"]["message_count"]) == (0, 1)
    assert command(*compact, "1", "--strategy", "keep_important", "--min-importance", "1")[0] == 0
    assert command(*compact, "1", "--notebook", "k")[0] == 2
    assert command(*compact, "1", "--min-importance", "1")[0] == 2
    code, _, error = command(*compact, "1", "--keep-last", "0", "--strategy", "summarize")
    assert (code, "(SUMMARIZER_MISSING)" in error) == (1, True)


def test_tokens_are_counted(command: Command) -> None:
    counted = json.loads(
        command("context", "count-tokens", "The fox lives in Lisbon.", "--model", "gpt-5", "--json")[1]
    )
    assert (counted["total_token_count"], counted["tokenizer"]) == (6, "o200k_base")


def test_a_context_is_composed_and_says_what_it_holds(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    agent.notes.create("Tea", "Ada likes tea", note_id="tea")
    command("conversation", "append", name, "talk", "user", "Hello", "--name", "ada")
    code, out, _ = command("context", "compose", name, "talk")
    assert code == 0
    assert out == (
        "--- system: notes ---\n[DYNAMIC_MEMORY]\n- Tea: Ada likes tea\n[END_DYNAMIC_MEMORY]\n"
        "--- user (ada): messages ---\nHello\n"
    )
    manifest = command("context", "compose", name, "talk", "--manifest", "--max-tokens", "28")[1]
    assert manifest == "over_section_budget\tnotes\tnote\ttea\t7\nincluded\tmessages\tmessage\ttalk/1\t6\n"
    printed = json.loads(command("context", "compose", name, "talk", "--json", "--model", "gpt-5")[1])
    assert (printed["tokenizer"], len(printed["messages"]), printed["max_tokens"]) == ("o200k_base", 2, 13_500)
