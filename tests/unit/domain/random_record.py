"""Random commands about collected records.

A kind has makers here, or its commands are found by themselves and drawn field by field: see ``_COMMANDS``.
"""

import importlib
import pkgutil
import typing
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from tests.unit.domain.sample import memory_draft

from memoryd_server import domain
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agents.agent import AgentDefaults
from memoryd_server.domain.agents.agent_change import AgentPatch, UpdateAgent
from memoryd_server.domain.conversations.compaction_change import CompactMessages, Summary
from memoryd_server.domain.conversations.conversation import MessageDraft
from memoryd_server.domain.conversations.conversation_change import (
    ConversationText,
    CreateConversation,
    DeleteConversation,
    UpdateConversation,
)
from memoryd_server.domain.conversations.ingestion_change import IngestMessages
from memoryd_server.domain.conversations.ingestion_lease import LeaseIngestions, ReleaseIngestions, SettleIngestion
from memoryd_server.domain.conversations.message_change import AppendMessages, TruncateMessages
from memoryd_server.domain.documents.document import ChunkDraft, DocumentContent, DocumentDraft
from memoryd_server.domain.documents.document_change import (
    CreateDocument,
    DeleteDocument,
    DocumentPatch,
    UpdateDocument,
)
from memoryd_server.domain.entities.entity import EntityDraft
from memoryd_server.domain.entities.entity_change import AddEntities, ClearEntities, SetEntities
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories
from memoryd_server.domain.memories.changes.proposal_change import AcceptProposals, ProposeMemories, RejectProposals
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.notes.note_change import CreateNote, DeleteNote, NotePatch, UpdateNote
from memoryd_server.domain.plans.plan import PlanName, PlanStepStatus
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    CompletePlan,
    CreatePlan,
    DeletePlan,
    MovePlanStep,
    PlanDraft,
    PlanPatch,
    PlanStepDraft,
    PlanStepPatch,
    RemovePlanStep,
    ReopenPlan,
    UpdatePlan,
    UpdatePlanStep,
)
from memoryd_server.domain.values.message import MessageRole

Draw = Callable[["st.SearchStrategy[Any]"], Any]

RECORD_IDS = st.sampled_from(["r1", "r2", "r3"])
TEXTS = st.sampled_from(["one", "another", "a text that is longer than that"])
DOCUMENT_TEXTS = st.lists(TEXTS, min_size=1, max_size=3)
GROUPS = st.sampled_from(["talk", "talk/2"])
MESSAGE_IDS = st.integers(1, 20).map(lambda number: f"m{number}")
CONVERSATION_IDS = st.sampled_from(["s1", "s2/a", "talk"])
ENTITIES = st.builds(
    EntityDraft,
    st.sampled_from(["page", "entry"]),
    st.sampled_from(["e1", "e2", "e3"]),
    TEXTS,
    last_access_time=st.one_of(st.none(), st.integers(1, 3)),
)
USERS = st.sampled_from([None, "", "ann"])
PLAN_NAMES = st.one_of(st.builds(PlanName, RECORD_IDS), st.builds(PlanName, st.just(""), GROUPS))
STEP_IDS = st.sampled_from(["1", "2", "3"])
BEFORE = st.one_of(st.just(""), STEP_IDS)
STEP_DRAFTS = st.builds(PlanStepDraft, TEXTS, st.sampled_from(PlanStepStatus))
PLAN_DRAFTS = st.builds(
    PlanDraft,
    RECORD_IDS,
    GROUPS,
    TEXTS,
    st.lists(STEP_DRAFTS, max_size=3).map(tuple),
    user_id=st.sampled_from(["", "u"]),
)
EXPECTED = st.one_of(st.none(), st.integers(0, 8).map(lambda revision: Precondition(expected_revision=revision)))
PRECONDITIONS = st.one_of(EXPECTED, st.just(Precondition(must_not_exist=True)), st.just(Precondition(must_exist=True)))
EXPIRE_TIMES = st.one_of(st.none(), st.integers(0, 8).map(lambda seconds: (1_800_000_000 + seconds) * SECOND_NS))

EXPIRE_NS = st.one_of(st.none(), st.integers(1, 4).map(lambda seconds: seconds * SECOND_NS))
DEFAULTS = st.builds(AgentDefaults, EXPIRE_NS, EXPIRE_NS, model=TEXTS)

_DRAWN = {"agent", "agents", "context", "conversations", "documents", "entities", "entries", "fragments", "lifecycle"}
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
        lambda: CreateNote(draw(RECORD_IDS), draw(TEXTS), "c", "", 0.5, "ann", (draw(TEXTS),), '{"a":1}'),
        lambda: UpdateNote(draw(RECORD_IDS), NotePatch(content=draw(TEXTS)), draw(EXPECTED)),
        lambda: UpdateNote(draw(RECORD_IDS), NotePatch(user_id=draw(TEXTS), tags=(draw(TEXTS),), metadata_json="")),
        lambda: DeleteNote(draw(RECORD_IDS), draw(PRECONDITIONS)),
        lambda: AppendMessages(
            draw(GROUPS),
            tuple(_message(draw) for _ in range(draw(st.integers(1, 2)))),
            draw(PRECONDITIONS),
            draw(EXPIRE_NS),
        ),
        lambda: draw(st.sampled_from([LeaseIngestions(1), SettleIngestion("talk"), SettleIngestion("talk/2")])),
        lambda: ReleaseIngestions(("talk", "talk/2")),
        lambda: CreateConversation(draw(GROUPS), title=draw(TEXTS)),
        lambda: UpdateConversation(draw(GROUPS), ConversationText(user_id=draw(TEXTS)), draw(PRECONDITIONS)),
        lambda: TruncateMessages(draw(GROUPS), draw(st.integers(1, 3)), precondition=draw(EXPECTED)),
        lambda: TruncateMessages(draw(GROUPS), from_message_id=draw(MESSAGE_IDS)),
        lambda: _compaction(draw),
        lambda: _ingestion(draw),
        lambda: _proposals(draw),
        lambda: _proposals(draw),
        lambda: DeleteConversation(draw(GROUPS), draw(EXPECTED), draw(st.booleans()), draw(st.booleans())),
        lambda: random_plan_command(draw),
        lambda: random_plan_command(draw),
        lambda: CreateDocument(DocumentDraft(draw(RECORD_IDS), "t"), _content(draw(DOCUMENT_TEXTS))),
        lambda: UpdateDocument(
            draw(RECORD_IDS),
            DocumentPatch(title=draw(TEXTS), tags=draw(st.sampled_from([(), ("x",)]))),
            _content(draw(DOCUMENT_TEXTS)) if draw(st.booleans()) else None,
            draw(PRECONDITIONS),
        ),
        lambda: DeleteDocument(draw(RECORD_IDS), draw(EXPECTED)),
        lambda: AddEntities(
            draw(CONVERSATION_IDS), tuple(draw(st.lists(ENTITIES, max_size=3))), draw(st.integers(0, 2))
        ),
        lambda: SetEntities(
            draw(CONVERSATION_IDS), tuple(draw(st.lists(ENTITIES, max_size=3))), 0, draw(USERS), draw(PRECONDITIONS)
        ),
        lambda: AddEntities(
            draw(CONVERSATION_IDS), (draw(ENTITIES),), user_id=draw(USERS), precondition=draw(PRECONDITIONS)
        ),
        lambda: ClearEntities(draw(st.one_of(st.none(), CONVERSATION_IDS))),
        lambda: UpdateAgent(AgentPatch(display_name=draw(TEXTS), tags=(draw(TEXTS),))),
        lambda: UpdateAgent(AgentPatch(defaults=draw(DEFAULTS), metadata_json=draw(st.sampled_from(["", '{"a":1}'])))),
        *(lambda commands=commands: draw(commands) for commands in _COMMANDS),
    ]
    return draw(st.sampled_from(makers))()


def random_plan_command(draw: Draw) -> Command:
    """Return a random command about plans."""
    makers: list[Callable[[], Command]] = [
        lambda: CreatePlan(draw(PLAN_DRAFTS), draw(PRECONDITIONS)),
        lambda: CreatePlan(draw(PLAN_DRAFTS)),
        lambda: CreatePlan(PlanDraft(draw(RECORD_IDS), draw(st.sampled_from(["", "talk"])), "g", (), ("r1", "r2"))),
        lambda: UpdatePlan(draw(PLAN_NAMES), PlanPatch(tags=(draw(TEXTS),)), draw(EXPECTED)),
        lambda: UpdatePlan(draw(PLAN_NAMES), PlanPatch(goal=draw(TEXTS), metadata_json='{"a":1}')),
        lambda: UpdatePlanStep(draw(PLAN_NAMES), draw(STEP_IDS), PlanStepPatch(notes=draw(TEXTS)), draw(PRECONDITIONS)),
        lambda: UpdatePlanStep(draw(PLAN_NAMES), "1", PlanStepPatch(status=draw(st.sampled_from(PlanStepStatus)))),
        lambda: AddPlanStep(draw(PLAN_NAMES), draw(STEP_DRAFTS), draw(BEFORE), draw(EXPECTED)),
        lambda: AddPlanStep(draw(PLAN_NAMES), draw(STEP_DRAFTS)),
        lambda: MovePlanStep(draw(PLAN_NAMES), draw(STEP_IDS), draw(BEFORE), draw(EXPECTED)),
        lambda: MovePlanStep(draw(PLAN_NAMES), draw(STEP_IDS), draw(BEFORE)),
        lambda: RemovePlanStep(draw(PLAN_NAMES), draw(STEP_IDS), draw(PRECONDITIONS)),
        lambda: AddPlanNote(draw(PLAN_NAMES), draw(TEXTS), draw(EXPECTED)),
        lambda: CompletePlan(draw(PLAN_NAMES), draw(EXPECTED)),
        lambda: ReopenPlan(draw(RECORD_IDS), draw(PRECONDITIONS)),
        lambda: DeletePlan(draw(RECORD_IDS), draw(EXPECTED)),
    ]
    return draw(st.sampled_from(makers))()


def _compaction(draw: Draw) -> CompactMessages:
    numbers = tuple(sorted(draw(st.sets(st.integers(1, 3), max_size=2))))
    notes = tuple(CreateNote(draw(RECORD_IDS), "t", draw(TEXTS), "", 0.5) for _ in range(draw(st.integers(0, 1))))
    summary = draw(st.one_of(st.none(), st.builds(Summary, st.sampled_from(["", "one"]), TEXTS, st.integers(0, 3))))
    revision = draw(st.integers(1, 9))
    return CompactMessages(draw(GROUPS), numbers, revision, 0, notes, summary, draw(EXPECTED))


def _ingestion(draw: Draw) -> IngestMessages:
    numbers = tuple(sorted(draw(st.sets(st.integers(1, 3), max_size=2))))
    drafts = tuple(memory_draft(draw(TEXTS)) for _ in range(draw(st.integers(0, 2))))
    proposes = ProposeMemories(drafts, draw(RECORD_IDS)) if drafts and draw(st.booleans()) else None
    creates = CreateMemories(drafts, draw(RECORD_IDS), MemoryPolicy()) if drafts and proposes is None else None
    after, revision = draw(st.integers(0, 2)), draw(st.integers(1, 9))
    return IngestMessages(draw(GROUPS), after, numbers, revision, 0, creates, draw(EXPECTED), proposes)


def _proposals(draw: Draw) -> Command:
    proposal_ids = tuple(draw(st.lists(RECORD_IDS, min_size=1, max_size=2, unique=True)))
    drafts = tuple(memory_draft(draw(TEXTS), memory_id=each) for each in proposal_ids)
    commands: list[Command] = [
        ProposeMemories(drafts, draw(RECORD_IDS)),
        AcceptProposals(proposal_ids, {}, draw(RECORD_IDS), MemoryPolicy()),
        RejectProposals(proposal_ids),
    ]
    return draw(st.sampled_from(commands))


def _message(draw: Draw) -> MessageDraft:
    content, create_time = draw(TEXTS), draw(st.one_of(st.none(), st.integers(1, 3)))
    size = len(content)
    return MessageDraft(draw(MESSAGE_IDS), MessageRole.USER, content, (), "", "", 0.5, create_time, size, size)


def _content(texts: list[str]) -> DocumentContent:
    chunks = tuple(ChunkDraft("", text, "", len(text)) for text in texts)
    size = sum(map(len, texts))
    return DocumentContent("text/plain", size, size, chunks)
