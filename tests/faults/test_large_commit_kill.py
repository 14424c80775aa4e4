"""Repeated SIGKILL under commits that are carried out in steps: each is there as a whole, or not at all."""

import random
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import grpc
import pytest
from tests.daemon import Daemon, insecure_channel
from tests.faults.killing import kill_while_writing
from tests.integration.wire import code_of
from tests.wait import WAIT_S_MAX

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

ROUNDS = 3
MANY_ROUNDS = 40
ENTRIES = 400
VALUE = f'"{"v" * 2_000}"'


@dataclass
class Writer:
    """Writes batches of new entries to an agent, and removes each again."""

    agent_id: str
    acknowledged: int = 0

    def run(self, channel: grpc.Channel) -> None:
        """Write and remove until the daemon is gone."""
        stub = WorkingMemoryServiceStub(channel)
        try:
            stub.SetEntry(pb.SetEntryRequest(agent_id=self.agent_id, key="first", value_json="1"), timeout=WAIT_S_MAX)
            while True:
                operations = _operations(self.acknowledged)
                request = pb.BatchWriteEntriesRequest(agent_id=self.agent_id, operations=operations)
                stub.BatchWriteEntries(request, timeout=WAIT_S_MAX)
                self.acknowledged += 1
        except grpc.RpcError as error:
            if code_of(error) not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                raise

    def check(self, channel: grpc.Channel) -> None:
        """Assert that all that was acknowledged is there as a whole, and perhaps the batch in doubt."""
        stub = WorkingMemoryServiceStub(channel)
        found = stub.ListEntries(pb.ListEntriesRequest(agent_id=self.agent_id, page_size=1))
        # The first revision is that of the entry of its own; each step has the next one.
        steps = found.revision - 1
        assert steps in (self.acknowledged, self.acknowledged + 1)
        assert found.total_count - 1 == steps % 2 * ENTRIES


def _operations(step: int) -> list[pb.EntryOperation]:
    """Return what a step writes: an even one sets the entries of a new batch, an odd one removes them."""
    keys = [f"batch-{step // 2:03}-{number:03}" for number in range(ENTRIES)]
    if step % 2:
        return [pb.EntryOperation(remove={"key": key}) for key in keys]
    return [pb.EntryOperation(set={"key": key, "value_json": VALUE}) for key in keys]


def write_and_kill(daemon: Daemon, chance: random.Random, rounds: int) -> None:
    """Kill the daemon under two writers, ``rounds`` times."""
    for number in range(rounds):
        daemon.start()
        writers = [Writer(f"round-{number}-{name}") for name in ("a", "b")]
        with insecure_channel(daemon.address) as channel:
            writes = [partial(writer.run, channel) for writer in writers]
            kill_while_writing(daemon, writes, lambda w=writers: sum(each.acknowledged for each in w), chance)  # type: ignore[misc]
        daemon.start()
        with insecure_channel(daemon.address) as channel:
            for writer in writers:
                writer.check(channel)
        daemon.kill()


@pytest.mark.whole
@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_a_large_commit_is_never_half_there_when_the_daemon_is_killed(
    tmp_path: Path, chance: random.Random, durability: str
) -> None:
    daemon = Daemon(tmp_path, "--durability", durability)
    try:
        write_and_kill(daemon, chance, ROUNDS)
    finally:
        daemon.close()


@pytest.mark.faults
def test_a_large_commit_is_never_half_there_over_many_kills(tmp_path: Path, chance: random.Random) -> None:
    daemon = Daemon(tmp_path)
    try:
        write_and_kill(daemon, chance, MANY_ROUNDS)
    finally:
        daemon.close()
