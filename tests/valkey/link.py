"""A connection for the commands that the tests send to a server: RESP2, one command at a time, no retries."""

import socket
from typing import Self, TypeAlias

from tests.wait import WAIT_S_MAX

Argument: TypeAlias = bytes | str | int | float
Reply: TypeAlias = "bytes | int | list[Reply] | Refusal | None"


class Refusal(Exception):  # noqa: N818
    """An error reply, as the server words it: "WRONGTYPE Operation against..."."""

    @property
    def kind(self) -> str:
        """Its first word."""
        return str(self).split(" ", 1)[0]


def encoded(*arguments: Argument) -> bytes:
    """Return the bytes of a command."""
    parts = [each if isinstance(each, bytes) else str(each).encode() for each in arguments]
    bulks = b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)
    return b"*%d\r\n%b" % (len(parts), bulks)


class Link:
    """A connection, which is a context manager."""

    def __init__(self, port: int, credentials: tuple[str, str] | None = None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=WAIT_S_MAX)
        self._stream = self._socket.makefile("rb")
        if credentials is not None:
            try:
                self.call("AUTH", *credentials)
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, *arguments: Argument) -> Reply:
        """Send one command and return its reply. Raises Refusal for an error reply."""
        self.send(*arguments)
        reply = self.receive()
        if isinstance(reply, Refusal):
            raise reply
        return reply

    def send(self, *arguments: Argument) -> None:
        """Send one command without waiting for its reply."""
        self.send_encoded(encoded(*arguments))

    def send_encoded(self, commands: bytes) -> None:
        """Send any number of encoded commands without waiting for their replies."""
        self._socket.sendall(commands)

    def receive(self) -> Reply:
        """Return the next reply. An error reply is returned as a Refusal, not raised."""
        line = self._stream.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionResetError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        match kind:
            case b"+":
                return rest
            case b"-":
                return Refusal(rest.decode("utf-8", "replace"))
            case b":":
                return int(rest)
            case b"$":
                return self._bulk(int(rest))
            case b"*":
                length = int(rest)
                return None if length < 0 else [self.receive() for _ in range(length)]
        raise AssertionError(f"not RESP2: {line!r}")

    def fileno(self) -> int:
        """Return the descriptor of the socket, for ``select``."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()
        self._socket.close()

    def _bulk(self, length: int) -> bytes | None:
        if length < 0:
            return None
        data = self._stream.read(length + 2)
        if len(data) < length + 2:
            raise ConnectionResetError("the server closed the connection")
        return data[:-2]
