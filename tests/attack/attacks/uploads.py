"""Uploads that are never ended: thousands without a file, and some with large ones."""

import asyncio
from collections import Counter
from pathlib import Path

import grpc
from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.outcome import CUT, outcome_of

from memoryd.v1 import document_service_pb2 as pb
from memoryd.v1.document_service_pb2_grpc import DocumentServiceStub

_HELD_S = 5.0  # time: how long uploads are held
_MEBIBYTE = 1 << 20
_FILE_MEBIBYTES = 31
_SHARE = 8
"""Uploads that a caller may have at a time."""
_ROOM_MEBIBYTES = _SHARE * 32
"""Space that a caller may occupy on the disk: its share of transfers, each of the largest file."""


async def _without_file(target: Target, times: int) -> Outcomes:
    return await _held(target, times, 0)


async def _with_file(target: Target, times: int) -> Outcomes:
    return await _held(target, times, _FILE_MEBIBYTES)


async def _held(target: Target, times: int, pieces: int) -> Outcomes:
    """Begin uploads, send that many pieces of a mebibyte with each, hold them for a while, and cancel them."""
    header = pb.UploadDocumentRequest()
    header.header.agent_id = "attacker-uploads"
    header.header.create.title = "never ends"
    piece = pb.UploadDocumentRequest(data=b"x" * _MEBIBYTE)
    async with channel_to(target.address) as channel:
        upload = DocumentServiceStub(channel).UploadDocument

        async def one() -> str:
            call = upload(metadata=target.bearer)
            try:
                await call.write(header)
                for _ in range(pieces):
                    await call.write(piece)
                await asyncio.wait_for(call.code(), _HELD_S)
                await call
            except TimeoutError:
                return "held"
            except asyncio.InvalidStateError:
                # It ended between two writes.
                return outcome_of(await _error_of(call))
            except grpc.aio.AioRpcError as error:
                return outcome_of(error)
            finally:
                call.cancel()
            return "answered"

        outcomes = Counter(await asyncio.gather(*(one() for _ in range(times))))
        occupied = sum(map(_size_of, (target.directory / "data" / "uploads").glob("*")))
    if outcomes["held"] > _SHARE:
        outcomes["more at a time than a caller's share"] += 1
    if occupied > _ROOM_MEBIBYTES * _MEBIBYTE:
        outcomes["more on the disk than a caller's share"] += 1
    return outcomes


def _size_of(file: Path) -> int:
    """Return the size of a file, 0 if the daemon has removed it meanwhile."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


async def _error_of(call: grpc.aio.StreamUnaryCall) -> grpc.aio.AioRpcError:
    """Return the error with which a call has ended."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return error
    raise AssertionError("the call was answered")


ATTACKS = (
    Attack(
        "uploads",
        "{times} uploads at once of one caller that send a header and no file",
        _without_file,
        4_200,
        100,
        frozenset({"held", "OVERLOADED", CUT}),
    ),
    Attack(
        "large-uploads",
        "{times} uploads at once of 31 MiB of one caller that never end",
        _with_file,
        60,
        12,
        frozenset({"held", "OVERLOADED", CUT}),
    ),
)
