"""The nursery's process: it imports the daemon's code once, and each request makes a fork of it that runs a command.

    python tests/nursery/forking.py COMMAND SOCKET

A request is a message at the socket with two descriptors: that of the daemon's output, and the end of a pipe that gets
its exit code. The response is the daemon's process id. The first message has the variables that imports have set.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path

import msgspec

_MODULES = (
    "importlib.metadata",
    "memoryd_server.ops.cli.daemon.process",
    "memoryd_server.ops.cli.daemon.serve",
    "memoryd_server.ops.composition",
    "memoryd_server.stores.sqlite.store",
)
"""The modules that a daemon imports. They may neither start threads nor open files."""
_MAYBE = ("memoryd_server.transport.front.server",)
"""Those that it imports where the front end is installed."""
_REQUEST_BYTES_MAX = 1 << 20


class Birth(msgspec.Struct, frozen=True):
    """The command that a fork becomes, with its working directory and its environment."""

    command: list[str]
    directory: str
    environment: dict[str, str]

    def become(self, output: int) -> None:
        """Let this process be as if the command had been executed in it."""
        os.dup2(output, 1)
        os.dup2(output, 2)
        for path in list(Path("/proc/self/fd").iterdir()):  # shared: the fork of a nursery has one thread
            if int(path.name) > 2:
                # That of the listing is closed by now.
                with contextlib.suppress(OSError):
                    os.close(int(path.name))
        os.chdir(self.directory)  # shared: this process is that of one daemon
        os.environ.clear()  # shared: the same
        os.environ.update(self.environment)  # shared: the same
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = self.command


class Nursery:
    """Forks at request, and reports how the forks end."""

    def __init__(self, control: socket.socket, made: dict[str, str]) -> None:
        self._control = control
        self._made = made
        self._children: dict[int, tuple[int, int]] = {}
        """The process ids and the ends of the pipes, by the descriptors of the processes."""

    def serve(self) -> bool:
        """Serve until the tests have ended, and return False. Each fork returns True, and is the command's process."""
        while True:
            for ready in select.select([self._control.fileno(), *self._children], [], [])[0]:
                if ready in self._children:
                    self._report(ready)
                    continue
                data, descriptors, *_ = socket.recv_fds(self._control, _REQUEST_BYTES_MAX, 2)
                if not data:
                    return False
                if self._fork(data, *descriptors):
                    return True

    def _fork(self, data: bytes, output: int, status: int) -> bool:
        request = json.loads(data)
        pid = os.fork()
        if not pid:
            request["environment"] = {**self._made, **request["environment"]}
            Birth(**request).become(output)
            return True
        os.close(output)
        self._children[os.pidfd_open(pid)] = (pid, status)
        self._control.send(str(pid).encode())
        return False

    def _report(self, ended: int) -> None:
        pid, status = self._children.pop(ended)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(ended)
        # The tests may have lost their interest.
        with contextlib.suppress(BrokenPipeError):
            os.write(status, str(code).encode())
        os.close(status)


def main() -> bool:
    """Import, serve, and return True in the process of a command, which is now to be run."""
    _, command, number = sys.argv
    # As for the command, which is a file there.
    sys.path[0] = str(Path(command).parent)
    # Ctrl+C at the terminal ends the tests, and they the nursery. SIGINT would also reach the daemons by themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = dict(os.environ)
    for module in _MODULES:
        importlib.import_module(module)
    for module in _MAYBE:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    threads = len(list(Path("/proc/self/task").iterdir()))  # shared: it is the nursery's own process
    assert threads == 1, f"an import has started threads: {threads}"
    made = {name: value for name, value in os.environ.items() if before.get(name) != value}
    # A collection would write to what forks share.
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=int(number))
    control.send(json.dumps(made).encode())
    return Nursery(control, made).serve()


if __name__ == "__main__" and main():
    from memoryd_server.ops.cli.main import main as run

    run()
