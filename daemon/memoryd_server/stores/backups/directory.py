"""The directory of a backup. A file counts once its manifest is there, which is written after it."""

import contextlib
import fcntl
import hashlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec

from memoryd_server.domain.error import DataDamaged, SnapshotDamaged, SnapshotLocked
from memoryd_server.ports.store import JournalRow, StoredAgent
from memoryd_server.stores.backups.manifest import Chain, Manifest
from memoryd_server.stores.digested_file import DigestedFile
from memoryd_server.stores.limit import BACKUP_AGENT_BYTES_MAX
from memoryd_server.stores.segment_file import SegmentFileReader
from memoryd_server.stores.snapshot_file import SnapshotReader
from memoryd_server.stores.snapshot_incoming import IncomingFile, remove_leftovers, sync_directory
from memoryd_server.stores.snapshot_key import MAGIC, DecryptingReader, SnapshotKey

_LOCK = ".lock"


class BackupDirectory:
    """A directory with a backup. All methods block and may raise OSError; readers raise DataDamaged and SchemaTooNew.

    Files are decrypted with ``key``; without a fitting one, reading raises SnapshotLocked.
    """

    def __init__(self, path: Path, key: SnapshotKey | None = None) -> None:
        self.path = path
        self.key = key

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other writers out, create a missing directory, and remove what an interrupted one left.

        Raises BlockingIOError if there is another writer.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_leftovers(self.path)
            self._remove_unlisted()
            yield
        finally:
            os.close(lock)

    def manifests(self) -> list[Manifest]:
        """Return the manifests that can be read, in the order of their numbers."""
        found = (_manifest_at(path) for path in self.path.glob("*.json"))
        return sorted((each for each in found if each is not None), key=lambda each: each.number)

    def chains(self) -> list[Chain]:
        """Return the chains, the oldest first, each up to its end or to the first segment that is missing."""
        chains: list[Chain] = []
        for each in self.manifests():
            if each.kind == "base":
                chains.append(Chain(each))
            elif chains and chains[-1].end_token == each.start_token:
                chains[-1] = Chain(chains[-1].base, (*chains[-1].segments, each))
        return chains

    def problems(self) -> list[str]:
        """Return what keeps files of the backup from being used: manifests that are damaged or have a gap before."""
        unreadable = [path.name for path in sorted(self.path.glob("*.json")) if _manifest_at(path) is None]
        used = {each.number for chain in self.chains() for each in chain.files}
        apart = [each.manifest_name for each in self.manifests() if each.number not in used]
        return [f"{name}: the manifest is damaged" for name in unreadable] + [
            f"{name}: the file before it is missing" for name in apart
        ]

    def is_sent(self, manifest: Manifest) -> bool:
        """Return True if a file was noted as sent elsewhere."""
        return self._sent_path(manifest).exists()

    def note_sent(self, manifest: Manifest) -> None:
        """Note that a file was sent elsewhere."""
        self._sent_path(manifest).touch(mode=0o600)

    @property
    def identity(self) -> str:
        """An identifier of the directory on this machine, of 12 hexadecimal digits."""
        return hashlib.sha256(f"{socket.gethostname()}:{self.path.absolute()}".encode()).hexdigest()[:12]

    def incoming(self) -> Path:
        """Return the place of a file that is being made. It is removed unless ``add`` names it."""
        return IncomingFile(self.path).path

    def add(self, manifest: Manifest, incoming: Path | None) -> None:
        """Give a file its name, durably, and then write its manifest."""
        if incoming is not None:
            descriptor = os.open(incoming, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            incoming.replace(self.path / manifest.file_name)
            sync_directory(self.path)
        text = IncomingFile(self.path)
        try:
            text.open()
            text.write(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
            text.finish()
            text.replace(self.path / manifest.manifest_name)
        finally:
            text.discard()
        sync_directory(self.path)

    def remove(self, manifest: Manifest) -> None:
        """Remove a file: its manifest first, without which it no longer counts."""
        (self.path / manifest.manifest_name).unlink(missing_ok=True)
        sync_directory(self.path)
        if manifest.file_name:
            (self.path / manifest.file_name).unlink(missing_ok=True)
        self._sent_path(manifest).unlink(missing_ok=True)

    def check(self, manifest: Manifest) -> None:
        """Raise DataDamaged unless a file has the size and the digest that its manifest states."""
        if not manifest.file_name:
            return
        try:
            with (self.path / manifest.file_name).open("rb") as file:
                size_bytes = os.fstat(file.fileno()).st_size
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except FileNotFoundError:
            raise DataDamaged(f"{manifest.file_name} is missing") from None
        if (size_bytes, digest) != (manifest.size_bytes, manifest.sha256):
            raise DataDamaged(f"{manifest.file_name} was truncated or changed")

    def agents(self, base: Manifest) -> Iterator[StoredAgent]:
        """Yield the agents of a base. Once this ends, the entire file is known to be intact."""
        with self._source(base) as source:
            try:
                yield from SnapshotReader(base.file_name, source, BACKUP_AGENT_BYTES_MAX).agents()
            except SnapshotDamaged as error:
                raise DataDamaged(error.message) from error

    def rows(self, segment: Manifest) -> Iterator[JournalRow]:
        """Yield the rows of a segment. Once this ends, the entire file is known to be intact."""
        if not segment.file_name:
            return
        with self._source(segment) as source:
            reader = SegmentFileReader(segment.file_name, source)
            yield from reader.rows()
            if (reader.start.start_token, reader.end.end_token if reader.end else "") != (
                segment.start_token,
                segment.end_token,
            ):
                raise DataDamaged(f"{segment.manifest_name} describes another file than {segment.file_name}")

    @contextlib.contextmanager
    def _source(self, manifest: Manifest) -> Iterator[DigestedFile | DecryptingReader]:
        name = manifest.file_name
        if not name:
            raise DataDamaged(f"{manifest.manifest_name} names no file")
        try:
            file = (self.path / name).open("rb")
        except FileNotFoundError:
            raise DataDamaged(f"{name} is missing") from None
        with file:
            is_encrypted = file.read(len(MAGIC)) == MAGIC
            file.seek(0)
            if not is_encrypted:
                yield DigestedFile(file)
                return
            if self.key is None:
                raise SnapshotLocked(name)
            cipher = DecryptingReader(name, file, self.key)
            try:
                yield cipher
            finally:
                cipher.close()

    def _remove_unlisted(self) -> None:
        """Remove files without a manifest: their making was interrupted."""
        for path in self.path.iterdir():
            stem = path.name.partition(".")[0]
            if stem.isdecimal() and not (self.path / f"{stem}.json").exists():
                path.unlink(missing_ok=True)

    def _sent_path(self, manifest: Manifest) -> Path:
        return self.path / f"{manifest.stem}.sent"


def _manifest_at(path: Path) -> Manifest | None:
    """Return a manifest; None if it is damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
