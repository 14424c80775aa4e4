"""The head of a request of HTTP's, as ASGI passes it."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from memoryd_server.transport.exchange import Peer
from memoryd_server.transport.http.limit import PARAMETERS_MAX

_DIGITS = re.compile(r"[0-9]{1,10}", re.ASCII)
_TIMEOUT = re.compile(r"[0-9]{1,8}[HMSmun]", re.ASCII)
_UNITS_S = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}  # time: of gRPC's protocol


class Head:
    """The method, the path and the headers of a request, which are text in Latin-1."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        self.bytes = sum(len(name) + len(value) for name, value in scope["headers"])
        self._query: bytes = scope["query_string"]
        host, port = scope["client"] or ("", 0)
        self.peer = Peer(scope["extensions"]["memoryd.identities"], f"{host}:{port}")

    def all(self, name: str) -> Sequence[str]:
        """Return the values of a header."""
        return [value for key, value in self.headers if key == name]

    def get(self, name: str) -> str | None:
        """Return the last value of a header; None without one."""
        return values[-1] if (values := self.all(name)) else None

    def names(self, name: str, wanted: str) -> bool:
        """Return true if a header is a list with this element, apart from the parameters of its elements."""
        elements = (each for value in self.all(name) for each in value.split(","))
        return any(each.partition(";")[0].strip().lower() == wanted for each in elements)

    @property
    def media_type(self) -> str:
        """The type of the body, without parameters and in lower case; empty if it is not named."""
        return (self.get("content-type") or "").partition(";")[0].strip().lower()

    @property
    def size(self) -> int | None:
        """The size of the body in bytes, if it is stated."""
        stated = self.get("content-length") or ""
        return int(stated) if _DIGITS.fullmatch(stated) else None

    @property
    def is_ambiguous(self) -> bool:
        """True if the request has two lengths: it ends with its last chunk, but a proxy may have read it otherwise.

        The connection is to be closed after it: https://www.rfc-editor.org/rfc/rfc9112#section-6.1.
        """
        return self.get("transfer-encoding") is not None and self.get("content-length") is not None

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters of the query. Raises ValueError for too many."""
        pairs = parse_qsl(self._query.decode("latin-1"), keep_blank_values=True, max_num_fields=PARAMETERS_MAX)
        return dict(reversed(pairs))

    def milliseconds(self, name: str) -> int | None:
        """Return the number that a header has; None without one. Raises ValueError for anything else."""
        value = self.get(name)
        if value is None:
            return None
        if not _DIGITS.fullmatch(value):
            raise ValueError(value)
        return int(value)

    def grpc_timeout_s(self) -> float | None:
        """Return the seconds of gRPC's deadline; None without one. Raises ValueError for anything else."""
        value = self.get("grpc-timeout")
        if value is None:
            return None
        if not _TIMEOUT.fullmatch(value):
            raise ValueError(value)
        return int(value[:-1]) * _UNITS_S[value[-1]]
