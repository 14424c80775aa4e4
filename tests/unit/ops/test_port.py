import socket
from pathlib import Path

import pytest

from memoryd_server.ops.config.address import TcpAddress, UnixAddress
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.port import reserved


def sharing_socket() -> socket.socket:
    shared = socket.socket()
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return shared


def test_a_free_port_is_found_and_those_who_share_it_may_listen() -> None:
    with reserved([TcpAddress("127.0.0.1", 0)]) as (address,), sharing_socket() as one, sharing_socket() as two:
        assert address.port
        for worker in (one, two):
            worker.bind((address.host, address.port))
            worker.listen()


def test_a_reserved_port_is_nobody_elses() -> None:
    with (
        reserved([TcpAddress("127.0.0.1", 0)]) as (address,),
        socket.socket() as other,
        pytest.raises(OSError, match="in use"),
    ):
        other.bind((address.host, address.port))


@pytest.mark.parametrize("shares", [False, True])
def test_a_port_that_another_process_listens_on_is_refused_also_if_it_would_share(shares: bool) -> None:
    with sharing_socket() if shares else socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = TcpAddress(*taken.getsockname())
        with pytest.raises(OperatorError, match="in use") as refused, reserved([address]):
            pass
    assert refused.value.reason == "ADDRESS_UNUSABLE"


def test_the_port_that_was_asked_for_is_kept_and_given_back() -> None:
    with reserved([TcpAddress("127.0.0.1", 0)]) as (free,):
        pass
    with reserved([free]) as addresses:
        assert addresses == (free,)
    with socket.socket() as other:
        other.bind((free.host, free.port))


def test_sockets_that_cannot_be_shared_are_left_out() -> None:
    with reserved([UnixAddress(Path("/nowhere"))]) as addresses:
        assert addresses == ()
