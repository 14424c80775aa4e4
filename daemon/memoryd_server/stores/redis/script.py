"""The Lua scripts that run in the server. Each is atomic."""

import hashlib
from importlib import resources


class Script:
    """A Lua script, called by its digest. Every connection loads all of ``SCRIPTS`` before its first request."""

    def __init__(self, *names: str) -> None:
        """Load the script, which is the concatenation of these files."""
        folder = resources.files("memoryd_server.stores.redis") / "lua"
        self.text = b"".join((folder / f"{name}.lua").read_bytes() for name in names)
        # The server identifies scripts by SHA-1. Security does not depend on it.
        self.digest = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()

    def call(self, keys: tuple[str, ...], *arguments: bytes | str | int) -> tuple[bytes | str | int, ...]:
        """Return the command that runs the script."""
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)

    def call_with_text(self, keys: tuple[str, ...], *arguments: bytes | str | int) -> tuple[bytes | str | int, ...]:
        """Return the command that runs the script without loading it first, for rare use."""
        return ("EVAL", self.text, len(keys), *keys, *arguments)


COMMIT = Script("commit")
WALK = Script("moved", "walk")
PRUNE = Script("moved", "prune")
DUTIES = Script("duties")
SCRIPTS = (COMMIT, WALK, PRUNE, DUTIES)
