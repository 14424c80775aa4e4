"""What runs inside of the server, as one step each."""

import hashlib
from importlib import resources


class Script:
    """A Lua script, called by its digest. Every connection begins with loading all of them."""

    def __init__(self, name: str) -> None:
        self.text = (resources.files("memoryd_server.stores.redis") / "lua" / f"{name}.lua").read_bytes()
        # SHA-1 is how the server names scripts; nothing is protected by it.
        self.digest = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()

    def call(self, keys: tuple[str, ...], *arguments: bytes | str | int) -> tuple[bytes | str | int, ...]:
        """The command that runs it."""
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)


COMMIT = Script("commit")
WALK = Script("walk")
PRUNE = Script("prune")
DUTIES = Script("duties")
SCRIPTS = (COMMIT, WALK, PRUNE, DUTIES)
