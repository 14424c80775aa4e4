"""Encryption of snapshots in the age format (X25519), so that the standard ``age`` tool can decrypt them.

pyrage processes a whole file in one call. So each stream runs that call in a thread, which a pipe connects with the
stream's user. The pipe's capacity bounds the memory.
"""

import contextlib
import os
import threading
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import pyrage

from memoryd_server.domain.error import SnapshotDamaged, SnapshotLocked
from memoryd_server.stores.digested_file import DigestedFile

MAGIC = b"age-encryption.org/"
"""The first bytes of every age file."""


class SnapshotKey:
    """The identities in an age identity file, as ``age-keygen`` writes it.

    New snapshots are encrypted for the first identity; all are tried for decryption. To rotate keys, insert a new one
    at the top. Raises ValueError, with the line's number and never its content, for any other file.
    """

    def __init__(self, text: str) -> None:
        self.identities = [
            _identity(number, line.strip())
            for number, line in enumerate(text.splitlines(), start=1)
            if line.strip() and not line.startswith("#")
        ]
        if not self.identities:
            raise ValueError("contains no age identity (AGE-SECRET-KEY-1…)")

    @classmethod
    def load(cls, path: Path) -> "SnapshotKey":
        """Read an identity file. Raises OSError, and ValueError naming the file."""
        try:
            return cls(path.read_text("ascii"))
        except ValueError as error:
            what = "is not ASCII text" if isinstance(error, UnicodeError) else error
            raise ValueError(f"{path}: {what}") from None


def new_identity_file(create_time: datetime) -> tuple[str, str]:
    """Return the text of a new identity file with one key, as ``age-keygen`` writes it, and the key's public part."""
    identity = pyrage.x25519.Identity.generate()
    public = str(identity.to_public())
    return f"# created: {create_time:%Y-%m-%dT%H:%M:%SZ}\n# public key: {public}\n{identity}\n", public


def _identity(number: int, line: str) -> pyrage.x25519.Identity:
    try:
        return pyrage.x25519.Identity.from_str(line)
    except pyrage.IdentityError:
        raise ValueError(f"line {number} is not an age identity (AGE-SECRET-KEY-1…)") from None


class EncryptingWriter:
    """Encrypts what is written to it into ``target``, which must not be used elsewhere until this is closed."""

    def __init__(self, target: BinaryIO | DigestedFile, key: SnapshotKey) -> None:
        self._target = _Target(target)
        self._recipients = [key.identities[0].to_public()]
        pipe_out, pipe_in = os.pipe()
        self._pipe = os.fdopen(pipe_in, "wb")
        self._thread = threading.Thread(target=self._encrypt, args=(pipe_out,), name="snapshot-encrypt", daemon=True)
        self._thread.start()

    def write(self, data: bytes, /) -> int:
        """Write all of the data. Raises the OSError that the target raised."""
        try:
            return self._pipe.write(data)
        except BrokenPipeError:
            self.close()
            raise

    def close(self) -> None:
        """Write the rest, so that the target is complete. Raises the OSError that the target raised."""
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        self._thread.join()
        if self._target.error is not None:
            raise self._target.error

    def _encrypt(self, pipe_out: int) -> None:
        # The target keeps its error, because pyrage passes on only its text. The writer notices the closed pipe.
        with os.fdopen(pipe_out, "rb") as source, contextlib.suppress(pyrage.EncryptError, OSError):
            pyrage.encrypt_io(source, self._target, self._recipients)


class _Target:
    """A file that remembers its error."""

    def __init__(self, file: BinaryIO | DigestedFile) -> None:
        self.error: OSError | None = None
        self._file = file

    def write(self, data: bytes, /) -> int:
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError as error:
            self.error = error
            raise


class DecryptingReader:
    """Decrypts what it reads from ``source``, which must not be used elsewhere until this is closed.

    Reading raises SnapshotLocked if no identity fits, and SnapshotDamaged.
    """

    def __init__(self, snapshot_id: str, source: BinaryIO | DigestedFile, key: SnapshotKey | None) -> None:
        if key is None:
            raise SnapshotLocked(snapshot_id)
        self._snapshot_id = snapshot_id
        self._error: Exception | None = None
        pipe_out, pipe_in = os.pipe()
        self._pipe = os.fdopen(pipe_out, "rb")
        arguments = (source, pipe_in, key.identities)
        self._thread = threading.Thread(target=self._decrypt, args=arguments, name="snapshot-decrypt", daemon=True)
        self._thread.start()

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes; empty at the end."""
        data = self._pipe.read1(size)
        if not data:
            self._thread.join()
            self._raise_error()
        return data

    def close(self) -> None:
        """Stop decrypting, at any position."""
        self._pipe.close()
        self._thread.join()

    def _decrypt(self, source: BinaryIO | DigestedFile, pipe_in: int, identities: list[pyrage.x25519.Identity]) -> None:
        try:
            with os.fdopen(pipe_in, "wb") as target:
                pyrage.decrypt_io(source, target, identities)
        except (pyrage.DecryptError, OSError) as error:
            self._error = error

    def _raise_error(self) -> None:
        if self._error is None:
            return
        if isinstance(self._error, OSError) and self._error.errno is not None:
            raise self._error
        if "No matching keys" in str(self._error):
            raise SnapshotLocked(self._snapshot_id) from self._error
        raise SnapshotDamaged(self._snapshot_id, "it cannot be decrypted") from self._error
