"""Hostile files, and URLs that lead to this machine or its network."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.hostile_document import File, hostile_documents
from tests.attack.outcome import ANSWERS, outcome

from memoryd.v1 import document_service_pb2 as pb
from memoryd.v1.document_service_pb2_grpc import DocumentServiceStub

_AGENT = "attacker-documents"
_FILE_BYTES_MAX = 15 << 20
_TIMEOUT_S = 180.0
_AT_A_TIME = 4
_SEED = 18
_HOSTS = (
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f000001",
    "017700000001",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "[64:ff9b::7f00:1]",
    "169.254.169.254",
    "10.0.0.1",
    "100.64.0.1",
    "192.168.0.1",
    "[fe80::1]",
    "[fd00::1]",
    "[2002:7f00:1::]",
)
_LISTED = ("127.0.0.1", "localhost", "169.254.169.254", "10.0.0.1", "192.168.0.1", "[::1]", "[::ffff:127.0.0.1]")
"""Hosts that the operator lists, which must not be reached all the same, since they are private."""


async def _documents(target: Target, times: int) -> Outcomes:
    """Add ``times`` hostile files of all sorts, four at a time."""
    outcomes: Outcomes = Counter()
    async with _trap(outcomes) as trap, channel_to(target.address) as channel:
        stub = DocumentServiceStub(channel)
        files = iter(random.Random(_SEED).sample(list(hostile_documents(trap)), times))

        async def work() -> None:
            for file in files:
                outcomes[await _added(stub, target, file)] += 1

        await asyncio.gather(*(work() for _ in range(_AT_A_TIME)))
    if await asyncio.to_thread(_has_climbed, target):
        outcomes["a file outside of its place"] += 1
    return outcomes


def _has_climbed(target: Target) -> bool:
    return any((place / "climbed").exists() for place in (Path(), target.directory, target.directory.parent))


async def _added(stub: DocumentServiceStub, target: Target, file: File) -> str:
    """Add a document and return the outcome, or what was read that must not be."""
    title, media_type, content = file
    data = (await asyncio.to_thread(content))[:_FILE_BYTES_MAX]
    request = pb.CreateDocumentRequest(agent_id=_AGENT, draft={"title": title, "media_type": media_type}, data=data)
    options = {"timeout": _TIMEOUT_S, "metadata": target.bearer}
    created = stub.CreateDocument(request, **options)
    what = await outcome(created)
    if what == "OK":
        document_id = (await created).document.document_id
        listing = pb.ListDocumentChunksRequest(agent_id=_AGENT, document_id=document_id, page_size=2)
        chunks = await stub.ListDocumentChunks(listing, **options)
        if any("root:" in chunk.text for chunk in chunks.chunks):
            return "a file of the machine was read"
        await stub.DeleteDocument(pb.DeleteDocumentRequest(agent_id=_AGENT, document_id=document_id), **options)
    return what


async def _urls(target: Target, times: int) -> Outcomes:
    """Let the daemon download from this machine in all spellings, ``times`` at a time."""
    outcomes: Outcomes = Counter()
    async with _trap(outcomes) as trap, channel_to(target.address) as channel:
        stub = DocumentServiceStub(channel)
        waiting = [f"http://{host}/x" for host in _HOSTS]
        port = trap.partition(":")[2]
        waiting += [f"http://{host}:{port}/x" for host in _HOSTS]
        waiting += [
            f"http://example.org@{trap}/",
            f"http://{trap}#@example.org/",
            f"http://localhost%00.example.org:{port}/",
            f"http://localhost\\@example.org:{port}/",
            f"http:///{trap}/",
            f"http://{trap}\r\nX: y/",
            "file:///etc/passwd",
            "gopher://127.0.0.1/",
            "http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/",
            "http://\uff11\uff12\uff17.0.0.1/",
            "http://[::1",
            f"http://{'a' * 3_000}/",
        ]

        async def work() -> None:
            while waiting:
                request = pb.CreateDocumentRequest(agent_id=_AGENT, url=waiting.pop())
                call = stub.CreateDocument(request, timeout=_TIMEOUT_S, metadata=target.bearer)
                what = await outcome(call)
                outcomes[what if what != "OK" else "a private page was read"] += 1

        await asyncio.gather(*(work() for _ in range(times)))
    return outcomes


@asynccontextmanager
async def _trap(outcomes: Outcomes) -> AsyncIterator[str]:
    """Listen at an address that nobody may connect to, and count who does."""

    async def caught(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        outcomes["a request to the attacker's server"] += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nsecret")
        writer.close()

    server = await asyncio.start_server(caught, "127.0.0.1", 0)  # shared: the kernel chooses the port
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


ATTACKS = (
    Attack(
        "documents",
        "{times} hostile files, four at a time",
        _documents,
        43,
        8,
        ANSWERS,
        growth_max_mb=450,
        kept_max_mb=400,
    ),
    Attack(
        "urls",
        "46 URLs of private addresses, {times} at a time, with those hosts allowed",
        _urls,
        8,
        2,
        ANSWERS,
        flags=tuple(flag for host in _LISTED for flag in ("--document-url-hosts", host)),
        is_quick=True,
    ),
)
