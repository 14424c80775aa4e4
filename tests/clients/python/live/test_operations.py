"""Operations by the client: requests that the daemon carries out while nobody waits."""

from uuid import uuid4

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd
from memoryd import errors


def test_a_snapshot_is_created_and_restored_in_the_background(client: memoryd.Client, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    operation = client.operations.create_snapshot(agent.agent_id, label="before")
    snapshot = operation.wait()
    assert (snapshot.agent_id, snapshot.label, snapshot.revision) == (agent.agent_id, "before", 1)
    info = operation.info
    assert (info.state, info.method, info.agent_id) == ("succeeded", "SnapshotService/CreateSnapshot", agent.agent_id)
    assert (info.error, info.cancel_requested) == (None, False)
    assert info.progress == memoryd.OperationProgress(memoryd.RecordKind.AGENT, 1, 1)
    assert info.end_time is not None
    assert info.create_time <= info.end_time == info.update_time
    agent.set("k", 2)
    tried = client.operations.restore_snapshot(snapshot.snapshot_id, dry_run=True).wait()
    assert (tried.restored_agent_count, agent.get("k")) == (1, 2)
    restored = client.operations.restore_snapshot(snapshot.snapshot_id, expected_revision=2).wait()
    assert (restored.revision, agent.get("k")) == (3, 1)
    with pytest.raises(errors.Aborted):
        client.operations.create_snapshot(agent.agent_id, expected_revision=99).wait()


def test_every_method_returns_what_its_blocking_twin_returns(client: memoryd.Client, agent: memoryd.Agent) -> None:
    operations, agent_id = client.operations, agent.agent_id
    document = operations.create_document(agent_id, "one", document_id="d", title="T").wait()
    assert document == agent.documents.get("d")
    changed = operations.update_document(agent_id, "d", text="two", expected_revision=1).wait()
    assert (changed.title, agent.documents.text("d")) == ("T", "two")
    agent.conversations.append("c", [memoryd.MessageDraft("user", each) for each in ("a", "b")])
    assert operations.compact_messages(agent_id, "c", 1, keep_last=1).wait().deleted_message_count == 1
    assert operations.reembed_memories(agent_id).wait().embedded_count == 0
    agent.notes.create("Tea", "green", user_id="zoe")
    assert operations.forget_user(agent_id, "zoe").wait().deleted == {"note": 1}
    ended = operations.end_agent(agent_id, snapshot=True).wait()
    assert ended.snapshot is not None
    assert ended.snapshot.agent_id == agent_id
    client.delete_snapshot(ended.snapshot.snapshot_id)
    with pytest.raises(ValueError, match="exactly one"):
        operations.create_document(agent_id)


def test_an_operation_is_found_again_listed_and_watched(client: memoryd.Client, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    operation_id = f"o-{uuid4().hex}"
    first = client.operations.create_snapshot(agent.agent_id, operation_id=operation_id)
    assert first.operation_id == operation_id
    found = client.operations.get(operation_id)
    states = [info.state for info in found.watch()]
    assert states[-1] == memoryd.OperationState.SUCCEEDED
    assert found.wait() == first.wait()
    assert first.refresh() == found.info
    assert not first.cancel()
    listed = list(client.operations.list(agents=[agent.agent_id], states=["succeeded"], order="create_time"))
    assert listed == [found.info]
    assert list(client.operations.list(agents=[agent.agent_id], states=["running"])) == []
    with pytest.raises(errors.OperationExists) as taken:
        client.operations.end_agent(agent.agent_id, operation_id=operation_id)
    assert taken.value.metadata == {"operation_id": operation_id, "agent_id": agent.agent_id}
    with pytest.raises(errors.OperationNotFound):
        client.operations.get("none")


def test_an_error_of_the_operation_is_that_of_its_method(client: memoryd.Client, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    with pytest.raises(errors.SnapshotNotFound):
        client.operations.restore_snapshot("none")
    unreadable = client.operations.create_document(agent.agent_id, data=b"%PDF-1.4")
    with pytest.raises(errors.DocumentUnreadable) as failed:
        unreadable.wait()
    assert failed.value.problem
    assert unreadable.info.state == "failed"
    assert isinstance(unreadable.info.error, errors.DocumentUnreadable)


async def test_the_client_for_asyncio_has_the_same(shared_daemon: Daemon, agent_id: str) -> None:
    async with memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        await client.agent(agent_id).set("k", 1)
        operation = await client.operations.create_snapshot(agent_id)
        states = [info.state async for info in operation.watch()]
        assert states[-1] == "succeeded"
        assert (await operation.wait()).agent_id == agent_id
        listed = [each.operation_id async for each in client.operations.list(agents=[agent_id])]
        assert listed == [operation.operation_id]
