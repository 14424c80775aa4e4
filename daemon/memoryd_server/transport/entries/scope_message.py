"""Encoding of scopes."""

from memoryd.v1 import scope_pb2
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.engine.entries.working_memory import ScopeView
from memoryd_server.transport.fields.timestamp import duration, timestamp


def scope_message(view: ScopeView) -> scope_pb2.Scope:
    """Encode a scope."""
    message = committed_scope_message(view.scope)
    message.entry_count = view.entry_count
    return message


def committed_scope_message(scope: Scope) -> scope_pb2.Scope:
    """Encode a scope as it was committed, without the number of its entries, for events."""
    message = scope_pb2.Scope(
        scope_id=scope.scope_id,
        name=scope.name,
        parent_scope_id=scope.parent_scope_id,
        disposed=scope.disposed,
        revision=scope.revision,
        user_id=scope.user_id,
        create_time=timestamp(scope.create_time),
    )
    if scope.idle_ttl_ns is not None:
        message.idle_ttl.CopyFrom(duration(scope.idle_ttl_ns))
    if scope.expire_time is not None:
        message.expire_time.CopyFrom(timestamp(scope.expire_time))
    return message
