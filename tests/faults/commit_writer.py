"""Writers of commits of several kinds, whose daemon is killed: each commit is there as a whole, or not at all."""

import itertools
import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import grpc
from tests.daemon import Daemon, insecure_channel
from tests.faults.killing import kill_while_writing
from tests.integration.wire import code_of
from tests.wait import WAIT_S_MAX

from memoryd.v1 import conversation_service_pb2 as conversation_pb
from memoryd.v1 import conversation_service_pb2_grpc as conversation_grpc
from memoryd.v1 import long_term_memory_service_pb2 as memory_pb
from memoryd.v1 import long_term_memory_service_pb2_grpc as memory_grpc
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1 import note_service_pb2_grpc as note_grpc
from memoryd.v1 import record_filter_pb2 as record_filter_pb
from memoryd.v1 import transaction_service_pb2 as pb
from memoryd.v1 import transaction_service_pb2_grpc
from memoryd.v1 import working_memory_service_pb2 as entry_pb
from memoryd.v1 import working_memory_service_pb2_grpc as entry_grpc

WRITERS = 4

COMMITS_MAX = 1_000
"""Maximum number of commits to one agent: as many notes as it may have by default. At half of it another follows."""


@dataclass
class Writer:
    """Commits an entry, a note, a memory and a message with the same number, one number after the other."""

    agent_id: str
    acknowledged: int = 0

    def commit(self, channel: grpc.Channel, number: int) -> None:
        request = pb.CommitRequest(
            agent_id=self.agent_id,
            request_id=f"r{number}",
            writes=[
                pb.Write(set_entry={"key": "number", "value_json": str(number)}),
                pb.Write(create_note={"draft": {"note_id": f"n{number}", "title": "t", "content": str(number)}}),
                pb.Write(create_memory={"draft": _memory(number)}),
                pb.Write(append_messages={"conversation_id": "c", "drafts": [{"role": 1, "content": str(number)}]}),
            ],
        )
        stub = transaction_service_pb2_grpc.TransactionServiceStub(channel)
        assert stub.Commit(request, timeout=WAIT_S_MAX).revision == number

    def run(self, channel: grpc.Channel) -> None:
        """Commit one number after the other until the daemon is gone, or the agent is full."""
        while self.acknowledged < COMMITS_MAX:
            try:
                self.commit(channel, self.acknowledged + 1)
            except grpc.RpcError as error:
                if code_of(error) not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
                    raise
                return
            self.acknowledged += 1

    @property
    def is_half_full(self) -> bool:
        """True if another agent is to follow."""
        return self.acknowledged >= COMMITS_MAX // 2

    def check(self, channel: grpc.Channel) -> None:
        """Assert that all kinds have the same numbers: all acknowledged ones, and perhaps the one in doubt."""
        agent_id = self.agent_id
        found = entry_grpc.WorkingMemoryServiceStub(channel).GetEntry(
            entry_pb.GetEntryRequest(agent_id=agent_id, key="number")
        )
        number = int(found.entry.value_json) if found.found else 0
        notes = note_grpc.NoteServiceStub(channel).ListNotes(note_pb.ListNotesRequest(agent_id=agent_id))
        memories = memory_grpc.LongTermMemoryServiceStub(channel).ListMemories(
            memory_pb.ListMemoriesRequest(agent_id=agent_id, filter=record_filter_pb.RecordFilter(all_users=True))
        )
        messages = 0
        if number:
            messages = (
                conversation_grpc.ConversationServiceStub(channel)
                .ListMessages(conversation_pb.ListMessagesRequest(agent_id=agent_id, conversation_id="c"))
                .total_count
            )
        assert (notes.total_count, memories.total_count, messages, notes.revision) == (number,) * 4
        assert number in (self.acknowledged, self.acknowledged + 1)
        self.acknowledged = number


def _memory(number: int) -> memory_pb.MemoryDraft:
    return memory_pb.MemoryDraft(
        memory_id=f"m{number}",
        user_id="u",
        content=f"number {number}",
        allow_duplicates=True,
        skip_contradictions=True,
    )


def commit_and_kill(daemon: Daemon, chance: random.Random, rounds: int) -> list[Writer]:
    """Kill the daemon while it is written to, ``rounds`` times. Raises AssertionError if a commit is lost or torn."""
    agents = itertools.count()
    left = list[Writer]()
    writers = [Writer(f"writer-{next(agents)}") for _ in range(WRITERS)]
    for _ in range(rounds):
        daemon.start()
        with insecure_channel(daemon.address) as channel:
            for writer in writers:
                writer.check(channel)
            left += [writer for writer in writers if writer.is_half_full]
            writers = [Writer(f"writer-{next(agents)}") if each.is_half_full else each for each in writers]
            writes = [partial(writer.run, channel) for writer in writers]
            kill_while_writing(daemon, writes, partial(_acknowledged, writers), chance)
    writers += left
    daemon.start()
    with insecure_channel(daemon.address) as channel:
        for writer in writers:
            writer.check(channel)
    assert _acknowledged(writers) >= rounds
    return writers


def _acknowledged(writers: Iterable[Writer]) -> int:
    return sum(writer.acknowledged for writer in writers)
