"""The tree of commands: its words, and the methods of the contract that it reaches."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator

import click
import pytest
from tests.words.help import commands

import memoryd.v1
from memoryd_server.ops.cli.terminal import form

Command = Callable[..., tuple[int, str, str]]

VERBS = {"create", "get", "list", "update", "delete", "search", "clear"}
"""The verbs of docs/style.md, which every noun shares."""

OWN_VERBS = {
    "agent": {"stats", "export", "import", "end", "forget-user"},
    "backup": {"verify", "restore"},
    "context": {"compose", "count-tokens"},
    "conversation": {"append", "message", "messages", "truncate", "compact", "ingest"},
    "document": {"text", "chunk", "chunks"},
    "entity": {"add", "extract", "windows"},
    "entry": {"set"},
    "event": {"watch"},
    "fragment": {"count", "flush", "lease", "renew", "ack", "release"},
    "memory": {
        *("recall", "reinforce", "link", "unlink", "links", "forget", "restore", "purge", "reembed"),
        *("proposals", "accept", "reject"),
    },
    "operation": {"watch", "cancel"},
    "plan": {"add-step", "update-step", "move-step", "remove-step", "add-note", "complete", "reopen"},
    "profile": {"use"},
    "scope": {"merge", "dispose"},
    "snapshot": {"restore", "export", "import", "keygen"},
    "policy": {"check", "explain"},
    "audit": {"watch"},
    "token": {"revoke", "rotate"},
}
"""The verbs of one noun's domain."""

NAMED_OTHERWISE = {
    "GetAgentStats": "agent stats",
    "ForgetUser": "agent forget-user",
    "CountTokens": "context count-tokens",
    "AppendMessages": "conversation append",
    "GetMessage": "conversation message",
    "ListMessages": "conversation messages",
    "TruncateMessages": "conversation truncate",
    "CompactMessages": "conversation compact",
    # The client uploads what one message cannot hold.
    "UploadDocument": "document create",
    "GetDocumentChunk": "document chunk",
    "ListDocumentChunks": "document chunks",
    "GetEntityWindow": "entity list",
    "ListEntityWindows": "entity windows",
    "AddEntities": "entity add",
    "RenewFragmentLease": "fragment renew",
    "AcknowledgeFragments": "fragment ack",
    "IngestConversation": "conversation ingest",
    "LinkMemories": "memory link",
    "UnlinkMemories": "memory unlink",
    "ListMemoryLinks": "memory links",
    "ListMemoryProposals": "memory proposals",
    "AcceptMemoryProposals": "memory accept",
    "RejectMemoryProposals": "memory reject",
    "AddPlanStep": "plan add-step",
    "UpdatePlanStep": "plan update-step",
    "MovePlanStep": "plan move-step",
    "RemovePlanStep": "plan remove-step",
    "AddPlanNote": "plan add-note",
    "GetServerInfo": "info",
    # `--background` starts them.
    "StartOperation": "snapshot create",
    "WaitOperation": "operation watch",
    "RemoveEntry": "entry delete",
    "ExportJournal": "backup create",
}
"""The commands of methods whose names are not a verb and the noun of the group."""

NOT_OFFERED = {
    "BatchCreateMemories": "a loop of `memory create` does the same",
    "ProposeMemories": "proposals are made by programs",
    "BatchForgetMemories": "a loop of `memory forget` does the same",
    "BatchGetEntries": "a loop of `get` does the same",
    "BatchGetMemories": "a loop of `memory get` does the same",
    "BatchWriteEntries": "one change of several entries is for programs",
    "Commit": "a transaction is a program",
    "ContainsEntry": "the exit status of `get` says it",
    "GetMemoryLink": "`memory links` shows it",
    "GetOrSetEntry": "the value is computed by the caller's program",
    "ReserveEntry": "a reservation is held by a process, and a command ends",
    "RenewReservation": "a reservation is held by a process, and a command ends",
    "ReleaseReservation": "a reservation is held by a process, and a command ends",
    "SetEntities": "`entity clear` and `entity add` do the same",
}
"""The methods without a command, and the reason."""


def methods() -> Iterator[str]:
    """Yield the names of the contract's methods."""
    for module in pkgutil.iter_modules(memoryd.v1.__path__):
        if module.name.endswith("_service_pb2"):
            services = importlib.import_module(f"memoryd.v1.{module.name}").DESCRIPTOR.services_by_name
            for service in services.values():
                yield from (method.name for method in service.methods)


def expected_path(method: str) -> str:
    """Return the command of a method: ``note create`` for CreateNote, ``fragment flush`` for FlushFragments."""
    verb, noun = re.findall("[A-Z][a-z]*", method)
    noun = noun.lower()
    singular = re.sub("ie$", "y", noun.removesuffix("s")) if noun.endswith("s") else noun
    return f"{singular} {verb.lower()}"


TREE = dict(commands())

OFFLINE = {"policy check", "token list"}
"""Lists of local files."""

LASTING = {"clear", "compact", "dispose", "end", "forget-user", "purge", "restore", "truncate"}
"""Verbs of commands that remove more than the record that they name, or that erase it."""
ALSO_LASTING = {"conversation delete", "snapshot delete", "agent import"}
UNDONE = {"memory restore": "`memory forget` undoes it"}


def argument_for(parameter: click.Parameter) -> str:
    """Return an argument that a parameter accepts."""
    match parameter.type:
        case click.Choice() as choice:
            return str(choice.choices[0])
        case click.IntRange():
            return "1"
        case _:
            return "x"


NEEDED_OPTIONS = {
    "plan remove-step": ["--plan", "x"],
    "backup restore": ["--agent", "x", "--as", "x"],
    "agent import": ["--delete"],
}
"""Options without which a command is refused, or does nothing that lasts."""


def call_of(path: str) -> list[str]:
    """Return the words that call a command with its required arguments and options."""
    words = path.split()
    for each in TREE[path].params:
        if isinstance(each, click.Argument):
            words.append(argument_for(each))
        elif each.required:
            words += [each.opts[0], argument_for(each)]
    return words + NEEDED_OPTIONS.get(path, [])


def erases(command: click.Command) -> bool:
    """Return True if a command has the option that erases."""
    return any("--erase" in each.opts for each in command.params)


def is_lasting(path: str) -> bool:
    """Return True if a command cannot be undone, whatever its options are."""
    return path not in UNDONE and (path in ALSO_LASTING or path.split()[-1] in LASTING)


LASTING_CALLS = [
    *(call_of(path) for path in TREE if is_lasting(path)),
    *([*call_of(path), "--erase"] for path, command in TREE.items() if erases(command)),
]


@pytest.mark.parametrize("call", LASTING_CALLS, ids=" ".join)
def test_what_cannot_be_undone_needs_consent_where_no_terminal_asks(command: Command, call: list[str]) -> None:
    code, out, err = command(*call, "--address", "127.0.0.1:1", "--timeout", "1m")
    assert (code, out) == (2, "")
    assert "add --yes, or --dry-run" in err


@pytest.mark.parametrize("path", TREE)
def test_a_command_that_asks_has_both_options_of_consent(path: str) -> None:
    options = {name for each in TREE[path].params for name in each.opts}
    if is_lasting(path) or erases(TREE[path]):
        assert {"--yes", "--dry-run"} <= options
    else:
        assert "--yes" not in options


@pytest.mark.parametrize("method", [*methods()])
def test_every_method_has_a_command_or_a_reason_to_have_none(method: str) -> None:
    if method not in NOT_OFFERED:
        assert (NAMED_OTHERWISE.get(method) or expected_path(method)) in TREE


def test_the_lists_of_exceptions_name_methods_of_the_contract_only() -> None:
    assert {*NAMED_OTHERWISE, *NOT_OFFERED} <= set(methods())
    assert not NAMED_OTHERWISE.keys() & NOT_OFFERED.keys()


@pytest.mark.parametrize("path", [path for path, command in TREE.items() if isinstance(command, click.Group)])
def test_a_group_has_the_shared_verbs_and_those_of_its_domain(path: str) -> None:
    group = TREE[path]
    assert isinstance(group, click.Group)
    assert set(group.commands) - VERBS == OWN_VERBS.get(path, set())


@pytest.mark.parametrize("path", [path for path in TREE if path.split()[-1] in {"list", "get", "ls", "check"}])
def test_what_is_listed_or_shown_has_the_same_forms(path: str) -> None:
    if path not in OFFLINE:
        assert set(form.OPTIONS) <= set(TREE[path].params)
