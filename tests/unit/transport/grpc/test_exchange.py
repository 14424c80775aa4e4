"""The peer of a gRPC call. Everything else is in tests/acceptance/transports."""

from typing import Any

from memoryd_server.transport.exchange import Peer
from memoryd_server.transport.grpc.exchange import GrpcExchange


class Context:
    """The part of grpc.aio's context that the exchange uses, for a fixed peer."""

    def __init__(self, properties: dict[str, list[bytes]]) -> None:
        self._properties = properties

    def auth_context(self) -> dict[str, list[bytes]]:
        return self._properties

    def peer(self) -> str:
        return "ipv4:127.0.0.1:4711"

    def invocation_metadata(self) -> tuple[tuple[str, Any], ...]:
        return (("a", "b"),)


def peer_of(**properties: list[bytes]) -> Peer:
    context = Context(properties)
    return GrpcExchange(context).peer()


def test_a_certificate_names_its_peer_by_its_alternative_names_and_its_common_name() -> None:
    peer = peer_of(
        x509_common_name=[b"agent"],
        x509_subject_alternative_name=[b"agent.example", b"10.0.0.1"],
        transport_security_type=[b"ssl"],
    )
    assert peer == Peer(["agent.example", "10.0.0.1", "agent"], "ipv4:127.0.0.1:4711")


def test_without_a_certificate_a_peer_has_no_identity() -> None:
    assert peer_of(transport_security_type=[b"insecure"]).identities == []


def test_a_name_that_is_not_utf8_is_decoded_and_equals_no_other() -> None:
    assert peer_of(x509_common_name=[b"\xff"]).identities == ["\ufffd"]
