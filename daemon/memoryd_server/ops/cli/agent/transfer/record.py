"""The records of an agent as the contract has them: read at one revision, and identified."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memoryd.protocol.method import GET_DOCUMENT, LIST_DOCUMENT_CHUNKS, LIST_MEMORIES, WATCH_EVENTS
from memoryd.sync.connection import RpcError
from memoryd.v1 import document_service_pb2, event_pb2, event_service_pb2, long_term_memory_service_pb2
from memoryd_server.ops.error import OperatorError

if TYPE_CHECKING:
    import memoryd
    from memoryd.sync.channel import Channel

KINDS: dict[str, tuple[str, ...]] = {
    "agent": (),
    "entry": ("scope_id", "key"),
    "scope": ("scope_id",),
    "fragment": ("fragment_id",),
    "memory": ("memory_id",),
    "memory_link": ("from_memory_id", "to_memory_id", "type"),
    "memory_proposal": ("memory_proposal_id",),
    "note": ("note_id",),
    "plan": ("plan_id",),
    "conversation": ("conversation_id",),
    "message": ("conversation_id", "message_id"),
    "entity_window": ("conversation_id",),
    "document": ("document_id",),
}
"""The kinds of records that have lines of their own, with the fields that identify one within its agent."""

WITHIN = {"plan_step": "plan", "entity": "entity_window", "document_chunk": "document", "summary": "conversation"}
"""The kinds of records that are a part of another kind's line."""

ANY_STATUS = ("MEMORY_STATUS_ACTIVE", "MEMORY_STATUS_ARCHIVED", "MEMORY_STATUS_SUPERSEDED")


class Record(NamedTuple):
    """A record: its kind, its message of the contract, and the text of a document."""

    kind: str
    message: Any
    text: str = ""

    @property
    def key(self) -> tuple[Any, ...]:
        """The kind and the values that identify the record within its agent."""
        return (self.kind, *(getattr(self.message, name) for name in KINDS[self.kind]))

    @property
    def name(self) -> str:
        """The kind and the id, for people."""
        return " ".join([self.kind.replace("_", " "), "/".join(str(each) for each in self.key[1:] if each != "")])


def message_type(kind: str) -> type[Any]:
    """Return the class of the messages of a kind. Raises KeyError for a kind that has no lines."""
    if kind not in KINDS:
        raise KeyError(kind)
    return type(getattr(getattr(event_pb2.Event(), kind), kind))


def channel_of(client: "memoryd.Client") -> "Channel":
    """Return the connection of a client, for the contract's own messages, which the client's model does not have."""
    return client._channel


def read_records(channel: "Channel", agent_id: str, kinds: Sequence[str] = ()) -> Iterator[tuple[int, list[Record]]]:
    """Yield the records of an agent, a message of them at a time, each with the one revision that all are of.

    A record comes after those that it depends on. The last list is empty. Documents have no text. Raises CallFailed.
    """
    names = [f"RECORD_KIND_{kind.upper()}" for kind in kinds]
    request = event_service_pb2.WatchEventsRequest(
        filters=[event_pb2.EventFilter(agent_ids=[agent_id], kinds=names)], include_initial_state=True
    )
    stream = channel.download(WATCH_EVENTS, request, None)
    try:
        for response in stream:
            if response.phase == event_service_pb2.WATCH_PHASE_INITIAL_STATE:
                yield response.revision, [_record_of(event) for event in response.events]
            elif response.phase == event_service_pb2.WATCH_PHASE_INITIAL_STATE_COMPLETE:
                yield response.revision, []
                return
        raise OperatorError(f"the daemon ended the call before all records of agent {agent_id!r} were sent: try again")
    except RpcError as error:
        raise channel.failure(error) from None
    finally:
        stream.cancel()


def _record_of(event: event_pb2.Event) -> Record:
    kind = event.WhichOneof("subject")
    assert kind is not None
    return Record(kind, getattr(getattr(event, kind), kind))


def read_text(channel: "Channel", agent_id: str, document: Any) -> str | None:
    """Return the text of a document as of its revision; None if it has changed since. Raises CallFailed."""
    from memoryd.errors import RecordNotFound
    from memoryd.protocol.call import call, page_call

    document_id, chunks = document.document_id, document_service_pb2.ListDocumentChunksRequest
    request = chunks(agent_id=agent_id, document_id=document_id, page_size=1_000)
    try:
        listing = page_call(LIST_DOCUMENT_CHUNKS, request, lambda page: list(page.chunks))
        text = "".join(chunk.text for chunk in channel.pages(listing))
        asked = document_service_pb2.GetDocumentRequest(agent_id=agent_id, document_id=document_id)
        # The chunks are of one revision, and of this document if it is the same after them.
        now = channel.run(call(GET_DOCUMENT, asked, lambda response: response.document.revision))
    except RecordNotFound:
        return None
    return text if now == document.revision else None


def read_forgotten(channel: "Channel", agent_id: str) -> Iterator[Any]:
    """Yield an agent's forgotten memories without their content. Raises CallFailed."""
    from memoryd.protocol.call import page_call

    request = long_term_memory_service_pb2.ListMemoriesRequest(
        agent_id=agent_id,
        page_size=1_000,
        view="RECORD_VIEW_WITHOUT_CONTENT",
        forgotten_only=True,
        filter={"all_users": True, "memory": {"statuses": ANY_STATUS}},
    )
    yield from channel.pages(page_call(LIST_MEMORIES, request, lambda page: list(page.memories)))
