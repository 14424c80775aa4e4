"""Snapshots as files of one directory: ``<id>.snapshot``, or ``<id>.snapshot.age`` if encrypted.

Each has a summary in ``<name>.info``, which is derived from it (see ``snapshot_summary``). The directory belongs to one
daemon. Snapshot files may be copied into it and out of it at any time.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import msgspec

from memoryd_server.domain.error import (
    InvalidField,
    Refusal,
    SchemaTooNew,
    SnapshotDamaged,
    SnapshotExists,
    SnapshotLocked,
    SnapshotNotFound,
    TooLarge,
)
from memoryd_server.domain.limit import Limits
from memoryd_server.ports.snapshot import AUTOMATIC_TRIGGERS, SnapshotInfo, check_snapshot_id, make_snapshot_id
from memoryd_server.ports.store import StoredAgent
from memoryd_server.stores.file_error import storage_errors
from memoryd_server.stores.snapshot_file import VERSION, Header, SnapshotWriter, Tally
from memoryd_server.stores.snapshot_incoming import IncomingFile, remove_leftovers, sync_directory
from memoryd_server.stores.snapshot_key import SnapshotKey
from memoryd_server.stores.snapshot_source import SnapshotSource
from memoryd_server.stores.snapshot_summary import SummaryIndex
from memoryd_server.stores.snapshot_thread import batches, iterate_in_thread, run_in_thread

PLAIN_SUFFIX = ".snapshot"
ENCRYPTED_SUFFIX = ".snapshot.age"

log = logging.getLogger("memoryd.snapshots")


class SnapshotDirectory:
    """The snapshot repository of a directory; see the port for its methods.

    With a key, new snapshots are encrypted; imported files are kept unchanged. A file that cannot be read and has no
    summary is omitted from ``list`` with a logged warning; ``get`` says what is wrong with it. ``open`` removes the
    remains of interrupted writes only if ``is_only_user``: files that other processes are writing look the same.
    """

    def __init__(self, directory: Path, key: SnapshotKey | None, limits: Limits, *, is_only_user: bool = True) -> None:
        self._directory = directory
        self._key = key
        self._limits = limits
        self._is_only_user = is_only_user
        self._summaries = SummaryIndex()
        self._naming = asyncio.Lock()

    async def open(self) -> None:
        """Create the directory if it is missing, for its owner only, and remove leftovers if that is safe."""
        with _storage_errors():
            await run_in_thread(self._open_directory)

    async def create(self, info: SnapshotInfo, agents: AsyncIterator[StoredAgent]) -> SnapshotInfo:
        """Write the image, and return its description once it is on disk."""
        snapshot_id = info.snapshot_id or make_snapshot_id(info.create_time, secrets.token_hex(3))
        check_snapshot_id(snapshot_id)
        with _storage_errors():
            await run_in_thread(self._refuse_taken, snapshot_id)
            incoming = IncomingFile(self._directory, self._key)
            try:
                await run_in_thread(incoming.open)
                header = Header(info.agent_id, info.create_time, info.trigger, info.label, info.request_id, snapshot_id)
                tally = await _write(incoming, header, agents)
                found = msgspec.structs.replace(
                    info,
                    snapshot_id=snapshot_id,
                    revision=tally.revision,
                    agent_count=tally.agent_count,
                    record_count=tally.record_count,
                    encrypted=self._key is not None,
                    sha256=incoming.sha256,
                    format_version=VERSION,
                )
                return await self._keep(incoming, found)
            finally:
                await run_in_thread(incoming.discard)

    async def get(self, snapshot_id: str) -> SnapshotInfo:
        """Return the description of a snapshot."""
        check_snapshot_id(snapshot_id)
        with _storage_errors():
            return await self._describe(await run_in_thread(self._find, snapshot_id), snapshot_id)

    async def list(self) -> tuple[SnapshotInfo, ...]:
        """Return all snapshots, the newest first."""
        infos = []
        with _storage_errors():
            for snapshot_id, path in (await run_in_thread(self._paths)).items():
                try:
                    infos.append(await self._describe(path, snapshot_id))
                except SnapshotNotFound:
                    continue
                except Refusal as refusal:
                    log.warning("snapshot not listed", extra={"file": path.name, "reason": refusal.message})
        return tuple(sorted(infos, key=lambda info: (info.create_time, info.snapshot_id), reverse=True))

    async def delete(self, snapshot_id: str) -> None:
        """Delete a snapshot."""
        check_snapshot_id(snapshot_id)
        with _storage_errors():
            await run_in_thread(self._delete, snapshot_id)

    async def read(self, snapshot_id: str) -> AsyncGenerator[StoredAgent, None]:
        """Yield the agents of a snapshot, after checking the entire file."""
        async with self._opened(snapshot_id) as source:
            await self._verify(source)
            reader = await run_in_thread(source.reader, self._key, self._limits.storage_bytes_per_agent)
            async for agent in iterate_in_thread(reader.agents()):
                yield agent

    async def export(self, snapshot_id: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        """Yield the file's bytes from an offset, in parts."""
        async with self._opened(snapshot_id) as source:
            await run_in_thread(source.seek, offset)
            while chunk := await run_in_thread(source.chunk):
                yield chunk

    async def import_(self, snapshot_id: str, chunks: AsyncIterator[bytes], sha256: str = "") -> SnapshotInfo:
        """Receive the bytes of a file, and keep the file once all of it was checked."""
        if snapshot_id:
            check_snapshot_id(snapshot_id)
        with _storage_errors():
            if snapshot_id:
                await run_in_thread(self._refuse_taken, snapshot_id)
            incoming = IncomingFile(self._directory)
            try:
                await run_in_thread(incoming.open)
                await self._receive(incoming, chunks)
                if sha256 not in ("", incoming.sha256):
                    raise SnapshotDamaged(snapshot_id, f"its SHA-256 digest is {incoming.sha256}, not {sha256}")
                info = await self._check_incoming(incoming, snapshot_id)
                if not snapshot_id:
                    chosen = await run_in_thread(self._free_id, info)
                    info = msgspec.structs.replace(info, snapshot_id=chosen)
                return await self._keep(incoming, info)
            finally:
                await run_in_thread(incoming.discard)

    async def prune(self, keep: int) -> int:
        """Delete the automatic snapshots except the newest ``keep``. Return their number."""
        automatic = [info for info in await self.list() if info.trigger in AUTOMATIC_TRIGGERS]
        deleted = 0
        for info in automatic[keep:]:
            with contextlib.suppress(SnapshotNotFound):
                await self.delete(info.snapshot_id)
                deleted += 1
        return deleted

    @contextlib.asynccontextmanager
    async def _opened(self, snapshot_id: str) -> AsyncIterator[SnapshotSource]:
        check_snapshot_id(snapshot_id)
        with _storage_errors():
            source = SnapshotSource(await run_in_thread(self._find, snapshot_id), snapshot_id)
            try:
                await _open(source, snapshot_id)
                yield source
            finally:
                await run_in_thread(source.close)

    async def _receive(self, incoming: IncomingFile, chunks: AsyncIterator[bytes]) -> None:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            if size > self._limits.snapshot_bytes:
                raise TooLarge("snapshot_bytes", self._limits.snapshot_bytes)
            await run_in_thread(incoming.write, chunk)
        await run_in_thread(incoming.finish)

    async def _check_incoming(self, incoming: IncomingFile, snapshot_id: str) -> SnapshotInfo:
        source = SnapshotSource(incoming.path, snapshot_id)
        try:
            await run_in_thread(source.open)
            return await self._verify(source)
        finally:
            await run_in_thread(source.close)

    async def _keep(self, incoming: IncomingFile, info: SnapshotInfo) -> SnapshotInfo:
        async with self._naming:
            return await run_in_thread(self._name, incoming, info)

    async def _describe(self, path: Path, snapshot_id: str) -> SnapshotInfo:
        try:
            finding = await run_in_thread(self._summaries.find, path, snapshot_id)
        except FileNotFoundError:
            raise SnapshotNotFound(snapshot_id) from None
        if isinstance(finding, Refusal):
            raise finding.with_traceback(None)
        return finding or await self._verify_file(path, snapshot_id)

    async def _verify_file(self, path: Path, snapshot_id: str) -> SnapshotInfo:
        source = SnapshotSource(path, snapshot_id)
        try:
            await _open(source, snapshot_id)
            info = await self._verify(source)
            await run_in_thread(self._summaries.remember, path, source.modify_time, info)
        except (SnapshotDamaged, SnapshotLocked, SchemaTooNew) as refusal:
            self._summaries.remember_refusal(path, source.modify_time, source.size_bytes, refusal)
            raise
        else:
            return info
        finally:
            await run_in_thread(source.close)

    async def _verify(self, source: SnapshotSource) -> SnapshotInfo:
        """Check the entire file, with a few of its blocks in memory at a time."""
        reader = await run_in_thread(source.reader, self._key, self._limits.storage_bytes_per_agent)
        async for _ in iterate_in_thread(reader.blocks()):
            pass
        return source.info(reader)

    def _open_directory(self) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._is_only_user:
            remove_leftovers(self._directory)
            self._summaries.tidy(self._directory)

    def _name(self, incoming: IncomingFile, info: SnapshotInfo) -> SnapshotInfo:
        self._refuse_taken(info.snapshot_id)
        path = self._directory / f"{info.snapshot_id}{ENCRYPTED_SUFFIX if info.encrypted else PLAIN_SUFFIX}"
        # Before it has its name, under which another call may delete it.
        status = incoming.path.stat()
        try:
            incoming.keep(path)
        except FileExistsError:
            raise SnapshotExists(info.snapshot_id) from None
        named = msgspec.structs.replace(info, size_bytes=status.st_size)
        self._summaries.remember(path, status.st_mtime_ns, named)
        return named

    def _free_id(self, info: SnapshotInfo) -> str:
        """Return the id that an imported file names, if it is one and is not taken; else a new one."""
        try:
            check_snapshot_id(info.snapshot_id)
            self._refuse_taken(info.snapshot_id)
        except (InvalidField, SnapshotExists):
            return make_snapshot_id(info.create_time, secrets.token_hex(3))
        return info.snapshot_id

    def _refuse_taken(self, snapshot_id: str) -> None:
        with contextlib.suppress(SnapshotNotFound):
            self._find(snapshot_id)
            raise SnapshotExists(snapshot_id)

    def _find(self, snapshot_id: str) -> Path:
        for suffix in (PLAIN_SUFFIX, ENCRYPTED_SUFFIX):
            path = self._directory / f"{snapshot_id}{suffix}"
            if path.exists():
                return path
        raise SnapshotNotFound(snapshot_id)

    def _paths(self) -> dict[str, Path]:
        """Return the files with the name of a snapshot, by id."""
        paths = {}
        for snapshot_id in map(_snapshot_id, self._directory.iterdir()):
            if snapshot_id is not None:
                # Another call may delete the file meanwhile.
                with contextlib.suppress(SnapshotNotFound):
                    paths[snapshot_id] = self._find(snapshot_id)
        return paths

    def _delete(self, snapshot_id: str) -> None:
        path = self._find(snapshot_id)
        self._summaries.forget(path)
        try:
            path.unlink()
        except FileNotFoundError:
            raise SnapshotNotFound(snapshot_id) from None
        sync_directory(self._directory)


async def _write(incoming: IncomingFile, header: Header, agents: AsyncIterator[StoredAgent]) -> Tally:
    writer = SnapshotWriter(incoming, header)
    await run_in_thread(writer.begin)
    async for batch in batches(agents):
        await run_in_thread(writer.add, batch)
    await run_in_thread(writer.finish)
    await run_in_thread(incoming.finish)
    return writer.tally


async def _open(source: SnapshotSource, snapshot_id: str) -> None:
    try:
        await run_in_thread(source.open)
    except FileNotFoundError:
        raise SnapshotNotFound(snapshot_id) from None


def _snapshot_id(path: Path) -> str | None:
    """Return the snapshot id in a file's name; None if it has none."""
    for suffix in (ENCRYPTED_SUFFIX, PLAIN_SUFFIX):
        if path.name.endswith(suffix):
            snapshot_id = path.name.removesuffix(suffix)
            with contextlib.suppress(InvalidField):
                check_snapshot_id(snapshot_id)
                return snapshot_id
    return None


def _storage_errors() -> contextlib.AbstractContextManager[None]:
    return storage_errors(log, "snapshot directory")
