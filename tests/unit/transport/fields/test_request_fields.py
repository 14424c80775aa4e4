"""The digest of a request, by which a repetition differs from another request with the same id."""

from tests.unit.transport.gated import EVERYONE

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.transport.access import MethodPolicy
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.request_fields import body_digest

BODY = pb.SetEntryRequest(agent_id="a", key="key", value_json="1", request_id="r")


def digest_of(data: bytes, method: str = "WorkingMemoryService/SetEntry", rest: bytes = b"") -> bytes:
    return body_digest(pb.SetEntryRequest.FromString(data), Call(MethodPolicy(method), EVERYONE, {}.get), rest)


def metadata(key: str) -> bytes:
    request = pb.SetEntryRequest()
    request.metadata[key] = key
    return request.SerializeToString()


def test_a_repetition_may_have_the_elements_of_a_map_in_another_order() -> None:
    body, a, b = BODY.SerializeToString(), metadata("a"), metadata("b")
    assert body + a + b != body + b + a
    assert digest_of(body + a + b) == digest_of(body + b + a)


def test_another_value_another_method_and_another_file_are_another_request() -> None:
    body = BODY.SerializeToString()
    other = pb.SetEntryRequest(agent_id="a", key="key", value_json="2", request_id="r").SerializeToString()
    digests = {digest_of(body), digest_of(other), digest_of(body, "Other/Method"), digest_of(body, rest=b"file")}
    assert len(digests) == 4
