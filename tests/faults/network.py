"""Network namespaces for daemons that can be cut off from their server, while their callers still reach them."""

import os
import secrets
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest
from tests.daemon import COMMAND, Daemon

_NETWORKS = 250


class Network:
    """A bridge with an address, at which servers of this namespace listen, and a namespace for each daemon.

    A context manager, which removes all of it. Skips the test where the user may not create namespaces.
    """

    def __init__(self, *names: str) -> None:
        # An interface's name has 15 characters at most, and other tests have networks of their own.
        self._id = secrets.token_hex(3)
        self._names = names
        self._bridge = f"mb-{self._id}"
        self._subnet = f"10.{int(self._id[:2], 16)}.{int(self._id[2:4], 16) % _NETWORKS}"
        self.address = f"{self._subnet}.1"

    def __enter__(self) -> Self:
        if os.geteuid() != 0 or shutil.which("ip") is None:
            pytest.skip("network namespaces need root and iproute2")
        try:
            _ip("link", "add", self._bridge, "type", "bridge")
            _ip("addr", "add", f"{self.address}/24", "dev", self._bridge)
            _ip("link", "set", self._bridge, "up")
            for number, name in enumerate(self._names, 2):
                self._add(name, number)
        except subprocess.CalledProcessError as error:
            self.__exit__()
            pytest.skip(f"network namespaces cannot be created: {error.stderr.strip()}")
        return self

    def __exit__(self, *_: object) -> None:
        # The links first: a namespace lasts for as long as a process is in it. What does not exist cannot be removed.
        links = [("link", "del", self._outer(name)) for name in self._names]
        spaces = [("netns", "del", self.namespace(name)) for name in self._names]
        for each in (*links, *spaces, ("link", "del", self._bridge)):
            with suppress(subprocess.CalledProcessError):
                _ip(*each)

    def namespace(self, name: str) -> str:
        """Return the name of a daemon's namespace."""
        return f"memoryd-{self._id}-{name}"

    def cut(self, name: str) -> None:
        """Let every packet of a daemon, and to it, be lost."""
        _ip("link", "set", self._outer(name), "down")

    def heal(self, name: str) -> None:
        """Let packets pass again."""
        _ip("link", "set", self._outer(name), "up")

    def _outer(self, name: str) -> str:
        return f"mv-{self._id}-{name}"

    def _add(self, name: str, number: int) -> None:
        inside = ("netns", "exec", self.namespace(name), "ip")
        _ip("netns", "add", self.namespace(name))
        _ip("link", "add", self._outer(name), "type", "veth", "peer", "name", "net", "netns", self.namespace(name))
        _ip("link", "set", self._outer(name), "master", self._bridge, "up")
        _ip(*inside, "addr", "add", f"{self._subnet}.{number}/24", "dev", "net")
        _ip(*inside, "link", "set", "net", "up")
        _ip(*inside, "link", "set", "lo", "up")


class CutOffDaemon(Daemon):
    """A daemon in a namespace of a network. Callers reach it by a socket of the file system."""

    def __init__(self, network: Network, name: str, directory: Path, *flags: str) -> None:
        super().__init__(directory, *flags)
        self.command = ("ip", "netns", "exec", network.namespace(name), COMMAND)
        self.address = f"unix:{directory / 'socket'}"


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
