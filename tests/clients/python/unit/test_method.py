from google.protobuf.descriptor import FileDescriptor

from memoryd.protocol.method import METHODS, REEMBED_MEMORIES
from memoryd.v1 import (
    agent_service_pb2,
    event_service_pb2,
    fragment_service_pb2,
    long_term_memory_service_pb2,
    server_service_pb2,
    snapshot_service_pb2,
    working_memory_service_pb2,
)

FILES: list[FileDescriptor] = [
    agent_service_pb2.DESCRIPTOR,
    event_service_pb2.DESCRIPTOR,
    fragment_service_pb2.DESCRIPTOR,
    long_term_memory_service_pb2.DESCRIPTOR,
    server_service_pb2.DESCRIPTOR,
    snapshot_service_pb2.DESCRIPTOR,
    working_memory_service_pb2.DESCRIPTOR,
]


def test_the_client_has_every_method_of_the_contract_with_its_messages() -> None:
    contract = {
        (service.full_name, method.name, method.input_type.full_name, method.output_type.full_name)
        for file in FILES
        for service in file.services_by_name.values()
        for method in service.methods
    }
    client = {
        (
            method.service,
            method.name,
            method.request_type.DESCRIPTOR.full_name,
            method.response_type.DESCRIPTOR.full_name,
        )
        for method in METHODS
    }
    assert client == contract


def test_a_change_is_repeatable_only_with_a_request_id() -> None:
    reads = ("Get", "List", "BatchGet", "Contains", "Count", "Search", "Recall")
    changes = [method for method in METHODS if not method.name.startswith(reads) or method.name == "GetOrSetEntry"]
    # It makes what is missing, and finds nothing to make the second time.
    changes.remove(REEMBED_MEMORIES)
    for method in changes:
        assert method.repeatable == ("request_id" in method.request_type.DESCRIPTOR.fields_by_name), method.name
