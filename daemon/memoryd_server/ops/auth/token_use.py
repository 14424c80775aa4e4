"""The last use of each token and certificate: a file in the data directory, to the minute."""

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

log = logging.getLogger("memoryd.policy")

_FILE = "token-uses.json"
_Times = dict[str, dict[str, float]]


class TokenUses:
    """The times (s since the Unix epoch) by kind, ``token`` or ``certificate``, and by the hash or the name."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / _FILE

    def read(self) -> _Times:
        """Return all times; none if the file does not exist or is damaged."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=_Times)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}

    def note(self, used: Iterable[tuple[str, str]], now: float) -> None:
        """Add uses. A disk that is full, or fails, is logged only: calls are served without it."""
        with contextlib.ExitStack() as held:
            try:
                # Workers share the file.
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                held.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                times = self.read()
                for kind, text in used:
                    times.setdefault(kind, {})[text] = now
                data = msgspec.json.encode(times)
                os.pwrite(descriptor, data, 0)
                os.ftruncate(descriptor, len(data))
            except OSError as error:
                log.warning("uses of tokens not noted", extra={"error": str(error)})
