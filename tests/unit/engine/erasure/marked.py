"""Records of every kind with a marker in each text, the commands that remove them, and what a store has of them."""

import msgspec
from tests.unit.domain.sample import IDENTITY, fragment_draft, memory_draft, message_draft
from tests.unit.engine.journal_data import journal_data
from tests.unit.engine.world import World, draft, request

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.conversations.compaction_change import CompactMessages, Summary
from memoryd_server.domain.conversations.conversation_change import (
    CreateConversation,
    DeleteConversation,
)
from memoryd_server.domain.conversations.ingestion_change import IngestMessages
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.documents.document import ChunkDraft, DocumentContent, DocumentDraft
from memoryd_server.domain.documents.document_change import CreateDocument, DeleteDocument
from memoryd_server.domain.entities.entity import EntityDraft
from memoryd_server.domain.entities.entity_change import AddEntities, ClearEntities
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry, SetEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.fragments.fragment_change import ClearFragments, CreateFragment
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.domain.memories.changes.proposal_change import ProposeMemories, RejectProposals
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.notes.note_change import CreateNote, DeleteNote, NotePatch, UpdateNote
from memoryd_server.domain.plans.plan import PlanName
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    AddPlanStep,
    CreatePlan,
    DeletePlan,
    PlanDraft,
    PlanStepDraft,
    PlanStepPatch,
    UpdatePlanStep,
)
from memoryd_server.ports.store import Store

SECRET = "seCret"
USER = "zoe-seCret"
POLICY = MemoryPolicy()


def records_of(user_id: str, text: str, prefix: str = "") -> list[Command]:
    """Return commands that write records of each kind for a user, with a text in each field that has one."""
    note = (f"{prefix}note", text, text, text, 0.5, user_id, (text,), f'{{"a":"{text}"}}')
    value = msgspec.structs.replace(draft(f"{prefix}key", f'"{text}"'), user_id=user_id, tags=(text,), type_name=text)
    fragment = fragment_draft(text, 2**62)
    memory = memory_draft(
        text, user_id, memory_id=f"{prefix}memory", tags=(text,), metadata_json=f'{{"a":"{text}"}}', identity=IDENTITY
    )
    memory = msgspec.structs.replace(
        memory, aliases=(text,), vector=text.encode()[:4].ljust(8, b"v"), is_vector_given=True
    )
    draft_of_plan = PlanDraft(f"{prefix}plan", f"{prefix}talk", text, (PlanStepDraft(text, notes=text),))
    plan, talk = PlanName(f"{prefix}plan"), f"{prefix}talk"
    chunk = ChunkDraft(text, text, text, 1, IDENTITY, text.encode()[:4].ljust(8, b"v"))
    content = DocumentContent("text/plain", 9, 1, (chunk, chunk))
    document = DocumentDraft(f"{prefix}document", text, text, user_id, (text,), f'{{"a":"{text}"}}', text)
    return [
        SetEntry(ROOT, value, f"{prefix}e1"),
        CreateScope(text, ROOT, f"{prefix}scope", user_id=user_id),
        SetEntry(f"{prefix}scope", draft("k", f'"{text}"'), f"{prefix}e2"),
        CreateScope(text, f"{prefix}scope", f"{prefix}inner"),
        SetEntry(f"{prefix}inner", draft("k", f'"{text}"'), f"{prefix}e3"),
        CreateFragment(msgspec.structs.replace(fragment, user_id=user_id, metadata_json=f'{{"a":"{text}"}}'), 7),
        CreateMemories((memory,), "x", POLICY, returns_content=True),
        CreateMemories(
            (msgspec.structs.replace(memory, memory_id=f"{prefix}second", content=f"{text} too"),), "y", POLICY
        ),
        UpdateMemory(f"{prefix}memory", MemoryPatch(content=f"{text} again"), POLICY),
        ProposeMemories((msgspec.structs.replace(memory, memory_id=f"{prefix}proposal", content=f"{text} p"),), "z"),
        CreateNote(*note),
        UpdateNote(f"{prefix}note", NotePatch(content=f"{text} again")),
        CreateConversation(talk, user_id, text, (text,), f'{{"a":"{text}"}}'),
        AppendMessages(talk, (message_draft(text, message_id="m1"), message_draft(text, message_id="m2"))),
        CompactMessages(talk, (1,), 2**40, summary=Summary("", text, 1)),
        IngestMessages(talk, 0, (2,), 2**40),
        CreatePlan(msgspec.structs.replace(draft_of_plan, user_id=user_id, tags=(text,))),
        AddPlanStep(plan, PlanStepDraft(text, notes=text)),
        UpdatePlanStep(plan, "1", PlanStepPatch(description=f"{text} again")),
        AddPlanNote(plan, text),
        AddEntities(talk, (EntityDraft(text, text, text, text),)),
        CreateDocument(document, content),
    ]


def removals(prefix: str = "") -> list[Command]:
    """Return commands that delete what ``records_of`` writes, as a caller would one by one."""
    return [
        RemoveEntry(ROOT, f"{prefix}key"),
        DisposeScope(f"{prefix}scope"),
        ClearFragments(),
        PurgeMemory(f"{prefix}memory"),
        PurgeMemory(f"{prefix}second"),
        RejectProposals((f"{prefix}proposal",)),
        DeleteNote(f"{prefix}note"),
        DeleteConversation(f"{prefix}talk"),
        DeletePlan(f"{prefix}plan"),
        ClearEntities(f"{prefix}talk"),
        DeleteDocument(f"{prefix}document"),
    ]


async def write(world: World, commands: list[Command], agent: str = "a") -> None:
    """Execute commands, each with a request id."""
    for number, command in enumerate(commands):
        world.clock.now += SECOND_NS
        await world.do(command, agent, request(f"{type(command).__name__}{number}{world.clock.now}"))


async def stored_data(store: Store) -> bytes:
    """Return the data of all records of agent a, and of its journal."""
    stored = await store.load("a")
    records = () if stored is None else stored.records
    return b"".join(record.key.encode() + record.data for record in records) + await journal_data(store)
