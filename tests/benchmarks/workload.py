"""The workload: agents, keys, values, and the requests made of them."""

import struct
from collections.abc import Sequence

from google.protobuf.message import Message

from memoryd.v1 import working_memory_service_pb2 as pb

KEY = "key-00000"
VALUE_JSON = '"' + "v" * 100 + '"'

REQUEST_ID = "0" * 32
"""Stands in a body for the request id, which the loader replaces in each request."""

SERVICE = "/memoryd.v1.WorkingMemoryService"


def agent_ids(count: int, prefix: str = "agent") -> list[str]:
    """Return ``count`` ids of agents."""
    return [f"{prefix}-{number:05}" for number in range(count)]


def keys(count: int) -> list[str]:
    """Return ``count`` keys; the first is KEY."""
    return [f"key-{number:05}" for number in range(count)]


def get_request(agent_id: str) -> pb.GetEntryRequest:
    """Return a request that reads KEY."""
    return pb.GetEntryRequest(agent_id=agent_id, key=KEY)


def set_request(agent_id: str, value_json: str = VALUE_JSON, request_id: str = "") -> pb.SetEntryRequest:
    """Return a request that writes KEY."""
    return pb.SetEntryRequest(agent_id=agent_id, key=KEY, value_json=value_json, request_id=request_id)


def batch_get_request(agent_id: str, wanted: Sequence[str]) -> pb.BatchGetEntriesRequest:
    """Return a request that reads keys."""
    return pb.BatchGetEntriesRequest(agent_id=agent_id, keys=wanted)


def batch_write_request(
    agent_id: str, written: Sequence[str], value_json: str = VALUE_JSON, request_id: str = ""
) -> pb.BatchWriteEntriesRequest:
    """Return a request that writes keys."""
    sets = [pb.SetEntryOperation(key=key, value_json=value_json) for key in written]
    operations = [pb.EntryOperation(set=each) for each in sets]
    return pb.BatchWriteEntriesRequest(agent_id=agent_id, operations=operations, request_id=request_id)


def framed(message: Message) -> bytes:
    """Return the body of a gRPC request: the flag for no compression, the length, and the message."""
    data = message.SerializeToString()
    return struct.pack(">BI", 0, len(data)) + data
