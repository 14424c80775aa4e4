"""Encoding of scopes."""

from memoryd.v1 import scope_pb2
from memoryd_server.engine.entries.working_memory import ScopeView
from memoryd_server.transport.fields.timestamp import timestamp


def scope_message(view: ScopeView) -> scope_pb2.Scope:
    """Encode a scope."""
    scope = view.scope
    return scope_pb2.Scope(
        scope_id=scope.scope_id,
        name=scope.name,
        parent_scope_id=scope.parent_scope_id,
        disposed=scope.disposed,
        local_count=view.local_count,
        create_time=timestamp(scope.create_time),
    )
