"""Ports for servers of tests."""

import socket


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nothing listens and that nobody else is given while the tests run.

    A server that reuses addresses may listen there, and do so again after a restart.
    """
    probe = socket.socket()
    probe.bind(("127.0.0.1", 0))  # shared: it stays bound
    port: int = probe.getsockname()[1]
    # The probe stays bound until the tests end: the kernel then gives the port neither to others who ask for any, nor
    # to outgoing connections. A test whose port another one took would mistake its server for its own.
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.detach()
    return port


def free_address() -> str:
    """Return an address of this machine on which nothing listens."""
    return f"127.0.0.1:{free_port()}"
