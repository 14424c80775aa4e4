"""Access rules, read from the descriptors of the contract and of services of this module."""

from typing import Any
from unittest.mock import create_autospec

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from tests.integration.contract import METHODS, Method

from memoryd.v1 import method_policy_pb2 as policy_pb
from memoryd_server.domain.limit import Limits
from memoryd_server.ports.auth import Authenticator
from memoryd_server.transport.access import AccessRule, CallCost, access_rule, call_cost
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.routes import methods_of


def service(field: str, access: "policy_pb.MethodAccess | None" = None, **streaming: bool) -> ServiceDescriptor:
    """Return a service with one method, whose request has this one field."""
    file = descriptor_pb2.FileDescriptorProto(name="made_up.proto", package="made_up", syntax="proto3")
    request = file.message_type.add(name="CallRequest")
    request.field.add(name=field, number=1, type=descriptor_pb2.FieldDescriptorProto.TYPE_STRING)
    method = descriptor_pb2.MethodDescriptorProto(
        name="Call", input_type=".made_up.CallRequest", output_type=".made_up.CallRequest", **streaming
    )
    if access is not None:
        method.options.Extensions[policy_pb.method_policy].access = access
    file.service.add(name="Service").method.append(method)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool.FindServiceByName("made_up.Service")


def only_method(made_up: ServiceDescriptor) -> MethodDescriptor:
    return made_up.methods_by_name["Call"]


class Handlers:
    """Handlers of the method. Never called, because no test calls the method."""

    async def call(self, request: Any, call: Any) -> Any:
        raise NotImplementedError


def serve(made_up: ServiceDescriptor) -> list[str]:
    """Return the names of the methods that are served."""
    gate = Gate(create_autospec(Authenticator), None, Pools(Limits()))
    return [name for name, _ in methods_of(made_up, Handlers(), gate)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_of_the_contract_has_an_access_rule(method: Method) -> None:
    assert access_rule(method.descriptor) in AccessRule


def test_a_method_occupies_what_its_proto_names() -> None:
    costs: dict[CallCost, set[str]] = {}
    for method in METHODS:
        costs.setdefault(call_cost(method.descriptor), set()).add(method.name)
    assert costs.pop(CallCost.CALL)
    assert costs == {
        CallCost.WATCH: {
            "EventService/WatchEvents",
            "OperationService/WatchOperation",
            "ServerService/WatchAudit",
        },
        CallCost.WAIT: {
            "FragmentService/LeaseFragments",
            "OperationService/WaitOperation",
            "WorkingMemoryService/ReserveEntry",
        },
        CallCost.TRANSFER: {
            "DocumentService/UploadDocument",
            "SnapshotService/ExportJournal",
            "SnapshotService/ExportSnapshot",
            "SnapshotService/ImportSnapshot",
        },
    }


def test_a_method_without_a_rule_requires_access_to_the_agent_of_its_request() -> None:
    assert access_rule(only_method(service("agent_id"))) is AccessRule.AGENT
    assert serve(service("agent_id")) == ["/made_up.Service/Call"]


def test_a_method_has_the_rule_that_its_proto_names() -> None:
    for rule in (rule for rule in AccessRule if rule is not AccessRule.AGENT):
        assert access_rule(only_method(service("agent_id", rule.value))) is rule
        assert access_rule(only_method(service("name", rule.value, client_streaming=True))) is rule


def test_a_method_without_a_rule_is_not_served_if_its_request_names_no_agent() -> None:
    with pytest.raises(ValueError, match=r"made_up\.Service\.Call needs an access rule"):
        serve(service("name"))


@pytest.mark.parametrize("direction", ["client_streaming", "server_streaming"])
def test_a_stream_without_a_rule_is_not_served(direction: str) -> None:
    with pytest.raises(ValueError, match=r"made_up\.Service\.Call needs an access rule"):
        serve(service("agent_id", **{direction: True}))


def test_a_method_with_an_unknown_rule_is_not_served() -> None:
    with pytest.raises(ValueError, match="99"):
        serve(service("agent_id", 99))  # type: ignore[arg-type]
