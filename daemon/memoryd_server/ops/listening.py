"""The ports of workers: shared ports for calls, and a metrics port for each worker."""

import contextlib
import errno
import socket
from collections.abc import Iterator, Sequence

from memoryd_server.ops.config.address import Address, TcpAddress
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import PORT_TRIES_MAX


@contextlib.contextmanager
def reserved(addresses: Sequence[Address]) -> Iterator[tuple[TcpAddress, ...]]:
    """Reserve TCP addresses for workers that share them, during a with block. Returns them with their actual ports.

    Raises OperatorError if another process uses one: it would silently receive some of the connections.
    """
    with contextlib.ExitStack() as held:
        yield tuple(_reserve(address, held) for address in addresses if isinstance(address, TcpAddress))


def metrics_address(listen: TcpAddress, number: int) -> TcpAddress:
    """Return the metrics address of a worker: the port plus the worker's number, or any free port for port 0."""
    return TcpAddress(listen.host, listen.port + number) if listen.port else listen


def check_metrics_ports(listen: TcpAddress, worker_count: int) -> None:
    """Raise OperatorError if the metrics port of one of ``worker_count`` workers is in use."""
    for address in (metrics_address(listen, number) for number in range(worker_count)):
        try:
            # A name with several addresses is served at the first.
            family, host = _hosts(address)[0]
            _refuse_taken(family, host, address.port)
        except OSError as error:
            message = f"metrics_listen: cannot listen on {address}: {error.strerror}"
            raise OperatorError(message) from error


def _reserve(address: TcpAddress, held: contextlib.ExitStack) -> TcpAddress:
    tries = 1 if address.port else PORT_TRIES_MAX
    while True:
        tries -= 1
        try:
            with contextlib.ExitStack() as sockets:
                port = _reserve_all(address, sockets)
                held.enter_context(sockets.pop_all())
            return TcpAddress(address.host, port)
        except OSError as error:
            # Any port will do: one that is free at the first address of a name may be in use at another one.
            if error.errno != errno.EADDRINUSE or not tries:
                raise OperatorError(f"cannot listen on {address}: {error.strerror}") from error


def _reserve_all(address: TcpAddress, held: contextlib.ExitStack) -> int:
    """Reserve one port at all addresses of a host, and return the port. Raises OSError."""
    port = address.port
    for family, host in _hosts(address):
        if port:
            _refuse_taken(family, host, port)
        port = _share(held.enter_context(socket.socket(family)), host, port)
    return port


def _hosts(address: TcpAddress) -> Sequence[tuple[socket.AddressFamily, str]]:
    """Return the addresses of a host as gRPC resolves it: those that this machine has, or all if it has none."""
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
    """Raise OSError if another process listens on the port, even if it would share the port."""
    with socket.socket(family) as alone:
        # Closed connections that linger in the kernel do not count as a listener.
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        alone.bind((host, port))
        alone.listen()


def _share(shared: socket.socket, host: str, port: int) -> int:
    """Bind a socket that only this process and its workers share, and return the port. Raises OSError."""
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    shared.bind((host, port))
    # It was for lingering connections only: from now on it would let another daemon bind the port.
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    bound: int = shared.getsockname()[1]
    return bound
