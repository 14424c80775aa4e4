"""Random commands about collected records.

A kind has makers here, or its commands are found by themselves and drawn field by field: see ``_COMMANDS``.
"""

import importlib
import pkgutil
import typing
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from memoryd_server import domain
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.conversations.compaction_change import CompactMessages, Summary
from memoryd_server.domain.conversations.conversation import MessageDraft, MessageRole
from memoryd_server.domain.conversations.conversation_change import AppendMessages, DeleteConversation
from memoryd_server.domain.documents.document import ChunkDraft
from memoryd_server.domain.documents.document_change import AddDocument, DeleteDocument
from memoryd_server.domain.entities.entity import EntityDraft
from memoryd_server.domain.entities.entity_change import AddEntities, ClearEntities
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.notes.note_change import CreateNote, DeleteNote, NoteText, UpdateNote
from memoryd_server.domain.plans.plan import PlanName, PlanStepStatus
from memoryd_server.domain.plans.plan_change import (
    AddContextNote,
    AddStep,
    CompletePlan,
    CreatePlan,
    DeletePlan,
    StepText,
    UpdateStep,
)

Draw = Callable[["st.SearchStrategy[Any]"], Any]

RECORD_IDS = st.sampled_from(["r1", "r2", "r3"])
TEXTS = st.sampled_from(["one", "another", "a text that is longer than that"])
GROUPS = st.sampled_from(["talk", "talk/2"])
SESSION_IDS = st.sampled_from(["s1", "s2/a", "s3"])
ENTITIES = st.builds(
    EntityDraft,
    st.sampled_from(["page", "entry"]),
    st.sampled_from(["e1", "e2", "e3"]),
    TEXTS,
    access_time=st.one_of(st.none(), st.integers(1, 3)),
)
PLAN_NAMES = st.one_of(st.builds(PlanName, RECORD_IDS), st.builds(PlanName, st.just(""), GROUPS))
STEP_IDS = st.sampled_from(["1", "2"])
EXPECTED = st.one_of(st.none(), st.integers(0, 8).map(lambda revision: Precondition(expected_revision=revision)))
PRECONDITIONS = st.one_of(EXPECTED, st.just(Precondition(must_not_exist=True)))
EXPIRE_TIMES = st.one_of(st.none(), st.integers(0, 8).map(lambda seconds: (1_800_000_000 + seconds) * SECOND_NS))

_DRAWN = {"agent", "context", "conversations", "documents", "entities", "entries", "fragments", "lifecycle"}
_DRAWN |= {"memories", "notes", "plans"}
"""The folders of the domain whose commands have makers."""

_BY_NAME = {"precondition": EXPECTED, "expire_time": EXPIRE_TIMES}
_BY_TYPE = {str: TEXTS, bool: st.booleans(), int: st.integers(1, 3), float: st.just(0.5)}


def _found_commands() -> list[type[Command]]:
    names = [each.name for each in pkgutil.walk_packages(domain.__path__, f"{domain.__name__}.")]
    modules = [importlib.import_module(name) for name in names if name.split(".")[2] not in _DRAWN]
    return [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Command) and each.__module__ == module.__name__
    ]


def _values_of(command: type[Command]) -> "st.SearchStrategy[Command]":
    """Commands whose fields are drawn by their names, else by their types. Raises KeyError: write a maker then."""
    types = typing.get_type_hints(command)
    ids = {name: RECORD_IDS for name in types if name.endswith("_id")}
    named = ids | _BY_NAME
    return st.builds(
        command, **{name: named[name] if name in named else _BY_TYPE[types[name]] for name in command.__struct_fields__}
    )


_COMMANDS = [_values_of(command) for command in _found_commands()]
"""The commands of the kinds without makers."""


def random_record_command(draw: Draw) -> Command:
    """Return a random command about records of any kind."""
    makers: list[Callable[[], Command]] = [
        lambda: CreateNote(draw(RECORD_IDS), draw(TEXTS), draw(TEXTS), draw(st.sampled_from(["", "ann"])), 0.5),
        lambda: UpdateNote(draw(RECORD_IDS), NoteText(content=draw(TEXTS)), draw(EXPECTED)),
        lambda: DeleteNote(draw(RECORD_IDS), draw(EXPECTED)),
        lambda: AppendMessages(
            draw(GROUPS), tuple(_message(draw(TEXTS)) for _ in range(draw(st.integers(1, 2)))), draw(PRECONDITIONS)
        ),
        lambda: _compaction(draw),
        lambda: DeleteConversation(draw(GROUPS), draw(EXPECTED)),
        lambda: random_plan_command(draw),
        lambda: random_plan_command(draw),
        lambda: _document(draw(RECORD_IDS), draw(st.lists(TEXTS, min_size=1, max_size=3)), draw(PRECONDITIONS)),
        lambda: DeleteDocument(draw(RECORD_IDS), draw(EXPECTED)),
        lambda: AddEntities(draw(SESSION_IDS), tuple(draw(st.lists(ENTITIES, max_size=3))), draw(st.integers(0, 2))),
        lambda: AddEntities(draw(SESSION_IDS), tuple(draw(st.lists(ENTITIES, max_size=3))), replaces=True),
        lambda: AddEntities(draw(SESSION_IDS), (draw(ENTITIES),), precondition=draw(EXPECTED)),
        lambda: ClearEntities(draw(st.one_of(st.none(), SESSION_IDS)), draw(EXPECTED)),
        *(lambda commands=commands: draw(commands) for commands in _COMMANDS),
    ]
    return draw(st.sampled_from(makers))()


def random_plan_command(draw: Draw) -> Command:
    """Return a random command about plans."""
    makers: list[Callable[[], Command]] = [
        lambda: CreatePlan(draw(RECORD_IDS), draw(GROUPS), draw(TEXTS), (draw(TEXTS),), (), draw(PRECONDITIONS)),
        lambda: CreatePlan(draw(RECORD_IDS), draw(st.sampled_from(["", "talk"])), "g", (), (draw(RECORD_IDS),)),
        lambda: UpdateStep(draw(PLAN_NAMES), draw(STEP_IDS), StepText(notes=draw(TEXTS)), draw(EXPECTED)),
        lambda: UpdateStep(draw(PLAN_NAMES), "1", StepText(draw(st.sampled_from(PlanStepStatus)))),
        lambda: AddStep(draw(PLAN_NAMES), draw(TEXTS), draw(st.one_of(st.just(""), STEP_IDS)), draw(EXPECTED)),
        lambda: AddContextNote(draw(PLAN_NAMES), draw(TEXTS), draw(EXPECTED)),
        lambda: CompletePlan(draw(PLAN_NAMES), draw(EXPECTED)),
        lambda: DeletePlan(draw(RECORD_IDS), draw(EXPECTED)),
    ]
    return draw(st.sampled_from(makers))()


def _compaction(draw: Draw) -> CompactMessages:
    numbers = tuple(sorted(draw(st.sets(st.integers(1, 3), max_size=2))))
    notes = tuple(CreateNote(draw(RECORD_IDS), "t", draw(TEXTS), "", 0.5) for _ in range(draw(st.integers(0, 1))))
    summary = draw(st.one_of(st.none(), st.builds(Summary, st.sampled_from(["", "one"]), TEXTS, st.integers(0, 3))))
    revision = draw(st.integers(1, 9))
    return CompactMessages(draw(GROUPS), numbers, revision, 0, notes, summary, draw(EXPECTED))


def _message(content: str) -> MessageDraft:
    return MessageDraft(MessageRole.USER, content, "", "", "", 0.5, len(content), len(content))


def _document(document_id: str, texts: list[str], precondition: Precondition | None) -> AddDocument:
    chunks = tuple(ChunkDraft("", text, "", len(text)) for text in texts)
    size = sum(map(len, texts))
    return AddDocument(document_id, "t", "", (), "", "text/plain", size, size, chunks, precondition)
