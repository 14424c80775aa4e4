"""How the right to make a call is checked: the access rule of each method, read from the contract's descriptors.

A method without a rule is not served: the server does not start with it.
"""

import enum
from typing import Any

from google.protobuf.descriptor import MethodDescriptor

from memoryd.v1 import method_policy_pb2 as pb


class AccessRule(enum.Enum):
    """How a call's right is checked. ``MethodAccess`` in method_policy.proto says what each rule guarantees."""

    AGENT = pb.METHOD_ACCESS_UNSPECIFIED
    SELECTION = pb.METHOD_ACCESS_SELECTION
    LISTED = pb.METHOD_ACCESS_LISTED
    SNAPSHOT = pb.METHOD_ACCESS_SNAPSHOT
    HEADER = pb.METHOD_ACCESS_HEADER
    AUTHENTICATED = pb.METHOD_ACCESS_AUTHENTICATED


def access_rule(method: MethodDescriptor) -> AccessRule:
    """The method's access rule: the one that its proto names, else the agent of the request.

    Raises ValueError for a method that names none, and that streams or whose request has no ``agent_id``: the gate
    checks the agent of a single request only.
    """
    rule = AccessRule(_policy(method).access)
    streams = method.client_streaming or method.server_streaming
    if rule is AccessRule.AGENT and (streams or "agent_id" not in method.input_type.fields_by_name):
        raise ValueError(f"{method.full_name} needs an access rule: set (method_policy).access in its proto")
    return rule


def is_watch(method: MethodDescriptor) -> bool:
    """Whether a call of the method streams without an end, and counts as a watch instead of a call."""
    return _policy(method).cost == pb.METHOD_COST_WATCH


def _policy(method: MethodDescriptor) -> pb.MethodPolicy:
    options: Any = method.GetOptions()  # The generated types do not say that the option extends it.
    policy: pb.MethodPolicy = options.Extensions[pb.method_policy]
    return policy
