"""Tokens of a test's daemon: their file, and stubs that send one."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
from tests.integration.wire import Wire


class _Token(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
):
    """An interceptor that sends a token with every call."""

    def __init__(self, token: str) -> None:
        self._metadata = (("authorization", f"Bearer {token}"),)

    def _call(self, continuation: Any, details: Any, request: Any) -> Any:
        class Details(grpc.ClientCallDetails):
            method, timeout, credentials = details.method, details.timeout, details.credentials
            metadata = (*(details.metadata or ()), *self._metadata)
            wait_for_ready, compression = details.wait_for_ready, details.compression

        return continuation(Details(), request)

    intercept_unary_unary = _call  # type: ignore[assignment]
    intercept_unary_stream = _call  # type: ignore[assignment]
    intercept_stream_unary = _call  # type: ignore[assignment]


def authorized(nobody: Wire, token: str) -> Wire:
    """Return the stubs of a daemon that send this token."""
    return Wire(grpc.intercept_channel(nobody.channel, _Token(token)))


def write_tokens(path: Path, rows: Mapping[str, str]) -> dict[str, str]:
    """Write a token file with these rows by name, of which each gets a token. Return the tokens by name."""
    tokens = {name: f"memoryd_of_{name}" for name in rows}
    blocks = [f'[tokens."{name}"]\nsha256 = "{_hash(tokens[name])}"\n{row}\n' for name, row in rows.items()]
    path.touch(0o600)
    path.write_text("\n".join(blocks))
    return tokens


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
