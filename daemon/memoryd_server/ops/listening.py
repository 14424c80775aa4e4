"""Ports of several processes: those that they listen on together, and those that each has for itself."""

import contextlib
import socket
from collections.abc import Iterator, Sequence

from memoryd_server.ops.config.address import Address, TcpAddress
from memoryd_server.ops.error import OperatorError


@contextlib.contextmanager
def reserved(addresses: Sequence[Address]) -> Iterator[tuple[TcpAddress, ...]]:
    """Hold TCP addresses for workers that share them; answers them with their ports.

    Raises OperatorError when another process has one: it would be given some of the connections, in silence.
    """
    with contextlib.ExitStack() as held:
        yield tuple(_reserve(address, held) for address in addresses if isinstance(address, TcpAddress))


def metrics_address(listen: TcpAddress, number: int) -> TcpAddress:
    """Where the worker of this number publishes its metrics: so many ports further on, unless any free one will do."""
    return TcpAddress(listen.host, listen.port + number) if listen.port else listen


def check_metrics_ports(listen: TcpAddress, worker_count: int) -> None:
    """Raises OperatorError when the metrics of one of so many workers cannot be published at its port."""
    for address in (metrics_address(listen, number) for number in range(worker_count)):
        try:
            # A name that stands for several addresses is published at the first.
            family, host = _hosts(address)[0]
            _refuse_taken(family, host, address.port)
        except OSError as error:
            message = f"metrics_listen: cannot listen on {address}: {error.strerror}"
            raise OperatorError(message, "CANNOT_LISTEN") from error


def _reserve(address: TcpAddress, held: contextlib.ExitStack) -> TcpAddress:
    port = address.port
    try:
        for family, host in _hosts(address):
            if port:
                _refuse_taken(family, host, port)
            port = _share(held.enter_context(socket.socket(family)), host, port)
    except OSError as error:
        raise OperatorError(f"cannot listen on {address}: {error.strerror}", "ADDRESS_UNUSABLE") from error
    return TcpAddress(address.host, port)


def _hosts(address: TcpAddress) -> Sequence[tuple[socket.AddressFamily, str]]:
    """What the host's name stands for, as gRPC has it: without what this machine does not have, if anything is left."""
    found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    hosts = list(dict.fromkeys((family, str(place[0])) for family, _, _, _, place in found))
    here = [(family, host) for family, host in hosts if _is_here(family, host)]
    return here or hosts


def _is_here(family: socket.AddressFamily, host: str) -> bool:
    with contextlib.suppress(OSError), socket.socket(family) as probe:
        probe.bind((host, 0))
        return True
    return False


def _refuse_taken(family: socket.AddressFamily, host: str, port: int) -> None:
    """Raises OSError when another process listens at the port, also if it would share it."""
    with socket.socket(family) as alone:
        # What is left of the connections of one that has ended does not count.
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        alone.bind((host, port))
        alone.listen()


def _share(shared: socket.socket, host: str, port: int) -> int:
    """Bind the socket for this process and its workers alone; answers the port. Raises OSError."""
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    shared.bind((host, port))
    # It was for the past only: a daemon that begins before the first worker listens would be let in.
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    bound: int = shared.getsockname()[1]
    return bound
