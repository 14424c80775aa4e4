"""Ports that several processes listen on together."""

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


def _reserve(address: TcpAddress, held: contextlib.ExitStack) -> TcpAddress:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        if address.port:
            with socket.socket(family) as alone:
                alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                alone.bind((address.host, address.port))
                alone.listen()
        shared = held.enter_context(socket.socket(family))
        shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        shared.bind((address.host, address.port))
    except OSError as error:
        raise OperatorError(f"cannot listen on {address}: {error.strerror}", "ADDRESS_UNUSABLE") from error
    return TcpAddress(address.host, shared.getsockname()[1])
