"""Commits of several writes, from the request to the response."""

import re
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import MethodOptions
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World
from tests.unit.transport.serviced import FACTS, call

from memoryd.v1 import transaction_service_pb2 as pb
from memoryd_server.domain.error import (
    InvalidField,
    LeaseLost,
    RecordExists,
    RecordNotFound,
    Refusal,
    RequestIdReused,
    RevisionMismatch,
    TooLarge,
)
from memoryd_server.domain.limit import WRITES_PER_COMMIT_MAX, Limits
from memoryd_server.transport.change import is_change
from memoryd_server.transport.routes import contract_services
from memoryd_server.transport.transactions.transaction_service import decoders_of

APART = {
    "ReserveEntry": "waits for another caller",
    "LeaseFragments": "waits for fragments",
    "CompactMessages": "calls a model, and tries again when the conversation has changed",
    "IngestConversation": "reads messages first, and tries again when the conversation has changed",
    "ReembedMemories": "calls a model, and commits several times",
    "UploadDocument": "streams",
    "EndAgent": "ends the agent, and may create a snapshot before",
    "ForgetUser": "commits several times, and erases the journal",
    "RestoreSnapshot": "replaces all records, of several agents",
    "ImportSnapshot": "streams, and changes no agent",
    "CreateSnapshot": "changes no agent",
    "DeleteSnapshot": "changes no agent",
    "Commit": "is the commit itself",
    "StartOperation": "starts work of several commits",
    "CancelOperation": "changes no agent",
}
"""The changes that cannot be part of a commit, and why."""


def entry(key: str, value: str = "1", **fields: Any) -> dict[str, Any]:
    return {"set_entry": {"key": key, "value_json": value, **fields}}


def note(note_id: str, content: str = "c") -> dict[str, Any]:
    return {"create_note": {"draft": {"note_id": note_id, "title": "t", "content": content}}}


def memory(content: str, **fields: Any) -> dict[str, Any]:
    return {"create_memory": {"draft": {"user_id": "u", "content": content, **fields}}}


def document(document_id: str, **fields: Any) -> dict[str, Any]:
    return {"create_document": {"draft": {"document_id": document_id}, **fields}}


async def commit(world: World, *writes: dict[str, Any], **fields: Any) -> pb.CommitResponse:
    request = pb.CommitRequest(agent_id="a", writes=[pb.Write(**each) for each in writes], **fields)
    response: pb.CommitResponse = await call(world, "commit", request)
    return response


async def revision(world: World) -> int:
    return int((await world.cache.writer("a")).state.revision)


async def refused(world: World, error: type[Refusal], *writes: dict[str, Any], **fields: Any) -> dict[str, str]:
    """Return the metadata of the refusal. Nothing is committed."""
    before = await revision(world)
    with pytest.raises(error) as refusal:
        await commit(world, *writes, **fields)
    assert await revision(world) == before
    return refusal.value.metadata


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


async def test_every_change_is_a_write_or_is_explained() -> None:
    async with World() as world:
        services = contract_services(world.engine, None, FACTS)  # type: ignore[arg-type]
    methods = [method for descriptor in services for method in descriptor.methods]
    changes = {each for each in methods if each.GetOptions().idempotency_level != MethodOptions.NO_SIDE_EFFECTS}
    writes, results = pb.Write.DESCRIPTOR.fields_by_name, pb.WriteResult.DESCRIPTOR.fields_by_name
    apart = {"WatchEvents"} | {each.name for each in methods if each.server_streaming} | APART.keys()
    for method in changes:
        name = snake(method.name)
        assert (name in writes) is (method.name not in apart), method.name
        if name in writes:
            assert writes[name].message_type is method.input_type
            assert results[name].message_type is method.output_type
            assert writes[name].number == results[name].number
    assert {*writes} == {*results} == {snake(each.name) for each in changes} & {*writes}


async def test_every_write_is_decoded_by_the_method_of_its_name() -> None:
    async with World() as world:
        services = contract_services(world.engine, None, FACTS)  # type: ignore[arg-type]
        raw = {each: getattr(handlers, "_service", handlers) for each, handlers in services.items()}
        decoders = decoders_of(raw)
        assert {*decoders} == {*pb.Write.DESCRIPTOR.fields_by_name}
        assert all(map(is_change, decoders.values()))


async def test_writes_of_all_kinds_are_one_revision() -> None:
    async with World() as world:
        done = await commit(
            world,
            entry("k"),
            note("n"),
            memory("the red fox"),
            document("d", text="some text"),
            {"append_messages": {"conversation_id": "c", "drafts": [{"role": 1, "content": "hello"}]}},
            {"create_fragment": {"draft": {"content": "said"}}},
        )
        assert (done.revision, [each.WhichOneof("result") for each in done.results]) == (
            1,
            ["set_entry", "create_note", "create_memory", "create_document", "append_messages", "create_fragment"],
        )
        assert {getattr(each, each.WhichOneof("result")).revision for each in done.results} == {1}
        assert done.results[1].create_note.note.note_id == "n"
        assert done.results[2].create_memory.created
        assert done.results[4].append_messages.first_number == 1


async def test_the_responses_have_no_content_and_the_revision_of_the_commit() -> None:
    async with World() as world:
        await commit(world, entry("k"))
        secret = "a secret"
        done = await commit(
            world,
            {"remove_entry": {"key": "unknown"}},
            note("n", secret),
            memory(secret),
            {"create_fragment": {"draft": {"content": secret}}},
            {"get_or_set_entry": {"key": "k", "value_json": "2"}},
        )
        assert secret not in str(done)
        assert (done.revision, done.results[0].remove_entry.revision) == (2, 2)
        assert done.results[4].get_or_set_entry.entry.revision == 1


async def test_a_repeated_commit_returns_the_first_result_and_changes_nothing() -> None:
    async with World() as world:
        writes = (entry("k"), note("n"), memory("the red fox"))
        first = await commit(world, *writes, request_id="r")
        await commit(world, entry("k", "2"))
        assert await commit(world, *writes, request_id="r") == first
        assert await revision(world) == 2
        await refused(world, RequestIdReused, entry("k"), request_id="r")


async def test_a_repeated_commit_does_not_read_its_documents_again() -> None:
    async with World() as world:
        first = await commit(world, document("d", data=b"a text"), request_id="r")
        world.extractor.extract = None  # type: ignore[assignment, method-assign]
        assert await commit(world, document("d", data=b"a text"), request_id="r") == first


async def test_a_commit_is_remembered_when_the_agent_is_loaded_again() -> None:
    async with World() as world:
        first = await commit(world, entry("k"), memory("the red fox"), {"clear_agent": {}}, note("n"), request_id="r")
        async with World(world.store) as again:
            repeated = await commit(
                again, entry("k"), memory("the red fox"), {"clear_agent": {}}, note("n"), request_id="r"
            )
            assert repeated.results[0] == first.results[0]
            assert (repeated.revision, await revision(again)) == (1, 1)


async def test_the_fields_of_a_write_are_named_with_it() -> None:
    async with World() as world:
        for write, field in (
            ({}, "writes[1].write"),
            (entry(""), "writes[1].set_entry.key"),
            (entry("k", request_id="r"), "writes[1].set_entry.request_id"),
            (entry("k", agent_precondition={"must_exist": True}), "writes[1].set_entry.agent_precondition"),
            (entry("k", agent_id="b"), "writes[1].set_entry.agent_id"),
            (document("d"), "writes[1].create_document.content"),
        ):
            metadata = await refused(world, InvalidField, entry("k", agent_id="a"), write)
            assert metadata["field"] == field


async def test_a_field_that_is_refused_when_the_write_is_decided_is_named_with_it() -> None:
    async with World() as world:
        link = {"link_memories": {"from_memory_id": "m", "to_memory_id": "n", "type": 1}}
        first, second = memory("fox", memory_id="m"), memory("hen", memory_id="n")
        second["create_memory"]["draft"]["user_id"] = "another"
        metadata = await refused(world, InvalidField, first, second, link)
        assert metadata == {"field": "writes[2].link_memories.to_memory_id", "write_index": "2"}


async def test_a_refusal_says_which_write_it_was() -> None:
    async with World() as world:
        await commit(world, entry("k"))
        taken = entry("k", precondition={"must_not_exist": True})
        assert (await refused(world, RecordExists, note("n"), taken))["write_index"] == "1"
        changed = entry("k", precondition={"expected_revision": 7})
        assert (await refused(world, RevisionMismatch, changed))["write_index"] == "0"
        lost = {"acknowledge_fragments": {"lease_token": "t"}}
        assert (await refused(world, LeaseLost, note("n"), note("m"), lost))["write_index"] == "2"
        too_large = entry("k", '"' + "x" * Limits().entry_bytes + '"')
        assert (await refused(world, TooLarge, note("n"), too_large))["write_index"] == "1"
        assert "write_index" not in await refused(
            world, RevisionMismatch, entry("k"), agent_precondition={"expected_revision": 7}
        )


async def test_the_number_of_writes_counts_their_items() -> None:
    async with World() as world:
        assert (await refused(world, InvalidField))["field"] == "writes"
        many = [entry(f"k{number}") for number in range(WRITES_PER_COMMIT_MAX)]
        assert (await refused(world, InvalidField, *many, entry("k")))["field"] == "writes"
        operations = [{"remove": {"key": f"k{number}"}} for number in range(WRITES_PER_COMMIT_MAX)]
        batch: dict[str, Any] = {"batch_write_entries": {"operations": operations}}
        assert (await refused(world, InvalidField, batch, entry("k")))["field"] == "writes"
        assert len((await commit(world, *many)).results) == WRITES_PER_COMMIT_MAX
        await commit(world, batch)


async def test_the_items_of_each_write_that_has_some_count() -> None:
    # These are conditions or parts of one write.
    parts = {"tags", "kinds", "fragment_ids"}
    async with World() as world:
        for write in pb.Write.DESCRIPTOR.fields:
            for field in write.message_type.fields:
                if not field.is_repeated or field.name in parts:
                    continue
                items: list[Any] = ["x" if field.message_type is None else {}] * WRITES_PER_COMMIT_MAX
                metadata = await refused(world, InvalidField, entry("k"), {write.name: {field.name: items}})
                assert metadata["field"] == "writes", write.name


async def test_the_writes_of_a_commit_are_counted_like_calls_of_their_own() -> None:
    async with World() as world:
        await commit(world, memory("the red fox"), memory("a hen"), entry("k"))
        assert world.telemetry.memories_created["semantic"].value == 2


async def test_a_document_is_created_and_changed_by_one_commit() -> None:
    async with World() as world:
        update: dict[str, Any] = {"update_document": {"document_id": "d", "text": "a second text"}}
        done = await commit(world, document("d", text="a text"), update)
        assert done.results[1].update_document.changed
        other: dict[str, Any] = {"update_document": {"document_id": "e", "text": "a text"}}
        assert (await refused(world, RecordNotFound, update, other))["write_index"] == "1"


async def test_the_texts_of_a_commit_are_bounded_together() -> None:
    limits = Limits(document_text_bytes=10)
    async with World(limits=limits) as world:
        services = (document("d", text="six by"), document("e", text="six by"))
        request = pb.CommitRequest(agent_id="a", writes=[pb.Write(**each) for each in services])
        with pytest.raises(TooLarge) as full:
            await call(world, "commit", request)
        assert (full.value.metadata["limit"], full.value.metadata["write_index"]) == ("document_text_bytes", "1")
        await commit(world, services[0])


async def test_purged_content_is_erased_after_the_commit() -> None:
    async with World() as world:
        await commit(world, memory("a secret fox", memory_id="m"), entry("k"), request_id="r")
        await commit(world, entry("k", "2"), {"purge_memory": {"memory_id": "m"}})
        rows = await world.store.recent_journal("a", 0, 100)
        assert not any(b"secret" in row.data for row in rows)
        missing = {
            "update_memory": {"memory_id": "m", "draft": {"content": "x"}, "update_mask": {"paths": ["content"]}}
        }
        assert (await refused(world, RecordNotFound, missing))["write_index"] == "0"


async def test_two_engines_commit_to_one_store_and_see_all_of_each_others_writes() -> None:
    async with sharing(SharedStore()) as (one, two):
        await commit(one, entry("k"), note("n"))
        await commit(two, entry("k", "2"), note("m"))
        done = await commit(one, {"delete_note": {"note_id": "m"}}, {"remove_entry": {"key": "k"}})
        assert (done.revision, done.results[0].delete_note.deleted, done.results[1].remove_entry.deleted) == (
            3,
            True,
            True,
        )
