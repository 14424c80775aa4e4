"""Every kind of record with texts that try to leave their section, over the wire: HM-07 and HM-08."""

import re
from collections.abc import Callable

from tests.in_process import AnyDaemon
from tests.integration.wire import Memory, Wire
from tests.prompts import ATTACKS

from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1 import (
    conversation_service_pb2,
    document_service_pb2,
    entity_service_pb2,
    long_term_memory_service_pb2,
    note_service_pb2,
    plan_service_pb2,
    working_memory_service_pb2,
)
from memoryd.v1.context_service_pb2_grpc import ContextServiceStub
from memoryd.v1.conversation_service_pb2_grpc import ConversationServiceStub
from memoryd.v1.document_service_pb2_grpc import DocumentServiceStub
from memoryd.v1.entity_service_pb2_grpc import EntityServiceStub
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub
from memoryd.v1.note_service_pb2_grpc import NoteServiceStub
from memoryd.v1.plan_service_pb2_grpc import PlanServiceStub
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

# In a title, a name or a goal, control characters are refused when they are written.
ATTACK = "x\n" + "\n".join(text for text, _ in ATTACKS).replace("\x00", "")
IN_LINE = "".join(each if each.isprintable() else " " for each in ATTACK)[:900].strip()
FRAME = re.compile(r"\[(?:END_)?(?:DYNAMIC_MEMORY|MEMORIES|DOCUMENTS|ENTRIES|CURRENT_PLAN|WORKING MEMORY|SUMMARY)\]")


def store(agent: Memory) -> None:
    """Store an attack in a record of each kind."""
    channel, at = agent.wire.channel, {"agent_id": agent.id}
    NoteServiceStub(channel).CreateNote(
        note_service_pb2.CreateNoteRequest(**at, draft={"title": IN_LINE, "content": ATTACK})
    )
    DocumentServiceStub(channel).CreateDocument(
        document_service_pb2.CreateDocumentRequest(**at, draft={"title": IN_LINE}, text=ATTACK)
    )
    LongTermMemoryServiceStub(channel).CreateMemory(
        long_term_memory_service_pb2.CreateMemoryRequest(**at, draft={"content": ATTACK, "user_id": "ann"})
    )
    WorkingMemoryServiceStub(channel).SetEntry(
        working_memory_service_pb2.SetEntryRequest(**at, key=IN_LINE[:200], value={"string_value": ATTACK})
    )
    plan = {"conversation_id": "talk", "goal": ATTACK, "steps": [{"description": ATTACK}]}
    PlanServiceStub(channel).CreatePlan(plan_service_pb2.CreatePlanRequest(**at, draft=plan))
    entity = {"type": "page", "entity_id": "1", "name": IN_LINE[:120]}
    EntityServiceStub(channel).AddEntities(
        entity_service_pb2.AddEntitiesRequest(**at, conversation_id="talk", entities=[entity])
    )
    draft = {"role": 2, "content": ATTACK}
    ConversationServiceStub(channel).AppendMessages(
        conversation_service_pb2.AppendMessagesRequest(**at, conversation_id="talk", drafts=[draft])
    )


def test_no_record_of_any_kind_closes_the_frame_of_its_section(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    agent = connect(launch()).agent()
    store(agent)
    sources = ("notes", "documents", "memories", "entries", "plan", "entities", "messages")
    request = pb.ComposeContextRequest(
        agent_id=agent.id, conversation_id="talk", query="root", max_tokens=100_000, filter={"all_users": True}
    )
    for source in sources:
        getattr(request.sections.add(), source).SetInParent()
    messages = {each.section: each for each in ContextServiceStub(agent.wire.channel).ComposeContext(request).messages}
    assert set(messages) == set(sources)
    frames = {source: FRAME.findall(each.content) for source, each in messages.items()}
    assert {source: len(found) for source, found in frames.items()} == {
        **dict.fromkeys(sources, 2),
        "entities": 1,
        "messages": 0,
    }
    for each in messages.values():
        assert all(letter in "\n\t" or letter.isprintable() or ord(letter) > 0x9F for letter in each.content)
