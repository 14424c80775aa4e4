"""The policy of each method in the contract, read from its descriptors: its access rule, verb, cost and feature.

A method without an access rule is not served: the server does not start with it.
"""

import enum
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions

from memoryd.v1 import method_policy_pb2 as pb
from memoryd.v1 import transaction_service_pb2 as transaction_pb
from memoryd_server.domain.agents.tier import FEATURES_OF_EVERY_TIER, NO_FEATURES, Feature, Features
from memoryd_server.domain.values.agent_pattern import NO_AGENTS
from memoryd_server.ports.auth import Caller, Verb


class AccessRule(enum.Enum):
    """The rules by which a caller's right is checked. ``MethodAccess`` in method_policy.proto defines each."""

    AGENT = pb.METHOD_ACCESS_UNSPECIFIED
    SELECTION = pb.METHOD_ACCESS_SELECTION
    LISTED = pb.METHOD_ACCESS_LISTED
    SNAPSHOT = pb.METHOD_ACCESS_SNAPSHOT
    HEADER = pb.METHOD_ACCESS_HEADER
    AUTHENTICATED = pb.METHOD_ACCESS_AUTHENTICATED
    OPERATION = pb.METHOD_ACCESS_OPERATION


class CallCost(enum.Enum):
    """The resource that a call occupies while it lasts, which decides the pool that it counts in."""

    CALL = enum.auto()
    WAIT = enum.auto()
    TRANSFER = enum.auto()
    WATCH = enum.auto()


class MethodPolicy(msgspec.Struct, frozen=True):
    """The policy of a method, whose ``name`` is such as ``EventService/ListEvents``.

    ``verb`` is the right that a call needs; None for none of its own. ``further_verbs`` returns those that a request
    needs besides. ``is_read`` is True if a call changes nothing. ``own_features`` are those that every call uses,
    without those that every tier has; ``further_features`` returns those that a request uses besides.
    """

    name: str
    rule: AccessRule = AccessRule.AGENT
    verb: Verb | None = Verb.READ
    cost: CallCost = CallCost.CALL
    is_read: bool = False
    further_verbs: Callable[[Any], Iterable[Verb]] | None = None
    own_features: Features = NO_FEATURES
    further_features: Callable[[Any], Features] | None = None

    def features(self, request: Any) -> Features:
        """Return the features that a request uses, without those that every tier has."""
        further = self.further_features
        return self.own_features if further is None else self.own_features | further(request)


def policy_of(method: MethodDescriptor) -> MethodPolicy:
    """Return what the method's proto says of it. Raises ValueError as ``access_rule``."""
    is_read = method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
    name = f"{method.containing_service.name}/{method.name}"
    further = _FURTHER_VERBS.get(method.input_type.name)
    feature = feature_of(method)
    features = NO_FEATURES if feature is None else frozenset({feature}) - FEATURES_OF_EVERY_TIER
    further_features = _FURTHER_FEATURES.get(method.input_type.name)
    rule, verb, cost = access_rule(method), verb_of(method), call_cost(method)
    return MethodPolicy(name, rule, verb, cost, is_read, further, features, further_features)


def access_rule(method: MethodDescriptor) -> AccessRule:
    """Return the method's access rule: the one in its proto, by default that for the agent of the request.

    Raises ValueError for a method without a rule that streams, or whose request has no ``agent_id``: the gate can check
    only the agent of a single request.
    """
    rule = AccessRule(_policy(method).access)
    streams = method.client_streaming or method.server_streaming
    if rule is AccessRule.AGENT and (streams or "agent_id" not in method.input_type.fields_by_name):
        raise ValueError(f"{method.full_name} needs an access rule: set (method_policy).access in its proto")
    return rule


def verb_of(method: MethodDescriptor) -> Verb | None:
    """Return the verb that every call of the method needs, by ``MethodVerb`` in method_policy.proto.

    None means that it needs none of its own. Raises KeyError for an unknown verb.
    """
    verb = _policy(method).verb
    if verb == pb.METHOD_VERB_UNSPECIFIED:
        is_read = method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
        return Verb.READ if is_read else Verb.WRITE
    return _VERBS[verb]


def verbs_of(caller: Caller) -> list[pb.MethodVerb]:
    """Return the verbs that a caller has for at least one agent, in the order of their numbers."""
    return [number for number, verb in _VERBS.items() if verb is not None and caller.agents(verb) != NO_AGENTS]


def call_cost(method: MethodDescriptor) -> CallCost:
    """Return what a call of the method occupies, by ``MethodCost`` in method_policy.proto."""
    return _COSTS.get(_policy(method).cost, CallCost.CALL)


def feature_of(method: MethodDescriptor) -> Feature | None:
    """Return the feature that every call of the method uses, by its proto or else that of its service; None for none.

    What only removes uses none, unless its own proto says so, and what is about no agent. Raises ValueError for an
    unknown feature.
    """
    if access_rule(method) not in (AccessRule.AGENT, AccessRule.HEADER):
        return None
    if own := _policy(method).feature:
        return Feature(own)
    options: Any = method.containing_service.GetOptions()  # the generated types lack the extension
    of_service = options.Extensions[pb.service_policy].feature
    return Feature(of_service) if of_service and verb_of(method) is not Verb.DELETE else None


def _features_of_commit(request: Any) -> Features:
    kinds = {each.WhichOneof("write") for each in request.writes}
    return NO_FEATURES.union(*(_FEATURES_OF_WRITES.get(kind, NO_FEATURES) for kind in kinds))


def _features_of_compaction(request: Any) -> Features:
    return frozenset({Feature.NOTES}) if request.WhichOneof("strategy") == "extract_to_notes" else NO_FEATURES


def _verbs_of_batch(request: Any) -> Iterable[Verb]:
    if request.erase or any(each.WhichOneof("operation") == "remove" for each in request.operations):
        yield Verb.DELETE


def _verbs_of_end(request: Any) -> Iterable[Verb]:
    if request.create_snapshot:
        yield Verb.SNAPSHOT


def _verbs_of_update(request: Any) -> Iterable[Verb]:
    if "tier" in request.update_mask.paths:
        yield Verb.ADMIN


def _verbs_of_merge(request: Any) -> Iterable[Verb]:
    if request.dispose:
        yield Verb.DELETE


def _verbs_of_commit(request: Any) -> Iterable[Verb]:
    for each in request.writes:
        kind = each.WhichOneof("write")
        if kind in _REMOVING_WRITES:
            yield Verb.DELETE
        elif kind in _FURTHER_VERBS_OF_WRITES:
            yield from _FURTHER_VERBS_OF_WRITES[kind](getattr(each, kind))


def _type_of(field: Any) -> str:
    """Return the type of a field's messages."""
    name: str = field.message_type.name
    return name


def _method_of(request: Any) -> MethodDescriptor:
    """Return the method whose request has this type."""
    methods = (each for service in request.file.services_by_name.values() for each in service.methods)
    method: MethodDescriptor = next(method for method in methods if method.input_type is request)
    return method


def _policy(method: MethodDescriptor) -> pb.MethodPolicy:
    options: Any = method.GetOptions()  # the generated types lack the extension
    policy: pb.MethodPolicy = options.Extensions[pb.method_policy]
    return policy


_COSTS: dict[int, CallCost] = {
    pb.METHOD_COST_WAIT: CallCost.WAIT,
    pb.METHOD_COST_TRANSFER: CallCost.TRANSFER,
    pb.METHOD_COST_WATCH: CallCost.WATCH,
}

_VERBS: dict[pb.MethodVerb, Verb | None] = {
    pb.METHOD_VERB_READ: Verb.READ,
    pb.METHOD_VERB_WRITE: Verb.WRITE,
    pb.METHOD_VERB_DELETE: Verb.DELETE,
    pb.METHOD_VERB_WATCH: Verb.WATCH,
    pb.METHOD_VERB_SNAPSHOT: Verb.SNAPSHOT,
    pb.METHOD_VERB_ADMIN: Verb.ADMIN,
    pb.METHOD_VERB_ANY: None,
}

_FURTHER_VERBS: dict[str, Callable[[Any], Iterable[Verb]]] = {
    "BatchWriteEntriesRequest": _verbs_of_batch,
    "CommitRequest": _verbs_of_commit,
    "EndAgentRequest": _verbs_of_end,
    "MergeScopeRequest": _verbs_of_merge,
    "UpdateAgentRequest": _verbs_of_update,
}
"""The verbs that depend on what a request contains, by its type."""

_REMOVING_WRITES = {
    field.name
    for field in transaction_pb.Write.DESCRIPTOR.fields
    if verb_of(_method_of(field.message_type)) is Verb.DELETE
}
_FURTHER_VERBS_OF_WRITES = {
    field.name: _FURTHER_VERBS[kind]
    for field in transaction_pb.Write.DESCRIPTOR.fields
    if (kind := _type_of(field)) in _FURTHER_VERBS
}

_FURTHER_FEATURES: dict[str, Callable[[Any], Features]] = {
    "CommitRequest": _features_of_commit,
    "CompactMessagesRequest": _features_of_compaction,
}
"""The features that depend on what a request contains, by its type."""

_FEATURES_OF_WRITES = {
    field.name: frozenset({feature}) - FEATURES_OF_EVERY_TIER
    for field in transaction_pb.Write.DESCRIPTOR.fields
    if (feature := feature_of(_method_of(field.message_type))) is not None
}
