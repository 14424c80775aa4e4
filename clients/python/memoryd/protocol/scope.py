"""The calls about scopes."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from memoryd.model.erasure import ErasureReceipt
from memoryd.model.moment import duration_of, seconds_of
from memoryd.model.scope import ScopeInfo, scope_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE, Place
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import Condition, condition_of, precondition_of
from memoryd.protocol.record_filter import UserOptions, filter_of
from memoryd.v1 import working_memory_service_pb2 as pb

log = logging.getLogger("memoryd")

Conflict = Literal["overwrite", "keep_parent"]


DEFAULT_IDLE_TTL = 600.0
"""Seconds for which a scope of a ``with`` block outlives a process that died."""
RENEWALS_PER_IDLE_TTL = 3
"""Renewals within the idle time of one scope: if one fails, the next still comes in time."""


@dataclass(frozen=True, slots=True)
class KeepScope:
    """The step of a block that owns a scope: use the scope every ``interval`` seconds, so that it stays."""

    place: Place
    interval: float

    def renew(self) -> Call[ScopeInfo]:
        """Return the call that uses the scope."""
        return get_scope(self.place)


def keep_scope(place: Place, idle_ttl: timedelta | float) -> KeepScope:
    """Return the step that keeps a scope with this idle time."""
    return KeepScope(place, seconds_of(idle_ttl) / RENEWALS_PER_IDLE_TTL)


def create_scope(
    parent: Place, name: str, user_id: str, condition: Condition, idle_ttl: timedelta | float | None
) -> Call[ScopeInfo]:
    """Create a scope under a scope or the root."""
    request = pb.CreateScopeRequest(
        agent_id=parent.agent_id,
        name=name,
        parent_scope_id=parent.scope_id,
        user_id=user_id,
        idle_ttl=None if idle_ttl is None else duration_of(idle_ttl),
        precondition=condition_of(condition),
        request_id=new_request_id(),
    )
    return call(method.CREATE_SCOPE, request, lambda answer: scope_from(answer.scope))


def get_scope(place: Place) -> Call[ScopeInfo]:
    """Read the description of a scope."""
    request = pb.GetScopeRequest(agent_id=place.agent_id, scope_id=place.scope_id)
    return call(method.GET_SCOPE, request, lambda answer: scope_from(answer.scope))


def list_scopes(agent_id: str, parent_scope_id: str | None, options: UserOptions) -> Call[Page[ScopeInfo]]:
    """List the active scopes, page by page: of all parents, or those directly under one (empty: the root)."""
    request = pb.ListScopesRequest(
        agent_id=agent_id, parent_scope_id=parent_scope_id, filter=filter_of(options), page_size=LIST_PAGE_SIZE
    )
    return page_call(method.LIST_SCOPES, request, lambda answer: [scope_from(scope) for scope in answer.scopes])


def merge_scope(
    place: Place, conflict: Conflict, *, dispose: bool, must_exist: bool = False, expected_revision: int | None = None
) -> Call[int]:
    """Copy a scope's own entries to its parent."""
    if conflict not in ("overwrite", "keep_parent"):
        raise ValueError(f"conflict is {conflict!r}: use 'overwrite' or 'keep_parent'")
    request = pb.MergeScopeRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        overwrite=conflict == "overwrite",
        dispose=dispose,
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.MERGE_SCOPE, request, lambda answer: answer.merged_entry_count)


def dispose_scope(
    place: Place, *, must_exist: bool = False, expected_revision: int | None = None, erase: bool = False
) -> Call[int | ErasureReceipt]:
    """Dispose a scope and its descendants. If it was disposed before, log a warning."""
    request = pb.DisposeScopeRequest(
        erase=erase,
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        agent_precondition=precondition_of(must_exist=must_exist, expected_revision=expected_revision),
        request_id=new_request_id(),
    )

    def convert(answer: pb.DisposeScopeResponse) -> int:
        if not answer.deleted:
            warn_of_end(place)
        return answer.cleared_entry_count

    return call(method.DISPOSE_SCOPE, request, removed(convert, erase=erase), patience=erasing(erase=erase))


def warn_of_end(place: Place) -> None:
    """Log that a scope had ended before it was to be disposed."""
    log.warning("scope %s of agent %s ended before", place.scope_id, place.agent_id)
