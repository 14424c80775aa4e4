"""Snapshots that are damaged, imported or on the disk, and names that are paths."""

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import AsyncIterator

import grpc
from tests.attack.attack import Attack, Outcomes, Target, bearer
from tests.attack.channel import channel_to
from tests.attack.outcome import CUT, OK, outcome, outcome_of

from memoryd.v1 import snapshot_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2 as entry_pb
from memoryd.v1.snapshot_service_pb2_grpc import SnapshotServiceStub
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

_AGENT = "attacker-snapshots"
_GOOD = "good"
_SEED = 18
_KEYS = 50
_TIMEOUT_S = 60.0
_PIECE_BYTES = 65_536
_NAMES = ("../x", "..", ".", "/etc/passwd", "a/b", "a\\b", "a\0b", "x" * 5_000, "latest", "~", " ", "a\nb", ".good")


async def _snapshots(target: Target, times: int) -> Outcomes:
    """Import damaged snapshots, and restore a snapshot whose file is damaged; both ``times`` times."""
    outcomes: Outcomes = Counter()
    async with channel_to(target.address) as channel:
        attempt = _Attempt(channel, target)
        await attempt.prepare()
        for number in range(times):
            spoiled = _spoiled(attempt.data, random.Random(f"{_SEED} {number}"))
            outcomes[await attempt.import_(f"b{number}", spoiled)] += 1
            outcomes[await attempt.restore_from_disk(spoiled)] += 1
        for name in _NAMES:
            outcomes[await attempt.import_(name, attempt.data)] += 1
            outcomes[await attempt.restore(name)] += 1
        if await attempt.values() != attempt.before:
            outcomes["the agent has changed"] += 1
        await attempt.end()
    return outcomes


class _Attempt:
    """An agent with a good snapshot, whose content is ``data``, and whose values were ``before``."""

    def __init__(self, channel: grpc.aio.Channel, target: Target) -> None:
        self._snapshots = SnapshotServiceStub(channel)
        self._entries = WorkingMemoryServiceStub(channel)
        self._options = {"timeout": _TIMEOUT_S, "metadata": bearer(target.operator)}
        self._directory = target.directory / "data" / "snapshots"
        self.data = b""
        self.before: dict[str, str] = {}

    async def prepare(self) -> None:
        for number in range(_KEYS):
            request = entry_pb.SetEntryRequest(agent_id=_AGENT, key=f"k{number}", value_json=f'"{number}"')
            await self._entries.SetEntry(request, **self._options)
        await self._snapshots.CreateSnapshot(
            pb.CreateSnapshotRequest(agent_id=_AGENT, snapshot_id=_GOOD), **self._options
        )
        export = self._snapshots.ExportSnapshot(pb.ExportSnapshotRequest(snapshot_id=_GOOD), **self._options)
        self.data = b"".join([message.chunk async for message in export])
        self.before = await self.values()

    async def end(self) -> None:
        await self._snapshots.DeleteSnapshot(pb.DeleteSnapshotRequest(snapshot_id=_GOOD), **self._options)

    async def values(self) -> dict[str, str]:
        listing = await self._entries.ListEntries(
            entry_pb.ListEntriesRequest(agent_id=_AGENT, page_size=1_000), **self._options
        )
        return {entry.key: entry.value_json for entry in listing.entries}

    async def import_(self, name: str, data: bytes) -> str:
        async def parts() -> AsyncIterator[pb.ImportSnapshotRequest]:
            yield pb.ImportSnapshotRequest(header=pb.ImportSnapshotHeader(snapshot_id=name))
            for at in range(0, len(data), _PIECE_BYTES):
                yield pb.ImportSnapshotRequest(chunk=data[at : at + _PIECE_BYTES])

        what = await outcome(self._snapshots.ImportSnapshot(parts(), **self._options))
        return (
            what if what != OK else "imported although damaged" if data != self.data else "imported under an odd name"
        )

    async def restore(self, name: str) -> str:
        try:
            await self._snapshots.RestoreSnapshot(
                pb.RestoreSnapshotRequest(agent_id=_AGENT, snapshot_id=name), **self._options
            )
        except grpc.aio.AioRpcError as error:
            return outcome_of(error)
        # ``latest`` names the newest one on purpose.
        return OK if name == "latest" else "restored although damaged"

    async def restore_from_disk(self, data: bytes) -> str:
        """Restore the good snapshot while its file has other content."""
        (file,) = self._directory.glob(f"{_GOOD}.snapshot")
        kept = file.with_name("kept")
        await asyncio.to_thread(shutil.copy, file, kept)
        await asyncio.to_thread(file.write_bytes, data)
        try:
            return await self.restore(_GOOD)
        finally:
            kept.replace(file)


def _spoiled(data: bytes, chance: random.Random) -> bytes:
    """Return the file of a snapshot with a piece cut off, changed, emptied, added or moved."""
    changed, at = bytearray(data), chance.randrange(len(data) - 40)
    match chance.randrange(5):
        case 0:
            changed = changed[:at]
        case 1:
            changed[at] ^= 1 << chance.randrange(8)
        case 2:
            changed[at : at + 20] = bytes(20)
        case 3:
            changed += chance.randbytes(chance.randint(1, 50))
        case _:
            changed[at : at + 40] = changed[at + 20 : at + 40] + changed[at : at + 20]
    return bytes(changed) if changed != data else data[:-1]


ATTACKS = (
    Attack(
        "snapshots",
        "{times} damaged snapshots, each imported and on the disk, and 13 names that are paths",
        _snapshots,
        150,
        20,
        frozenset(
            {OK, CUT, "SNAPSHOT_DAMAGED", "SNAPSHOT_NOT_FOUND", "INVALID_FIELD", "MALFORMED_MESSAGE", "SNAPSHOT_LOCKED"}
        ),
    ),
)
