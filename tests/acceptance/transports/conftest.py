"""The transports that the suite runs on. Another transport adds one function and one row."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import grpc
import pytest
from tests.acceptance.transports.client import Client, GrpcClient

from memoryd_server.transport.grpc.server import GrpcServer
from memoryd_server.transport.in_process import InProcessTransport
from memoryd_server.transport.routes import Method
from memoryd_server.transport.server import Server

Connect = Callable[[Mapping[str, Method]], Awaitable[Client]]
Serve = Callable[[Mapping[str, Method], Path], AbstractAsyncContextManager[Client]]


def _over_grpc(methods: Mapping[str, Method], directory: Path) -> AbstractAsyncContextManager[Client]:
    return _served(GrpcServer(methods), methods, directory)


def _over_front(methods: Mapping[str, Method], directory: Path) -> AbstractAsyncContextManager[Client]:
    pytest.importorskip("memoryd_front", reason="the front end is not installed")
    from memoryd_server.transport.front.server import FrontServer

    return _served(FrontServer(methods), methods, directory)


@contextlib.asynccontextmanager
async def _served(server: Server, methods: Mapping[str, Method], directory: Path) -> AsyncIterator[Client]:
    address = f"unix:{directory}/socket"
    server.listen(address, None)
    await server.start()
    async with grpc.aio.insecure_channel(address) as channel:
        yield GrpcClient(channel, methods)
    await server.stop()


@contextlib.asynccontextmanager
async def _in_process(methods: Mapping[str, Method], _directory: Path) -> AsyncIterator[Client]:
    transport = InProcessTransport(methods)
    yield transport
    await transport.stop(grace_s=0.0)


TRANSPORTS: dict[str, Serve] = {"front": _over_front, "grpc": _over_grpc, "in-process": _in_process}


@pytest.fixture(params=TRANSPORTS)
async def connect(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Connect]:
    """Return a function that serves methods and connects a client to them."""
    async with contextlib.AsyncExitStack() as stack:
        yield lambda methods: stack.enter_async_context(TRANSPORTS[request.param](methods, tmp_path))
