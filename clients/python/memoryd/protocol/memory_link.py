"""The calls about links between memories."""

from memoryd.model.listing import LIST_ORDER, ListOrder
from memoryd.model.memory_change import LinkedMemories, linked_memories_from
from memoryd.model.memory_link import MEMORY_LINK_TYPE, MemoryLink, MemoryLinkType, link_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import precondition_of
from memoryd.protocol.record_filter import UserOptions, filter_of
from memoryd.v1 import long_term_memory_service_pb2 as pb


def link_memories(
    agent_id: str,
    from_memory_id: str,
    to_memory_id: str,
    link_type: MemoryLinkType | str,
    *,
    strength: float | None,
    expected_revision: int | None,
) -> Call[LinkedMemories]:
    """Link two memories."""
    request = pb.LinkMemoriesRequest(
        agent_id=agent_id,
        from_memory_id=from_memory_id,
        to_memory_id=to_memory_id,
        type=MEMORY_LINK_TYPE.number(link_type),
        strength=strength,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.LINK_MEMORIES, request, linked_memories_from)


def unlink_memories(
    agent_id: str,
    from_memory_id: str,
    to_memory_id: str,
    link_type: MemoryLinkType | str | None,
    expected_revision: int | None,
) -> Call[bool]:
    """Delete links from one memory to another."""
    request = pb.UnlinkMemoriesRequest(
        agent_id=agent_id,
        from_memory_id=from_memory_id,
        to_memory_id=to_memory_id,
        type=MEMORY_LINK_TYPE.number(link_type or "unspecified"),
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.UNLINK_MEMORIES, request, lambda answer: answer.deleted)


def get_link(
    agent_id: str, from_memory_id: str, to_memory_id: str, link_type: MemoryLinkType | str
) -> Call[MemoryLink]:
    """Read a link."""
    request = pb.GetMemoryLinkRequest(
        agent_id=agent_id,
        from_memory_id=from_memory_id,
        to_memory_id=to_memory_id,
        type=MEMORY_LINK_TYPE.number(link_type),
    )
    return call(method.GET_MEMORY_LINK, request, lambda answer: link_from(answer.memory_link))


def list_links(
    agent_id: str,
    memory_id: str,
    link_type: MemoryLinkType | str | None,
    order: ListOrder | str = ListOrder.UNSPECIFIED,
    options: UserOptions | None = None,
) -> Call[Page[MemoryLink]]:
    """List links, page by page."""
    request = pb.ListMemoryLinksRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        filter=filter_of(options or {}, memory_link={"types": None if link_type is None else [link_type]}),
        page_size=LIST_PAGE_SIZE,
        order=LIST_ORDER.number(order),
    )
    return page_call(
        method.LIST_MEMORY_LINKS, request, lambda answer: [link_from(each) for each in answer.memory_links]
    )
