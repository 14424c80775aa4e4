"""Scopes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryd.model.moment import datetime_from
from memoryd.v1 import scope_pb2


@dataclass(frozen=True, slots=True)
class ScopeInfo:
    """A scope. ``parent_scope_id`` is empty for a scope under the root. ``entry_count`` does not count inherited
    entries. A scope with an ``idle_ttl`` is disposed by the daemon at ``expire_time``, unless it is used before; both
    are None for a scope that stays until ``dispose``.
    """

    scope_id: str
    name: str
    parent_scope_id: str
    disposed: bool
    entry_count: int
    create_time: datetime
    revision: int
    user_id: str
    idle_ttl: timedelta | None = None
    expire_time: datetime | None = None


def scope_from(message: scope_pb2.Scope) -> ScopeInfo:
    """Return the scope of a message."""
    return ScopeInfo(
        scope_id=message.scope_id,
        name=message.name,
        parent_scope_id=message.parent_scope_id,
        disposed=message.disposed,
        entry_count=message.entry_count,
        create_time=datetime_from(message.create_time),
        revision=message.revision,
        user_id=message.user_id,
        idle_ttl=message.idle_ttl.ToTimedelta() if message.HasField("idle_ttl") else None,
        expire_time=datetime_from(message.expire_time) if message.HasField("expire_time") else None,
    )
