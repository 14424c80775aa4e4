"""A bystander: another caller with its own token and connection, which gets and sets an entry again and again.

It runs in a process of its own, so that it neither waits for the attacker nor for the program that measures.
"""

import contextlib
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

import grpc
import msgspec
from tests.attack.channel import blocking_channel_to
from tests.attack.daemon import BYSTANDER_AGENT, GuardedDaemon
from tests.attack.outcome import OK, outcome_of
from tests.attack.processor import RunQueue, processor_s

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

ROOT = Path(__file__).parents[2]
KEY = "key"
CALL_S_MAX = 60.0
"""Timeout of a call, far longer than any should take."""
PACE_S = 0.01  # time: a pace, at which it calls


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """One call: when it began by the monotonic clock, how long it took, and its outcome.

    ``processor_s`` is the time that all threads of the daemon computed meanwhile, ``waited_s`` the time for which the
    daemon's event loop and the bystander were ready to run and had no core.
    """

    began: float
    seconds: float
    is_set: bool
    outcome: str
    processor_s: float
    waited_s: float


class Account(msgspec.Struct, frozen=True):
    """Everything that the bystander saw. ``acknowledged`` and ``stored`` are the last value's number."""

    samples: list[Sample]
    acknowledged: int
    stored: int


class Bystander:
    """Runs the bystander from entering until leaving the context; then ``account`` has what it saw."""

    def __init__(self, daemon: GuardedDaemon) -> None:
        self._daemon = daemon
        self._process: subprocess.Popen[bytes] | None = None
        self.account = Account([], 0, 0)

    def __enter__(self) -> "Bystander":
        command = [sys.executable, "-m", "tests.attack.bystander", self._daemon.address, str(self._daemon.pid)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # By standard input, since the arguments of a process are visible to all users.
        self._process.stdin.write(self._daemon.bystander_token.encode() + b"\n")
        self._process.stdin.flush()
        if not self._process.stdout.readline():
            raise RuntimeError("the bystander did not begin")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        # It ends when its standard input does.
        output, _ = self._process.communicate()
        if kind is None:
            self.account = msgspec.json.decode(output, type=Account)


def _watch(address: str, pid: int, token: str, is_over: threading.Event) -> Account:
    metadata = (("authorization", f"Bearer {token}"),)
    samples: list[Sample] = []
    queue = RunQueue(pid)
    acknowledged = 0
    with blocking_channel_to(address) as channel:
        stub = WorkingMemoryServiceStub(channel)

        def call(number: int) -> bool:
            if number % 2:
                stub.GetEntry(pb.GetEntryRequest(agent_id=BYSTANDER_AGENT, key=KEY), CALL_S_MAX, metadata)
                return False
            request = pb.SetEntryRequest(agent_id=BYSTANDER_AGENT, key=KEY, value_json=str(number))
            stub.SetEntry(request, CALL_S_MAX, metadata)
            return True

        call(0)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        number = 0
        while not is_over.is_set():
            number += 1
            waited, computed, began = queue.waited_s(), processor_s(pid), time.monotonic()
            outcome = OK
            try:
                if call(number):
                    acknowledged = number
            except grpc.RpcError as error:
                outcome = outcome_of(error)
            ended = time.monotonic()
            samples.append(
                Sample(
                    began,
                    ended - began,
                    not number % 2,
                    outcome,
                    processor_s(pid) - computed,
                    queue.waited_s() - waited,
                )
            )
            time.sleep(PACE_S)  # time: a pace
        found = stub.GetEntry(pb.GetEntryRequest(agent_id=BYSTANDER_AGENT, key=KEY), CALL_S_MAX, metadata)
    return Account(samples, acknowledged, int(found.entry.value_json))


def _main() -> None:
    is_over = threading.Event()

    def wait_for_end() -> None:
        with contextlib.suppress(OSError):
            sys.stdin.read()
        is_over.set()

    token = sys.stdin.readline().strip()
    threading.Thread(target=wait_for_end, daemon=True).start()
    account = _watch(sys.argv[1], int(sys.argv[2]), token, is_over)
    sys.stdout.buffer.write(msgspec.json.encode(account))


if __name__ == "__main__":
    _main()
