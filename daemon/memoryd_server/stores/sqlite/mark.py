"""The mark: how far the database was acknowledged, kept outside of it.

After damage in its write-ahead log SQLite carries on as if the log had ended there. The mark makes such a loss visible.
It is one page of mapped memory with two slots that are written in turn, so that one of them is whole whenever the
process is killed; what a killed process wrote there stays. It is not synced after each group, so after a power failure
it may be older than the database, which is harmless, or, in ``journaled``, newer: then the generation that was synced
counts.
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
    """What the mark says. ``backfilling`` is whether the log was being copied to the main file: it was needed then."""

    sequence: int
    store_id: bytes
    boot_id: bytes
    generation: int
    synced_generation: int
    backfilling: bool

    @property
    def required_generation(self) -> int:
        """The generation that the database cannot be behind of."""
        same_boot = self.boot_id == _boot_id() != bytes(16)
        return self.generation if same_boot else self.synced_generation


def read_mark(path: Path) -> MarkState | None:
    """What the mark at ``path`` says; None when there is no mark. Raises DataDamaged and OSError."""
    if not path.exists():
        return None
    content = path.read_bytes()
    slots = [_decode(content[start : start + _SLOT.size]) for start in (0, _SLOT_BYTES)]
    valid = [slot for slot in slots if slot is not None]
    if len(content) != _BYTES or not valid:
        raise DataDamaged(f"{path.name}; {acceptance(path)}")
    return max(valid)


def acceptance(path: Path) -> str:
    """What a person does who would rather go on with what is left."""
    return f"delete {path.name} to accept that the last writes may be missing"


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
    """This start of the machine; zeros where it has no name."""
    try:
        return bytes.fromhex(_BOOT_ID.read_text().strip().replace("-", ""))
    except OSError:
        return bytes(16)


class Mark:
    """The mark of an open store. Only the writer's thread changes it."""

    def __init__(self, path: Path, found: MarkState | None, store_id: str, generation: int) -> None:
        """Go on with the mark that was found at ``path``, or make one. Raises OSError."""
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
        """Remember a generation before its commits are answered."""
        synced_generation = generation if synced else self._state.synced_generation
        self._write(self._state._replace(generation=generation, synced_generation=synced_generation))

    def backfill(self, *, running: bool) -> None:
        """Remember that the log is being copied to the main file, or that all of it was."""
        self._write(self._state._replace(backfilling=running))

    def close(self) -> None:
        """Write the mark to the disk and let go."""
        self._mapping.flush()
        self._mapping.close()

    def _write(self, state: MarkState) -> None:
        self._state = state._replace(sequence=state.sequence + 1)
        slot = _encode(self._state)
        start = self._state.sequence % 2 * _SLOT_BYTES
        self._mapping[start : start + _SLOT.size] = slot


def _create(path: Path, state: MarkState) -> None:
    """Make the file whole before it has its name, and every block of it: the mapping must never lack room."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(_encode(state).ljust(_SLOT_BYTES, b"\0") * 2)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
