"""The mark: the last acknowledged generation of the database, kept outside of it.

If the write-ahead log is damaged, SQLite silently ignores everything after the damage. The mark reveals such a loss. It
is one page of mapped memory, whose content survives the end of the process. Its two slots are written in turn, so that
one of them is complete whenever the process is killed. It is not synced after each group. So after a power failure it
may be older than the database, which is harmless, or, with ``journaled``, newer: then the synced generation counts.
"""

import mmap
import os
import struct
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from memoryd_server.domain.error import DataDamaged

_BYTES = 4096
_SLOT_BYTES = _BYTES // 2
_MAGIC = b"memoryd mark 1\0\0"
_SLOT = struct.Struct("<16sQ16s16sQQ?I")
_CHECKSUM = struct.Struct("<I")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class MarkState(NamedTuple):
    """The content of the mark. If ``backfilling`` is true, the log was being copied to the main file, and is needed."""

    sequence: int
    store_id: bytes
    boot_id: bytes
    generation: int
    synced_generation: int
    backfilling: bool

    @property
    def required_generation(self) -> int:
        """The generation that the database must have reached."""
        return self.generation if self.is_of_this_boot else self.synced_generation

    @property
    def is_of_this_boot(self) -> bool:
        """True if the machine has not been started again since, so that the mark is the last one that was written."""
        return self.boot_id == _boot_id() != bytes(16)

    @property
    def shows_whole_copy(self) -> bool:
        """True if the main file is consistent without the log: no copying was interrupted."""
        return self.is_of_this_boot and not self.backfilling


def read_mark(path: Path) -> MarkState | None:
    """Return the content of the mark at ``path``; None if there is no mark. Raises DataDamaged and OSError."""
    if not path.exists():
        return None
    content = path.read_bytes()
    slots = [_decode(content[start : start + _SLOT.size]) for start in (0, _SLOT_BYTES)]
    valid = [slot for slot in slots if slot is not None]
    if len(content) != _BYTES or not valid:
        raise DataDamaged(f"{path.name} has no valid content; {acceptance(path)}")
    return max(valid)


def acceptance(path: Path) -> str:
    """Return the instructions for an operator."""
    return (
        f"`memoryd check --store sqlite:{path.parent}` shows which agents are whole, and `memoryd salvage` saves them; "
        f"or delete {path.name} to accept that the last writes may be missing"
    )


def _decode(slot: bytes) -> MarkState | None:
    if len(slot) < _SLOT.size:
        return None
    magic, *state, checksum = _SLOT.unpack(slot)
    if magic != _MAGIC or checksum != crc32(slot[: -_CHECKSUM.size]):
        return None
    return MarkState(*state)


def _encode(state: MarkState) -> bytes:
    slot = _SLOT.pack(_MAGIC, *state, 0)[: -_CHECKSUM.size]
    return slot + _CHECKSUM.pack(crc32(slot))


def _boot_id() -> bytes:
    """Return the id of this boot of the machine; zeros if there is none."""
    try:
        return bytes.fromhex(_BOOT_ID.read_text().strip().replace("-", ""))
    except OSError:
        return bytes(16)


class Mark:
    """The mark of an open store. Only the writer's thread changes it."""

    def __init__(self, path: Path, found: MarkState | None, store_id: str, generation: int) -> None:
        """Continue the mark that was ``found`` at ``path``, or create one. Raises OSError."""
        state = found or MarkState(0, bytes.fromhex(store_id), bytes(16), 0, 0, backfilling=False)
        if found is None:
            _create(path, state)
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._mapping = mmap.mmap(descriptor, _BYTES)
        finally:
            os.close(descriptor)
        self._state = state
        self._write(state._replace(boot_id=_boot_id(), generation=generation))

    def acknowledge(self, generation: int, *, synced: bool) -> None:
        """Record a generation. Must be called before its commits are acknowledged to their callers."""
        synced_generation = generation if synced else self._state.synced_generation
        self._write(self._state._replace(generation=generation, synced_generation=synced_generation))

    def backfill(self, *, running: bool) -> None:
        """Record that copying the log to the main file begins, or that all of the log was copied."""
        self._write(self._state._replace(backfilling=running))

    def settle(self, generation: int) -> None:
        """Record that the main file has everything up to a generation, and is on the disk: the log is not needed."""
        self.backfill(running=False)
        self.acknowledge(generation, synced=True)

    def close(self) -> None:
        """Sync the mark to the disk, and close it."""
        self._mapping.flush()
        self._mapping.close()

    def _write(self, state: MarkState) -> None:
        self._state = state._replace(sequence=state.sequence + 1)
        slot = _encode(self._state)
        start = self._state.sequence % 2 * _SLOT_BYTES
        self._mapping[start : start + _SLOT.size] = slot


def _create(path: Path, state: MarkState) -> None:
    """Create the file under a temporary name, with all its blocks: a write to the mapping must not find a full disk."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(_encode(state).ljust(_SLOT_BYTES, b"\0") * 2)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
