"""The latency of composing a context of all kinds of memory."""

from collections.abc import Sequence
from functools import partial

import msgspec
from tests.benchmarks.figure import percentile
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.timing import times_ms
from tests.conversation import Conversation

from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1 import (
    conversation_pb2,
    conversation_service_pb2,
    document_pb2,
    document_service_pb2,
    entity_pb2,
    entity_service_pb2,
    note_service_pb2,
    plan_pb2,
    plan_service_pb2,
)
from memoryd.v1.context_service_pb2_grpc import ContextServiceStub
from memoryd.v1.conversation_service_pb2_grpc import ConversationServiceStub
from memoryd.v1.document_service_pb2_grpc import DocumentServiceStub
from memoryd.v1.entity_service_pb2_grpc import EntityServiceStub
from memoryd.v1.note_service_pb2_grpc import NoteServiceStub
from memoryd.v1.plan_service_pb2_grpc import PlanServiceStub

NOTES, CHUNKS, ENTITIES, MESSAGES, STEPS = 50, 100, 10, 500, 10
TARGET_MS_P95 = 10.0
_AGENT = "composer"
_CALLS = 300
_WARMING = 30


class Latency(msgspec.Struct, frozen=True):
    """Latencies of single calls with one tokenizer, in milliseconds. ``flags`` are the daemon's."""

    flags: str
    tokenizer: str
    calls: int
    ms_p50: float
    ms_p95: float
    tokens: int


def fill(process: DaemonProcess, conversation: Conversation) -> None:
    """Store the records that the target names, with the turns of a real conversation as texts."""
    channel, texts = process.channel, [turn.content for turn in conversation.turns]
    notes, plans = NoteServiceStub(channel), PlanServiceStub(channel)
    for number in range(NOTES):
        text = texts[number]
        notes.CreateNote(
            note_service_pb2.CreateNoteRequest(agent_id=_AGENT, draft={"title": f"Note {number}", "content": text})
        )
    _add_documents(DocumentServiceStub(channel), texts)
    plans.CreatePlan(
        plan_service_pb2.CreatePlanRequest(
            agent_id=_AGENT,
            draft=plan_pb2.PlanDraft(
                conversation_id="talk",
                goal=texts[0],
                steps=[plan_pb2.PlanStepDraft(description=text) for text in texts[1 : STEPS + 1]],
            ),
        )
    )
    entities = [
        entity_pb2.Entity(type=("page", "section")[number % 2], entity_id=str(number), name=texts[number][:40])
        for number in range(ENTITIES)
    ]
    EntityServiceStub(channel).AddEntities(
        entity_service_pb2.AddEntitiesRequest(agent_id=_AGENT, conversation_id="talk", entities=entities)
    )
    drafts = [
        conversation_pb2.MessageDraft(role=conversation_pb2.MESSAGE_ROLE_USER, content=text)
        for text in (texts * 2)[:MESSAGES]
    ]
    ConversationServiceStub(channel).AppendMessages(
        conversation_service_pb2.AppendMessagesRequest(agent_id=_AGENT, conversation_id="talk", drafts=drafts)
    )


def measured(process: DaemonProcess, flags: str, model: str, questions: Sequence[str]) -> Latency:
    """Measure ComposeContext, for one question after the other."""
    contexts = ContextServiceStub(process.channel)
    requests = [_request(model, questions[number % len(questions)]) for number in range(_WARMING + _CALLS)]
    last = contexts.ComposeContext(requests[-1])
    times = times_ms(partial(contexts.ComposeContext, request) for request in requests)[_WARMING:]
    return Latency(flags, last.tokenizer, _CALLS, percentile(times, 50), percentile(times, 95), last.token_count)


def _add_documents(documents: DocumentServiceStub, texts: Sequence[str]) -> None:
    """Add documents of one section each, until there are enough chunks."""
    chunks, number = 0, 0
    while chunks < CHUNKS:
        text = "\n\n".join(texts[number * 10 : number * 10 + 10])
        draft = document_pb2.DocumentDraft(title=f"Part {number}")
        request = document_service_pb2.CreateDocumentRequest(agent_id=_AGENT, draft=draft, text=text)
        chunks += documents.CreateDocument(request).document.chunk_count
        number = (number + 1) % (len(texts) // 10)


def _request(model: str, query: str) -> pb.ComposeContextRequest:
    return pb.ComposeContextRequest(
        agent_id=_AGENT,
        conversation_id="talk",
        model=model,
        query=query,
        sections=[
            pb.ContextSection(notes=pb.NotesSource()),
            pb.ContextSection(documents=pb.DocumentsSource()),
            pb.ContextSection(plan=pb.PlanSource()),
            pb.ContextSection(entities=pb.EntitiesSource()),
            pb.ContextSection(messages=pb.MessagesSource()),
        ],
    )
