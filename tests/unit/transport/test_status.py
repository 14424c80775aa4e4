import grpc
from google.rpc import code_pb2

from memoryd_server.transport.status import StatusCode


def test_the_codes_are_the_canonical_ones() -> None:
    ours = {code.name: code.value for code in StatusCode}
    assert ours == dict(code_pb2.Code.items())
    assert ours == {code.name: code.value[0] for code in grpc.StatusCode}
