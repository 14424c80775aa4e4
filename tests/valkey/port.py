"""Ports for servers that are restarted on the same port."""

import random
import socket

# Below the range from which Linux picks ports of outgoing connections: one could take the port of a stopped server.
PORT_MIN = 12_000
PORT_MAX = 32_000
TRIES_MAX = 100


def free_port() -> int:
    """Return a random port on which nothing listens: parallel test processes then rarely pick the same one."""
    for _ in range(TRIES_MAX):
        port = random.SystemRandom().randrange(PORT_MIN, PORT_MAX)
        with socket.socket() as probe:
            # The servers set it too; without it a port whose last connections are in TIME_WAIT would seem taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"no free port from {PORT_MIN} to {PORT_MAX}")
