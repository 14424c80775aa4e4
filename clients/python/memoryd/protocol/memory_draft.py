"""What a writer gives of a memory."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from typing import Any

from memoryd.model.memory import (
    LONG_TERM_MEMORY_TYPE,
    Embedding,
    LongTermMemoryType,
    Provenance,
    embedding_message,
    provenance_message,
)
from memoryd.model.memory_link import MEMORY_LINK_TYPE, MemoryLinkType
from memoryd.model.moment import timestamp_if_given
from memoryd.protocol.option import ExpiryOptions, strings_of, write_expiry
from memoryd.v1 import long_term_memory_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class DraftLink:
    """A link to be made with a memory, which is at its start. ``strength`` is from 0 to 1; None means 0.5."""

    to_memory_id: str
    type: MemoryLinkType | str = MemoryLinkType.RELATED
    strength: float | None = None


class MemoryOptions(ExpiryOptions, total=False):
    """What may be said about a memory, and at most one way to end; none means never, for a working memory a day.

    ``project_id``: the project that it belongs to, at most 256 bytes. Memories of two projects never touch each other.
    ``memory_id``: its id: at most 128 letters, digits, dots, colons, underscores and hyphens; else the server chooses.
    ``type``: what it is; the server chooses by the words of the content when left out.
    ``provenance``: where it was learned.
    ``tags``: labels, at most 64.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    ``importance``: from 0 to 1; 0.5 when left out.
    ``occur_time``: when what it tells happened, with a time zone; now when left out.
    ``embedding``: its vector, as an Embedding or as any numbers; the server's embedder makes one when left out.
    ``links``: links to be made with it, to memories that are there or come before it in the same call; at most 64.
    ``skip_kinship_check``: keep it even when it tells what another one tells, and look for no contradictions: for
    transcripts, where two turns may be equal.
    ``ttl`` and ``expire_time``: as in ExpiryOptions.
    """

    project_id: str
    memory_id: str
    type: LongTermMemoryType | str | None
    provenance: Provenance | None
    tags: Collection[str]
    metadata: Mapping[str, Any] | None
    importance: float | None
    occur_time: datetime | None
    embedding: Embedding | Iterable[float] | None
    links: Collection[DraftLink]
    skip_kinship_check: bool


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """What a writer gives of a memory.

    ``content`` is the text to remember, at most 1 MiB unless the server says otherwise; who speaks is best named in it:
    "Ann: I moved to Oslo." ``user_id`` is whom it is about, or who told it: 1 to 256 bytes; memories of two users never
    touch each other. The rest is as in MemoryOptions.
    """

    content: str
    user_id: str
    _: KW_ONLY
    project_id: str = ""
    memory_id: str = ""
    type: LongTermMemoryType | str | None = None
    provenance: Provenance | None = None
    tags: Collection[str] = ()
    metadata: Mapping[str, Any] | None = None
    importance: float | None = None
    occur_time: datetime | None = None
    ttl: timedelta | float | None = None
    expire_time: datetime | None = None
    embedding: Embedding | Iterable[float] | None = None
    links: Collection[DraftLink] = ()
    skip_kinship_check: bool = False


def draft_message(draft: MemoryDraft) -> pb.MemoryDraft:
    """Answer the draft as a message. Raises ValueError when it has two ends, or a time without a zone."""
    message = pb.MemoryDraft(
        content=draft.content,
        user_id=draft.user_id,
        project_id=draft.project_id,
        memory_id=draft.memory_id,
        type=LONG_TERM_MEMORY_TYPE.number(draft.type or "unspecified"),
        provenance=provenance_message(draft.provenance),
        tags=strings_of("tags", draft.tags),
        importance=draft.importance,
        occur_time=timestamp_if_given(draft.occur_time),
        embedding=embedding_message(draft.embedding),
        links=[_link_message(link) for link in draft.links],
        skip_kinship_check=draft.skip_kinship_check,
    )
    if draft.metadata is not None:
        message.metadata.update(draft.metadata)
    write_expiry(message, {"ttl": draft.ttl, "expire_time": draft.expire_time})
    return message


def _link_message(link: DraftLink) -> pb.DraftLink:
    return pb.DraftLink(to_memory_id=link.to_memory_id, type=MEMORY_LINK_TYPE.number(link.type), strength=link.strength)
