"""Drafts of memories, and their conversion to messages."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memoryd.model.entry import write_metadata
from memoryd.model.memory import (
    MEMORY_STATUS,
    MEMORY_TYPE,
    Embedding,
    MemoryStatus,
    MemoryType,
    Provenance,
    embedding_message,
    provenance_message,
)
from memoryd.model.memory_link import MEMORY_LINK_TYPE, MemoryLinkType
from memoryd.model.moment import timestamp_if_given
from memoryd.protocol.option import ExpiryOptions, strings_of, write_expiry
from memoryd.v1 import long_term_memory_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class MemoryLinkDraft:
    """A link to create together with a memory, from it to another. ``strength`` is from 0 to 1; None means 0.5."""

    to_memory_id: str
    type: MemoryLinkType | str = MemoryLinkType.RELATED
    strength: float | None = None


class MemoryOptions(ExpiryOptions, total=False):
    """The options of a memory, with at most one expiry; by default it never ends, a working memory after a day.

    ``project_id``: the project that it belongs to, at most 256 bytes. Memories of two projects never affect each other.
    ``memory_id``: at most 128 letters, digits, dots, colons, underscores and hyphens; by default the server chooses.
    ``type``: its cognitive function; by default the server chooses it by the words of the content.
    ``provenance``: where it was learned.
    ``aliases``: other names and wordings by which it is found, such as "NYC" for New York City; at most 32.
    ``tags``: labels, at most 64; their words find it, too.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    ``importance``: from 0 to 1; 0.5 by default.
    ``occur_time``: the time of the event that it states, with a time zone; now by default.
    ``embedding``: its vector, as an Embedding or as any numbers; by default the server's embedder makes one.
    ``links``: links to create with it, to memories that exist or come before it in the same call; at most 64.
    ``status``: the stage of its life; active by default.
    ``allow_duplicates``: if true, create it even if it is a duplicate: for transcripts, where two turns may be equal.
    ``skip_contradictions``: if true, do not link it with the memories that it contradicts.
    ``ttl`` and ``expire_time``: as in ExpiryOptions.
    """

    project_id: str
    memory_id: str
    type: MemoryType | str | None
    provenance: Provenance | None
    aliases: Collection[str]
    tags: Collection[str]
    metadata: Mapping[str, Any] | None
    importance: float | None
    occur_time: datetime | None
    embedding: Embedding | Iterable[float] | None
    links: Collection[MemoryLinkDraft]
    status: MemoryStatus | str | None
    allow_duplicates: bool
    skip_contradictions: bool


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory to create.

    ``content`` is the text to remember, at most 1 MiB unless the server's limits differ. It should name its speaker:
    "Ann: I moved to Oslo." ``user_id`` is the user whom it is about, or who said it; empty for none. Memories of two
    users never affect each other. MemoryOptions describes the other fields.
    """

    content: str
    user_id: str = ""
    _: KW_ONLY
    project_id: str = ""
    memory_id: str = ""
    type: MemoryType | str | None = None
    provenance: Provenance | None = None
    aliases: Collection[str] = ()
    tags: Collection[str] = ()
    metadata: Mapping[str, Any] | None = None
    importance: float | None = None
    occur_time: datetime | None = None
    ttl: timedelta | float | None = None
    expire_time: datetime | None = None
    # Its numbers would fill a screen.
    embedding: Embedding | Iterable[float] | None = field(default=None, repr=False)
    links: Collection[MemoryLinkDraft] = ()
    status: MemoryStatus | str | None = None
    allow_duplicates: bool = False
    skip_contradictions: bool = False


def draft_message(draft: MemoryDraft) -> pb.MemoryDraft:
    """Return the draft as a message. Raises ValueError for both a ttl and an expire_time, or a time without a zone."""
    message = pb.MemoryDraft(
        content=draft.content,
        user_id=draft.user_id,
        project_id=draft.project_id,
        memory_id=draft.memory_id,
        type=MEMORY_TYPE.number(draft.type or "unspecified"),
        provenance=provenance_message(draft.provenance),
        aliases=strings_of("aliases", draft.aliases),
        tags=strings_of("tags", draft.tags),
        importance=draft.importance,
        occur_time=timestamp_if_given(draft.occur_time),
        embedding=embedding_message(draft.embedding),
        links=[_link_message(link) for link in draft.links],
        status=MEMORY_STATUS.number(draft.status or "unspecified"),
        allow_duplicates=draft.allow_duplicates,
        skip_contradictions=draft.skip_contradictions,
    )
    if draft.metadata is not None:
        write_metadata(message.metadata, draft.metadata)
    write_expiry(message, {"ttl": draft.ttl, "expire_time": draft.expire_time})
    return message


def _link_message(link: MemoryLinkDraft) -> pb.MemoryLinkDraft:
    link_type = MEMORY_LINK_TYPE.number(link.type)
    return pb.MemoryLinkDraft(to_memory_id=link.to_memory_id, type=link_type, strength=link.strength)
