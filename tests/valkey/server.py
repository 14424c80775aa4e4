"""A real server, which keeps its port and its directory when it is stopped, killed or paused."""

import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote

from tests.port import free_port
from tests.valkey import guard
from tests.valkey.binary import server_binary
from tests.valkey.link import Argument, Link, Refusal, Reply
from tests.wait import until

END_S_MAX = 30.0

DEFAULTS: Mapping[str, str] = {
    "bind": "127.0.0.1",
    "dir": ".",
    "daemonize": "no",
    "save": '""',
    "appendonly": "yes",
    "appendfsync": "everysec",
    # A primary need not wait for further replicas before it sends its data to the first.
    "repl-diskless-sync-delay": "0",
    # A test may use the user "default" without a password.
    "protected-mode": "no",
}


class ValkeyServer:
    """A process of the server binary, with a directory that holds its configuration, data and log."""

    def __init__(
        self,
        directory: Path,
        *,
        options: Mapping[str, str] | None = None,
        credentials: tuple[str, str] | None = None,
        arguments: tuple[str, ...] = (),
    ) -> None:
        """Options are lines of the configuration. Credentials are the name and password of a user with all rights."""
        self.directory = directory
        self.port = free_port()
        self.credentials = credentials
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        directory.mkdir(parents=True, exist_ok=True)
        lines = {**DEFAULTS, "port": str(self.port), **(options or {})}
        # Written once: REPLICAOF, a failover or a sentinel rewrites it, and a restart must keep that.
        self._configuration.write_text("".join(f"{name} {value}\n" for name, value in (lines | self._access()).items()))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """Its host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The URL for clients, with user and password."""
        return f"redis://{self.userinfo}{self.address}/0"

    @property
    def userinfo(self) -> str:
        """The part of an URL before the host."""
        if self.credentials is None:
            return ""
        return ":".join(quote(each, safe="") for each in self.credentials) + "@"

    @property
    def log(self) -> str:
        """The whole log, of all starts."""
        return self._log.read_text("utf-8", "replace")

    @property
    def pid(self) -> int:
        """The id of the running process."""
        return self._running.pid

    @property
    def runs(self) -> bool:
        """If true, the process runs or is paused."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start, and wait until it answers and has loaded its data."""
        assert not self.runs
        command = [str(server_binary()), self._configuration.name, *self._arguments]
        with self._log.open("ab") as log:
            # A session of its own: an interrupt from the terminal ends the tests, and they end the server.
            self._process = subprocess.Popen(
                command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        guard.watch(self._process.pid)
        try:
            until(self._answers, f"server {self.address} answers, see {self._log}")
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End it with SIGTERM, so that it writes its data first."""
        self.resume()
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it with SIGKILL, also when it is paused."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Kill it if it runs, and start it on the same port and data."""
        self.close()
        self.start()

    def close(self) -> None:
        """Kill it if it still runs."""
        if self.runs:
            self.kill()

    def pause(self) -> None:
        """Stop it with SIGSTOP: connections stay open, and no command is answered."""
        self._running.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue after a pause."""
        self._running.send_signal(signal.SIGCONT)

    def link(self) -> Link:
        """Return a new connection, which the caller closes."""
        return Link(self.port, self.credentials)

    def command(self, *arguments: Argument) -> Reply:
        """Send one command on a new connection and return its reply. Raises Refusal for an error reply."""
        with self.link() as link:
            return link.call(*arguments)

    def information(self, section: str = "default") -> dict[str, str]:
        """Return the fields of one section of INFO."""
        reply = self.command("INFO", section)
        assert isinstance(reply, bytes)
        return dict(line.split(":", 1) for line in reply.decode().splitlines() if ":" in line)

    def replicate(self, primary: "ValkeyServer") -> None:
        """Become a replica of another server, also after a restart, and wait until the copy is complete."""
        assert self.credentials == primary.credentials
        self.command("REPLICAOF", "127.0.0.1", primary.port)
        self.command("CONFIG", "REWRITE")
        until(lambda: self.is_synced, f"server {self.address} is a replica of {primary.address}")

    def promote(self) -> None:
        """Become a primary, which accepts writes."""
        self.command("REPLICAOF", "NO", "ONE")
        self.command("CONFIG", "REWRITE")
        assert self.role == "master"

    @property
    def role(self) -> str:
        """The role in the server's words: master or slave."""
        return self.information("replication")["role"]

    @property
    def is_synced(self) -> bool:
        """If true, it is a replica that has copied its primary's data and receives its writes."""
        return self.information("replication").get("master_link_status") == "up"

    @property
    def _configuration(self) -> Path:
        return self.directory / "server.conf"

    @property
    def _log(self) -> Path:
        return self.directory / "server.log"

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _access(self) -> dict[str, str]:
        if self.credentials is None:
            return {}
        user, password = self.credentials
        access = {f"user {user}": f"on >{password} ~* &* +@all", "masteruser": user, "masterauth": password}
        return access if user == "default" else {**access, "user default": "off"}

    def _answers(self) -> bool:
        if not self.runs:
            raise AssertionError(f"server {self.address} ended with {self._running.returncode}:\n{self.log}")
        try:
            return self.command("PING") == b"PONG"
        except Refusal as refusal:
            # A replica that is up replies so while its primary is unreachable.
            return refusal.kind == "MASTERDOWN"

    def _end(self, number: signal.Signals) -> None:
        process = self._running
        process.send_signal(number)
        process.wait(END_S_MAX)
        guard.forget(process.pid)
