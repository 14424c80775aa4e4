"""The calls about a conversation's window of entities."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

from memoryd.model.entity import (
    Entity,
    EntityWindowInfo,
    entities_of_json,
    entity_from,
    entity_window_from,
)
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.moment import timestamp_if_given
from memoryd.model.value import encode
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import precondition_of
from memoryd.protocol.record_filter import UserOptions, filter_of
from memoryd.v1 import entity_pb2
from memoryd.v1 import entity_service_pb2 as pb

R = TypeVar("R", pb.AddEntitiesRequest, pb.SetEntitiesRequest)


@dataclass(frozen=True, slots=True)
class WindowName:
    """The name of a window: an agent and one of its conversations."""

    agent_id: str
    conversation_id: str


class WindowOptions(TypedDict, total=False):
    """The options of a change of a window.

    ``window_size``: the size of the window from now on; 0 keeps the current one, which is 10 for a new window.
    ``user_id``: the user with whom the conversation is, empty for none; by default it is kept.
    ``expected_revision``: the revision that the window must have, 0 if there must be none.
    """

    window_size: int
    user_id: str
    expected_revision: int | None


class WindowListOptions(UserOptions, total=False):
    """The options of a list of windows, and which are selected: see UserOptions.

    ``order``: by default that of creation. ``view``: by default the windows are in full.
    """

    order: ListOrder | str
    view: RecordView | str


def get_entity_window(name: WindowName) -> Call[EntityWindowInfo]:
    """Read a window."""
    return call(method.GET_ENTITY_WINDOW, _get_request(name), lambda answer: entity_window_from(answer.entity_window))


def get_prompt_text(name: WindowName) -> Call[str]:
    """Read a window as text for a prompt."""
    return call(method.GET_ENTITY_WINDOW, _get_request(name), lambda answer: answer.prompt_text)


def list_entity_windows(agent_id: str, options: WindowListOptions) -> Call[Page[EntityWindowInfo]]:
    """List windows, page by page."""
    request = pb.ListEntityWindowsRequest(
        agent_id=agent_id,
        filter=filter_of(options),
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(
        method.LIST_ENTITY_WINDOWS,
        request,
        lambda answer: [entity_window_from(each) for each in answer.entity_windows],
    )


def add_entities(name: WindowName, entities: Iterable[Entity], options: WindowOptions) -> Call[EntityWindowInfo]:
    """Add entities to a window, one after the other."""
    request = _filled(pb.AddEntitiesRequest(), name, entities, options)
    return call(method.ADD_ENTITIES, request, lambda answer: entity_window_from(answer.entity_window))


def set_entities(name: WindowName, entities: Iterable[Entity], options: WindowOptions) -> Call[EntityWindowInfo]:
    """Replace the entities of a window, newest first."""
    request = _filled(pb.SetEntitiesRequest(), name, entities, options)
    return call(method.SET_ENTITIES, request, lambda answer: entity_window_from(answer.entity_window))


def load_entities(name: WindowName, text: str, *, expected_revision: int | None) -> Call[EntityWindowInfo]:
    """Replace a window by one that was written as JSON. Raises ValueError for any other text."""
    return set_entities(name, entities_of_json(text), {"expected_revision": expected_revision})


def extract_entities(
    name: WindowName,
    tool_name: str,
    result: Any,
    *,
    tool_prefix: str,
    dry_run: bool,
    expected_revision: int | None,
) -> Call[list[Entity]]:
    """Extract entities from a tool's result, and add them unless ``dry_run`` is true.

    Raises UnsupportedValue if JSON cannot represent the result.
    """
    request = pb.ExtractEntitiesRequest(
        agent_id=name.agent_id,
        conversation_id=name.conversation_id,
        tool_name=tool_name,
        result_json=encode(result),
        tool_prefix=tool_prefix,
        dry_run=dry_run,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.EXTRACT_ENTITIES, request, lambda answer: [*map(entity_from, answer.entities)])


def clear_entities(
    name: WindowName, expected_revision: int | None, *, erase: bool = False
) -> Call[int | ErasureReceipt]:
    """Remove a window."""
    request = pb.ClearEntitiesRequest(
        erase=erase,
        agent_id=name.agent_id,
        conversation_id=name.conversation_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.CLEAR_ENTITIES,
        request,
        removed(lambda answer: answer.deleted_entity_count, erase=erase),
        patience=erasing(erase=erase),
    )


def _get_request(name: WindowName) -> pb.GetEntityWindowRequest:
    return pb.GetEntityWindowRequest(agent_id=name.agent_id, conversation_id=name.conversation_id)


def _filled(request: R, name: WindowName, entities: Iterable[Entity], options: WindowOptions) -> R:
    request.agent_id = name.agent_id
    request.request_id = new_request_id()
    precondition = precondition_of(expected_revision=options.get("expected_revision"))
    if precondition is not None:
        request.precondition.CopyFrom(precondition)
    request.conversation_id = name.conversation_id
    request.entities.extend(map(_message_of, entities))
    request.window_size = options.get("window_size", 0)
    if "user_id" in options:
        request.user_id = options["user_id"]
    return request


def _message_of(entity: Entity) -> entity_pb2.Entity:
    return entity_pb2.Entity(
        type=entity.type,
        entity_id=entity.entity_id,
        name=entity.name,
        slug=entity.slug,
        last_access_time=timestamp_if_given(entity.last_access_time),
    )
