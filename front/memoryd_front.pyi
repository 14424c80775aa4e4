"""The HTTP/2 front end of memoryd."""

from collections.abc import Sequence
from typing import Any, Protocol

Status = tuple[int, str, bytes]
"""The canonical code, the message, and a serialized google.rpc.Status."""

Credentials = tuple[bytes, bytes, bytes | None]
"""The certificate chain, its key, and the authorities of client certificates if these are required; all in PEM."""

class Method(Protocol):
    """A method: its path, its pool, and what is refused before Python sees its calls."""

    path: str
    pool: int
    streams: bool
    needs_credentials: bool
    bytes_max: int
    too_large: Status

class Pool(Protocol):
    """The number of calls of one class in progress, in total and on one connection, and how more are refused."""

    maximum: int
    connection_maximum: int
    total_refusal: Status
    connection_refusal: Status

class Refusals(Protocol):
    """How calls are refused before Python sees them."""

    unauthenticated: Status
    stalled: Status
    malformed: Status
    metadata: Status
    waiting: Status

class Settings(Protocol):
    """The bounds of connections, and of calls that wait for Python. An age or a time of idleness of 0 is none."""

    connections_max: int
    streams_max: int
    metadata_bytes_max: int
    waiting_max: int
    connection_waiting_max: int
    handshake_s: float
    arrival_s: float
    keep_alive_s: float
    keep_alive_timeout_s: float
    age_s: float
    idle_s: float
    threads: int

class Call:
    """A call. It is ended by ``answer``, ``answer_and_tell``, ``end`` or ``reset``; later ones do nothing."""

    @property
    def id(self) -> int: ...
    def metadata(self) -> list[tuple[str, str | bytes]]: ...
    def path(self) -> str: ...
    def address(self) -> str: ...
    def identities(self) -> list[str]: ...
    def remaining_s(self) -> float | None: ...
    def has_left(self) -> bool: ...
    def want(self) -> None: ...
    def send(self, message: bytes) -> bool: ...
    def answer(self, message: bytes) -> None: ...
    def answer_and_tell(self, message: bytes) -> None: ...
    def end(self, code: int, message: str, details: bytes) -> None: ...
    def reset(self) -> None: ...

class Front:
    """A front end. What is done with calls takes effect with the next ``flush``."""

    def __new__(
        cls, methods: Sequence[Method], pools: Sequence[Pool], refusals: Refusals, settings: Settings
    ) -> Front: ...
    def listen_tcp(self, address: str, credentials: Credentials | None, *, shares_ports: bool) -> int: ...
    def listen_unix(self, path: str) -> None: ...
    def renew(self, credentials: Credentials) -> None: ...
    def start(self) -> None: ...
    def stop(self, grace_s: float) -> None: ...
    def fileno(self) -> int: ...
    def next(self) -> tuple[int, Call, bytes | None] | None: ...
    def signals(self) -> list[tuple[int, int, Any]]: ...
    def refused(self) -> list[int] | None: ...
    def flush(self) -> None: ...
    def connections(self) -> int: ...
    def told_bytes(self) -> int: ...
    def tell(self, calls: Sequence[Call], message: bytes) -> list[int]: ...
