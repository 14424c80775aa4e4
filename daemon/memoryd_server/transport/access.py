"""The access rule of each method, by which the caller's right is checked, read from the contract's descriptors.

A method without a rule is not served: the server does not start with it.
"""

import enum
from typing import Any

from google.protobuf.descriptor import MethodDescriptor

from memoryd.v1 import method_policy_pb2 as pb


class AccessRule(enum.Enum):
    """The rules by which a caller's right is checked. ``MethodAccess`` in method_policy.proto defines each."""

    AGENT = pb.METHOD_ACCESS_UNSPECIFIED
    SELECTION = pb.METHOD_ACCESS_SELECTION
    LISTED = pb.METHOD_ACCESS_LISTED
    SNAPSHOT = pb.METHOD_ACCESS_SNAPSHOT
    HEADER = pb.METHOD_ACCESS_HEADER
    AUTHENTICATED = pb.METHOD_ACCESS_AUTHENTICATED
    OPERATION = pb.METHOD_ACCESS_OPERATION


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


class CallCost(enum.Enum):
    """The resource that a call occupies while it lasts, which decides the pool that it counts in."""

    CALL = enum.auto()
    WAIT = enum.auto()
    TRANSFER = enum.auto()
    WATCH = enum.auto()
    PROBE = enum.auto()
    """A question about the daemon itself, which is answered while all other pools are full."""


def call_cost(method: MethodDescriptor) -> CallCost:
    """Return what a call of the method occupies, by ``MethodCost`` in method_policy.proto."""
    return _COSTS.get(_policy(method).cost, CallCost.CALL)


_COSTS: dict[int, CallCost] = {
    pb.METHOD_COST_WAIT: CallCost.WAIT,
    pb.METHOD_COST_TRANSFER: CallCost.TRANSFER,
    pb.METHOD_COST_WATCH: CallCost.WATCH,
}


def _policy(method: MethodDescriptor) -> pb.MethodPolicy:
    options: Any = method.GetOptions()  # the generated types lack the extension
    policy: pb.MethodPolicy = options.Extensions[pb.method_policy]
    return policy
