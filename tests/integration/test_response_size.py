"""Responses stay below the 4 MiB that gRPC clients accept by default, whatever is in the records' metadata."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2
from tests.integration.wire import Wire, refused

from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import fragment_service_pb2 as fragment_pb
from memoryd.v1 import long_term_memory_service_pb2 as memory_pb
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1 import note_service_pb2_grpc
from memoryd.v1 import server_service_pb2 as server_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.fragment_pb2 import FragmentDraft
from memoryd.v1.listing_pb2 import RecordView
from memoryd.v1.note_pb2 import NoteDraft
from memoryd.v1.record_filter_pb2 import RecordFilter

BYTES_MAX = 4 * 1024 * 1024
RECORDS = 12
DIGITS = json_format.ParseDict({"digits": [1] * 30_000}, struct_pb2.Struct())
"""Close to the maximum of metadata as JSON, and almost six times as large as a Struct."""


@pytest.fixture(scope="module")
def agent_id(shared_wire: Wire) -> str:
    """The id of an agent that has RECORDS records of several kinds with the largest metadata."""
    agent_id = shared_wire.agent().id
    notes = note_service_pb2_grpc.NoteServiceStub(shared_wire.channel)
    for number in range(RECORDS):
        text = f"the digit {number}"
        shared_wire.memory.SetEntry(
            pb.SetEntryRequest(agent_id=agent_id, key=f"k{number}", value_json="1", metadata=DIGITS)
        )
        memory = memory_pb.MemoryDraft(memory_id=f"m{number}", content=text, user_id="ada", metadata=DIGITS)
        shared_wire.long_term.CreateMemory(memory_pb.CreateMemoryRequest(agent_id=agent_id, draft=memory))
        note = NoteDraft(title=f"n{number}", content=text, metadata=DIGITS)
        notes.CreateNote(note_pb.CreateNoteRequest(agent_id=agent_id, draft=note))
        fragment = FragmentDraft(content=text, metadata=DIGITS)
        shared_wire.fragments.CreateFragment(fragment_pb.CreateFragmentRequest(agent_id=agent_id, draft=fragment))
    return agent_id


ADA = RecordFilter(user_ids=["ada"])

Read = Callable[[Wire, str, str], Any]

READS: dict[str, tuple[str, Read]] = {
    "ListEntries": (
        "entries",
        lambda wire, agent, token: wire.memory.ListEntries(pb.ListEntriesRequest(agent_id=agent, page_token=token)),
    ),
    "ListMemories": (
        "memories",
        lambda wire, agent, token: wire.long_term.ListMemories(
            memory_pb.ListMemoriesRequest(agent_id=agent, page_token=token, filter=ADA)
        ),
    ),
    "ListNotes": (
        "notes",
        lambda wire, agent, token: note_service_pb2_grpc.NoteServiceStub(wire.channel).ListNotes(
            note_pb.ListNotesRequest(agent_id=agent, page_token=token)
        ),
    ),
    "ListFragments": (
        "fragments",
        lambda wire, agent, token: wire.fragments.ListFragments(
            fragment_pb.ListFragmentsRequest(agent_id=agent, page_token=token)
        ),
    ),
    "ListEvents": (
        "events",
        lambda wire, agent, token: wire.events.ListEvents(
            event_pb.ListEventsRequest(filters=[{"agent_ids": [agent]}], page_token=token)
        ),
    ),
}


@pytest.mark.whole
@pytest.mark.parametrize("method", READS)
def test_all_pages_are_read_by_a_client_with_the_default_limit(shared_wire: Wire, agent_id: str, method: str) -> None:
    field, read = READS[method]
    count, token = 0, ""
    while True:
        page = read(shared_wire, agent_id, token)
        assert page.ByteSize() < BYTES_MAX
        count, token = count + len(getattr(page, field)), page.next_page_token
        if not token:
            break
    assert count >= RECORDS


def test_what_is_found_and_what_is_leased_fits_as_well(shared_wire: Wire, agent_id: str) -> None:
    recall = memory_pb.RecallMemoriesRequest(agent_id=agent_id, query="digit", limit=RECORDS, filter=ADA)
    recalled = shared_wire.long_term.RecallMemories(recall)
    assert 0 < recalled.ByteSize() < BYTES_MAX
    searched = shared_wire.fragments.SearchFragments(
        fragment_pb.SearchFragmentsRequest(agent_id=agent_id, query="digit", limit=RECORDS)
    )
    assert 0 < searched.ByteSize() < BYTES_MAX
    named = memory_pb.BatchGetMemoriesRequest(agent_id=agent_id, memory_ids=[f"m{number}" for number in range(RECORDS)])
    assert 0 < shared_wire.long_term.BatchGetMemories(named).ByteSize() < BYTES_MAX
    shared_wire.fragments.FlushFragments(fragment_pb.FlushFragmentsRequest(agent_id=agent_id))
    leased = shared_wire.fragments.LeaseFragments(fragment_pb.LeaseFragmentsRequest(agent_id=agent_id, limit=RECORDS))
    assert leased.fragments
    assert 0 < leased.ByteSize() < BYTES_MAX


def test_entries_of_one_revision_that_are_too_large_for_one_response_are_refused(shared_wire: Wire) -> None:
    agent = shared_wire.agent()
    bytes_max = shared_wire.server.GetServerInfo(server_pb.GetServerInfoRequest()).limits["message_bytes"]
    text = json.dumps("x" * 1_000_000)
    keys = [f"k{number}" for number in range(bytes_max // len(text) + 1)]
    for key in keys:
        shared_wire.memory.SetEntry(pb.SetEntryRequest(agent_id=agent.id, key=key, value_json=text))
    read = shared_wire.memory.BatchGetEntries
    assert refused(lambda: read(pb.BatchGetEntriesRequest(agent_id=agent.id, keys=keys))).reason == "TOO_LARGE"
    without = read(pb.BatchGetEntriesRequest(agent_id=agent.id, keys=keys, view=RecordView.RECORD_VIEW_WITHOUT_CONTENT))
    assert [each.key for each in without.entries] == keys
