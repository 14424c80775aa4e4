"""Changes that are a commit of their own, from the request to the response."""

import threading
from typing import Any

import pytest
from tests.unit.engine.world import NOW, World
from tests.unit.transport.serviced import call

from memoryd.v1 import document_service_pb2
from memoryd.v1 import long_term_memory_service_pb2 as memory_service_pb2
from memoryd.v1 import note_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2 as entry_pb
from memoryd_server.domain.error import RequestIdReused
from memoryd_server.domain.limit import Limits
from memoryd_server.transport.change import ServiceHandlers, change, is_change
from memoryd_server.transport.limit import PARSED_IN_LOOP_BYTES_MAX
from memoryd_server.transport.memories.long_term_memory_service import LongTermMemoryService
from memoryd_server.transport.notes.note_service import NoteService


async def test_only_methods_that_are_marked_are_changes() -> None:
    async with World() as world:
        service = NoteService(world.engine.collections, Limits())
        assert is_change(service.create_note)
        assert not is_change(service.get_note)
        assert ServiceHandlers(service, None).get_note == service.get_note  # type: ignore[arg-type]


async def test_a_change_returns_the_response_of_its_result() -> None:
    async with World() as world:
        created = await call(
            world, "create_note", pb.CreateNoteRequest(agent_id="a", draft={"title": "t", "content": "c"})
        )
        assert (created.note.title, created.note.agent_id, created.revision) == ("t", "a", 1)


async def test_the_latency_of_setting_entries_is_measured_and_that_of_other_changes_is_not() -> None:
    async with World() as world:
        await call(world, "set_entry", entry_pb.SetEntryRequest(agent_id="a", key="k", value_json="1"))
        await call(world, "remove_entry", entry_pb.RemoveEntryRequest(agent_id="a", key="k"))
        assert sum(world.telemetry.set_latency_ms.bucket_counts) == 1


async def test_a_repeated_change_that_is_prepared_returns_its_first_result() -> None:
    async with World() as world:
        draft = memory_service_pb2.MemoryDraft(user_id="u", content="x" * PARSED_IN_LOOP_BYTES_MAX)
        request = memory_service_pb2.CreateMemoryRequest(agent_id="a", request_id="r", draft=draft)
        first = await call(world, "create_memory", request)
        assert await call(world, "create_memory", request) == first
        request.draft.content = "another"
        with pytest.raises(RequestIdReused):
            await call(world, "create_memory", request)


async def test_a_repeated_change_does_not_repeat_a_long_preparation() -> None:
    async with World() as world:
        request = document_service_pb2.CreateDocumentRequest(agent_id="a", request_id="r", data=b"a text")
        first = await call(world, "create_document", request)
        world.extractor.extract = None  # type: ignore[assignment, method-assign]
        assert await call(world, "create_document", request) == first
        assert first.document.create_time.ToNanoseconds() == NOW


async def test_a_large_batch_is_decoded_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []
    create = LongTermMemoryService.batch_create_memories

    @change
    def note_thread(service: LongTermMemoryService, request: memory_service_pb2.BatchCreateMemoriesRequest) -> Any:
        threads.append(threading.get_ident())
        return create(service, request)

    monkeypatch.setattr(LongTermMemoryService, "batch_create_memories", note_thread)
    async with World() as world:
        for size in (1, PARSED_IN_LOOP_BYTES_MAX):
            drafts = [memory_service_pb2.MemoryDraft(content="x" * size)]
            request = memory_service_pb2.BatchCreateMemoriesRequest(agent_id="a", drafts=drafts)
            assert (await call(world, "batch_create_memories", request)).revision > 0
    assert [each == threading.get_ident() for each in threads] == [True, False]
