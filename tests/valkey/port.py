"""Ports for servers that are stopped and started again on them."""

import random
import socket

# Below what Linux gives to outgoing connections, one of which could take the port while its server is down.
PORT_MIN = 12_000
PORT_MAX = 32_000
TRIES_MAX = 100


def free_port() -> int:
    """A port on which nothing listens now; random, so that test processes side by side do not meet."""
    for _ in range(TRIES_MAX):
        port = random.SystemRandom().randrange(PORT_MIN, PORT_MAX)
        with socket.socket() as probe:
            # The servers bind with it too; without it a port whose last connections linger would seem taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"no free port from {PORT_MIN} to {PORT_MAX}")
