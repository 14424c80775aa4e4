"""The attacked daemon: as a user starts it, with tokens of an attacker, of a bystander and of the operator."""

import hashlib
import secrets
from pathlib import Path

from tests.attack.attack import Target
from tests.daemon import Daemon

BYSTANDER_AGENT = "bystander"
ATTACKER_AGENTS = "attacker-*"
_PROBLEMS = ("ERROR", "CRITICAL", "Traceback")
MISTAKE = "value cannot be serialized"
"""A mistake of a caller that is logged as an error."""


class GuardedDaemon(Daemon):
    """A daemon that requires tokens."""

    def __init__(self, directory: Path, *flags: str) -> None:
        agents = {"bystander": BYSTANDER_AGENT, "attacker": ATTACKER_AGENTS, "operator": "*"}
        self._tokens = {name: secrets.token_urlsafe(24) for name in agents}
        file = directory / "tokens.toml"
        rows = ((name, hashlib.sha256(token.encode()).hexdigest()) for name, token in self._tokens.items())
        file.write_text(
            "".join(f'[tokens.{name}]\nsha256 = "{digest}"\nagents = ["{agents[name]}"]\n' for name, digest in rows)
        )
        file.chmod(0o600)
        super().__init__(directory, "--token-file", str(file), *flags)

    @property
    def target(self) -> Target:
        """The daemon as an attacker knows it."""
        return Target(self.address, self.pid, self._tokens["attacker"], self._tokens["operator"], self.directory)

    @property
    def bystander_token(self) -> str:
        """The token of the bystander."""
        return self._tokens["bystander"]

    @property
    def problems(self) -> list[str]:
        """The lines of the log that report a defect."""
        lines = [line for line in self.log.splitlines() if any(word in line for word in _PROBLEMS)]
        return [line for line in lines if MISTAKE not in line]
