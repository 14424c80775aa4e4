"""What runs inside of the server, as one step each."""

import hashlib
from importlib import resources


class Script:
    """A Lua script, called by its digest. Every connection begins with loading all of ``SCRIPTS``."""

    def __init__(self, *names: str) -> None:
        """It is in these files, one after the other."""
        folder = resources.files("memoryd_server.stores.redis") / "lua"
        self.text = b"".join((folder / f"{name}.lua").read_bytes() for name in names)
        # SHA-1 is how the server names scripts; nothing is protected by it.
        self.digest = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()

    def call(self, keys: tuple[str, ...], *arguments: bytes | str | int) -> tuple[bytes | str | int, ...]:
        """The command that runs it."""
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)

    def call_with_text(self, keys: tuple[str, ...], *arguments: bytes | str | int) -> tuple[bytes | str | int, ...]:
        """The command that runs it where it is not loaded, because it is seldom asked for."""
        return ("EVAL", self.text, len(keys), *keys, *arguments)


COMMIT = Script("commit")
WALK = Script("moved", "walk")
PRUNE = Script("moved", "prune")
DUTIES = Script("duties")
SCRIPTS = (COMMIT, WALK, PRUNE, DUTIES)
