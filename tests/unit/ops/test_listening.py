import socket
from pathlib import Path

import pytest

from memoryd_server.ops import listening
from memoryd_server.ops.config.address import TcpAddress, UnixAddress
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.listening import check_metrics_ports, metrics_address, reserved


def sharing_socket() -> socket.socket:
    shared = socket.socket()
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return shared


def listen_at(listener: socket.socket, address: TcpAddress) -> None:
    listener.bind((address.host, address.port))
    listener.listen()


def test_a_free_port_is_found_and_those_who_share_it_may_listen() -> None:
    with reserved([TcpAddress("127.0.0.1", 0)]) as (address,), sharing_socket() as one, sharing_socket() as two:
        assert address.port
        for worker in (one, two):
            listen_at(worker, address)


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
        with pytest.raises(OperatorError, match="in use"), reserved([address]):
            pass


def test_a_port_is_nobody_elses_before_a_worker_listens() -> None:
    with reserved([TcpAddress("127.0.0.1", 0)]) as (address,):
        with pytest.raises(OperatorError, match="in use"), reserved([address]):
            pass
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with pytest.raises(OSError, match="in use"):
                listen_at(other, address)


def test_what_is_left_of_the_connections_of_a_daemon_that_was_killed_does_not_count() -> None:
    with socket.socket() as former:
        former.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        former.bind(("127.0.0.1", 0))
        former.listen()
        address = TcpAddress(*former.getsockname())
        with socket.create_connection((address.host, address.port)) as client:
            # Who hangs up first is left with the connection's remains.
            former.accept()[0].close()
            assert client.recv(1) == b""
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind((address.host, address.port))
    with reserved([address]) as addresses, sharing_socket() as worker:
        assert addresses == (address,)
        worker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listen_at(worker, address)


@pytest.fixture
def localhost(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of the name localhost."""
    hosts = ["::1", "127.0.0.1"]
    ask = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *rest, **more: [ask(each, *rest, **more)[0] for each in hosts])
    return hosts


def test_a_name_is_reserved_at_all_addresses_that_it_stands_for(localhost: list[str]) -> None:
    with reserved([TcpAddress("localhost", 0)]) as (address,):
        assert address.host == "localhost"
        for family, host in ((socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1")):
            with socket.socket(family) as other, pytest.raises(OSError, match="in use"):
                other.bind((host, address.port))


@pytest.mark.usefixtures("localhost")
def test_any_port_is_one_that_is_free_at_all_addresses_of_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    share = listening._share
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = iter([taken.getsockname()[1]])
        # The kernel first gives a port that is free at ::1 only.
        monkeypatch.setattr(
            listening, "_share", lambda shared, host, port: share(shared, host, port or next(ports, port))
        )
        with reserved([TcpAddress("localhost", 0)]) as (address,):
            assert address.port != taken.getsockname()[1]


def test_an_address_of_a_name_that_this_machine_does_not_have_is_left_out(localhost: list[str]) -> None:
    localhost[0] = "2001:db8::1"
    with (
        reserved([TcpAddress("localhost", 0)]) as (address,),
        socket.socket() as other,
        pytest.raises(OSError, match="in use"),
    ):
        other.bind(("127.0.0.1", address.port))
    del localhost[1]
    with pytest.raises(OperatorError, match="Cannot assign"), reserved([address]):
        pass


def test_the_ports_of_all_workers_metrics_must_be_free() -> None:
    # Nobody but this test is at this address.
    with socket.socket() as taken:
        taken.bind(("127.7.6.5", 0))
        taken.listen()
        second = TcpAddress(*taken.getsockname())
        first = TcpAddress(second.host, second.port - 1)
        check_metrics_ports(first, 1)
        with pytest.raises(OperatorError, match=f"metrics_listen: .*{second}.* in use"):
            check_metrics_ports(first, 2)
    check_metrics_ports(first, 2)


def test_metrics_are_not_published_at_a_port_that_is_listened_on() -> None:
    with reserved([TcpAddress("127.0.0.1", 0)]) as (address,), pytest.raises(OperatorError, match="metrics_listen"):
        check_metrics_ports(address, 1)


def test_each_worker_has_a_port_for_its_metrics_or_any() -> None:
    assert metrics_address(TcpAddress("localhost", 9464), 2) == TcpAddress("localhost", 9466)
    any_port = TcpAddress("127.0.0.1", 0)
    assert metrics_address(any_port, 2) == any_port
    check_metrics_ports(any_port, 2)


def test_the_port_that_was_asked_for_is_kept_and_given_back() -> None:
    # Nobody but this test is at this address.
    with reserved([TcpAddress("127.7.6.6", 0)]) as (free,):
        pass
    with reserved([free]) as addresses:
        assert addresses == (free,)
    with socket.socket() as other:
        other.bind((free.host, free.port))


def test_sockets_that_cannot_be_shared_are_left_out() -> None:
    with reserved([UnixAddress(Path("/nowhere"))]) as addresses:
        assert addresses == ()
