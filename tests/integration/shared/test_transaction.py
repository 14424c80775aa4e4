"""Commits of two daemons on one store: each is whole at the other one, and repeats return its result."""

from concurrent.futures import ThreadPoolExecutor

import grpc
from tests.integration.shared.pair import Pair
from tests.integration.wire import Memory, refused

from memoryd.v1 import conversation_service_pb2 as conversation_pb
from memoryd.v1 import conversation_service_pb2_grpc as conversation_grpc
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1 import note_service_pb2_grpc as note_grpc
from memoryd.v1 import transaction_service_pb2 as pb
from memoryd.v1 import transaction_service_pb2_grpc

WRITERS = 4
EACH = 10


def commit(agent: Memory, *writes: pb.Write, request_id: str = "") -> pb.CommitResponse:
    stub = transaction_service_pb2_grpc.TransactionServiceStub(agent.wire.channel)
    return stub.Commit(pb.CommitRequest(agent_id=agent.id, writes=writes, request_id=request_id))


def counting(number: int, revision: int) -> tuple[pb.Write, ...]:
    """Return the writes that count, if the counter still has this revision."""
    counter = {"key": "n", "value_json": str(number), "precondition": {"expected_revision": revision}}
    return (
        pb.Write(set_entry=counter),
        pb.Write(create_note={"draft": {"note_id": f"n{number}", "title": "t", "content": str(number)}}),
        pb.Write(append_messages={"conversation_id": "c", "drafts": [{"role": 1, "content": str(number)}]}),
    )


def test_writers_of_two_daemons_count_without_a_loss_or_a_half(pair: Pair) -> None:
    agents = pair.agents()

    def work(writer: int) -> None:
        agent = agents[writer % 2]
        done = 0
        while done < EACH:
            found = agent.get("n")
            number, revision = (int(found.entry.value_json), found.entry.revision) if found.found else (0, 0)
            try:
                commit(agent, *counting(number + 1, revision))
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.ABORTED:
                    raise
            else:
                done += 1

    with ThreadPoolExecutor(WRITERS) as threads:
        list(threads.map(work, range(WRITERS)))
    for agent in agents:
        notes = note_grpc.NoteServiceStub(agent.wire.channel).ListNotes(note_pb.ListNotesRequest(agent_id=agent.id))
        messages = conversation_grpc.ConversationServiceStub(agent.wire.channel).ListMessages(
            conversation_pb.ListMessagesRequest(agent_id=agent.id, conversation_id="c")
        )
        total = WRITERS * EACH
        assert (agent.get("n").entry.value_json, notes.total_count, messages.total_count) == (str(total), total, total)
        assert [message.content for message in messages.messages] == [str(number + 1) for number in range(total)]
        assert agent.revision == total


def test_a_commit_that_is_repeated_at_the_other_daemon_returns_the_first_result(pair: Pair) -> None:
    here, there = pair.agents()
    writes = counting(1, 0)
    first = commit(here, *writes, request_id="r")
    assert commit(there, *writes, request_id="r") == first
    refusal = refused(lambda: commit(there, *writes))
    assert refusal.code is grpc.StatusCode.ABORTED
    assert there.revision == here.revision == 1
