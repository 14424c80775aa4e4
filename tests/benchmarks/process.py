"""The daemon under measurement: a separate process on a separate core."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import grpc
from tests.benchmarks import workload
from tests.port import free_address

from memoryd.v1 import agent_service_pb2, agent_service_pb2_grpc, working_memory_service_pb2_grpc

START_S_MAX = 60.0
STOP_S_MAX = 60.0
SETTLE_S_MAX = 15.0
ROOT = Path(__file__).parents[2]

SERVER_CORE, CLIENT_CORE = (sorted(os.sched_getaffinity(0)) * 2)[:2]
"""The same core on a machine that has only one; the report has the number of cores."""


class DaemonProcess:
    """Runs the daemon, with the empty methods of ``tests.benchmarks.server``; a context manager that kills it."""

    def __init__(self, directory: Path, *flags: str, cores: Sequence[int] = (SERVER_CORE,)) -> None:
        self.data_dir = directory / "data"
        self.log_path = directory / "daemon.log"
        self.address = free_address()
        self._flags = flags
        self._cores = ",".join(map(str, cores))
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: grpc.Channel | None = None

    def __enter__(self) -> "DaemonProcess":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The id of the running process."""
        assert self._process is not None
        return self._process.pid

    @property
    def channel(self) -> grpc.Channel:
        """A channel to the daemon."""
        if self._channel is None:
            options = [("grpc.max_receive_message_length", 64 << 20), ("grpc.use_local_subchannel_pool", 1)]
            self._channel = grpc.insecure_channel(self.address, options=options)
        return self._channel

    @property
    def memory(self) -> working_memory_service_pb2_grpc.WorkingMemoryServiceStub:
        """The stub of the daemon's working memory."""
        return working_memory_service_pb2_grpc.WorkingMemoryServiceStub(self.channel)

    def start(self) -> float:
        """Start the daemon, and return the seconds until it had served its first call."""
        command = [sys.executable, "-m", "tests.benchmarks.server", "serve", "--listen", self.address]
        command += ["--data-dir", str(self.data_dir), "--no-snapshot-on-shutdown", "--log-level", "warning"]
        began = time.monotonic()
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                ["taskset", "-c", self._cores, *command, *self._flags], stdout=log, stderr=log, cwd=ROOT
            )
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > began + START_S_MAX:
                self.kill()
                raise RuntimeError(f"the daemon did not start:\n{self.log_path.read_text()}")
            time.sleep(0.005)
        self.memory.GetEntry(workload.get_request("nobody"), wait_for_ready=True, timeout=START_S_MAX)
        return time.monotonic() - began

    def kill(self) -> None:
        """End the daemon with SIGKILL, if it runs."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the daemon with SIGTERM, if it runs."""
        self._end(signal.SIGTERM)

    def rss_bytes(self) -> int:
        """Return the daemon's resident memory."""
        return rss_bytes(self.pid)

    def settle(self) -> None:
        """Wait until the daemon uses almost no processor time, at most SETTLE_S_MAX."""
        deadline = time.monotonic() + SETTLE_S_MAX
        idle = 0
        while idle < 3 and time.monotonic() < deadline:
            before = self.cpu_s()
            time.sleep(0.3)
            idle = idle + 1 if self.cpu_s() - before < 0.02 else 0

    def cpu_s(self) -> float:
        """Return the processor time that all threads of the daemon have used."""
        return cpu_s(self.pid)

    def revision(self, agent_id: str) -> int:
        """Return an agent's revision, by a call of GetAgent."""
        stub = agent_service_pb2_grpc.AgentServiceStub(self.channel)
        revision: int = stub.GetAgent(agent_service_pb2.GetAgentRequest(agent_id=agent_id)).agent.revision
        return revision

    def _end(self, number: signal.Signals) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
            try:
                self._process.wait(STOP_S_MAX)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _listens(self) -> bool:
        host, port = self.address.split(":")
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            return False
        return True


def cpu_s(pid: int) -> float:
    """Return the processor time that all threads of a process have used."""
    with Path(f"/proc/{pid}/stat").open() as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    with Path(f"/proc/{pid}/statm").open() as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
