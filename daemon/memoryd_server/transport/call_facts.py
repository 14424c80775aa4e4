"""The facts of a call, by which it is audited: its caller and what it is about. A call without an audit has none."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from memoryd_server.domain.limit import (
    BATCH_OPERATIONS_MAX,
    FILTER_TERMS_MAX,
    USER_ID_BYTES_MAX,
    WRITES_PER_COMMIT_MAX,
)
from memoryd_server.domain.values.agent_pattern import WILDCARD, AgentPatterns
from memoryd_server.ports.auth import Caller
from memoryd_server.transport.limit import AUDIT_AGENTS_MAX
from memoryd_server.transport.named_agent import agents_namer


def _nothing() -> None:
    """Do nothing."""


class CallFacts(msgspec.Struct, eq=False):
    """The facts of a call, which the gate and the service find as they serve it.

    ``agents`` are ids and patterns, in the order in which they were found. ``is_denied`` is True for a denial that the
    status does not show. ``begin`` is called once a stream has begun. ``request`` is one that is still to be described,
    by ``describe``: most requests never are.
    """

    caller: Caller | None = None
    agents: dict[str, None] = {}
    user_id: str = ""
    request_id: str = ""
    target_id: str = ""
    requests: tuple[str, ...] = ()
    is_denied: bool = False
    begin: Callable[[], None] = _nothing
    request: Any = None
    describe: "Callable[[CallFacts, Any], None] | None" = None

    def complete(self) -> None:
        """Note what the request names, if that is still to be done."""
        if self.describe is not None:
            self.describe(self, self.request)
            self.drop_request()

    def drop_request(self) -> None:
        """Forget the request, which may be large."""
        self.request = self.describe = None

    def name(self, agents: str | AgentPatterns) -> None:
        """Note agents that the call is about: an id, empty for all agents, or patterns."""
        patterns = [agents or WILDCARD] if isinstance(agents, str) else agents.patterns
        for pattern in patterns[:AUDIT_AGENTS_MAX]:
            if len(self.agents) < AUDIT_AGENTS_MAX:
                self.agents[pattern] = None


Describe = Callable[[CallFacts, Any], None]
"""Notes what a request names."""


def describer(request_type: type[Message]) -> Describe:
    """Return a function that notes what a request of this type names: agents, a user, and ids.

    A request names a user or an id by its field, or by that of a message in it. Of several users it names none.
    """
    descriptor = request_type.DESCRIPTOR
    agents = agents_namer(request_type)
    users, request_ids = _reader(descriptor, "user_id", "user_ids"), _reader(descriptor, "request_id")
    targets = [name for name in ("snapshot_id", "operation_id") if name in descriptor.fields_by_name]
    kinds = _KINDS.get(descriptor.name, _none)

    def describe(facts: CallFacts, request: Any) -> None:
        for agent_id in agents(request):
            facts.name(agent_id)
        facts.user_id = _only(users(request))
        facts.request_id = _only(request_ids(request))
        facts.target_id = _only(getattr(request, target) for target in targets)
        facts.requests = tuple(sorted({kind for kind in kinds(request) if kind}))

    return describe


def _reader(descriptor: Any, *names: str) -> Callable[[Any], Iterable[str]]:
    """Return a function that yields the values of the fields of these names in a message, or in messages within it."""
    own = [name for name in names if name in descriptor.fields_by_name]
    inner = [
        field
        for field in descriptor.fields
        if field.type == FieldDescriptor.TYPE_MESSAGE
        and not field.message_type.GetOptions().map_entry
        and set(names) & set(field.message_type.fields_by_name)
    ]

    def read(request: Any) -> Iterator[str]:
        for name in own:
            yield from _texts(getattr(request, name))
        for field in inner:
            value = getattr(request, field.name)
            for message in value[: FILTER_TERMS_MAX + 1] if field.is_repeated else (value,):
                for name in names:
                    yield from _texts(getattr(message, name, ""))

    return read


def _texts(value: Any) -> Iterable[str]:
    return (value,) if isinstance(value, str) else value[: FILTER_TERMS_MAX + 1]


def _only(values: Iterable[str]) -> str:
    """Return the only value, if there is one that may be an id: others may be long, or forge a line."""
    found = {value for value in values if value}
    value = found.pop() if len(found) == 1 else ""
    return value if value.isprintable() and len(value.encode()) <= USER_ID_BYTES_MAX else ""


def _none(_request: Any) -> Iterable[str]:
    return ()


# No more than a valid request has: one that was refused for its size may have many thousands.
_KINDS: dict[str, Callable[[Any], Iterable[str | None]]] = {
    "BatchWriteEntriesRequest": lambda request: (
        each.WhichOneof("operation") for each in request.operations[: BATCH_OPERATIONS_MAX + 1]
    ),
    "CommitRequest": lambda request: (each.WhichOneof("write") for each in request.writes[: WRITES_PER_COMMIT_MAX + 1]),
    "StartOperationRequest": lambda request: (request.WhichOneof("request"),),
}
"""The kinds of the requests within a request, by its type."""
