"""Transactions: changes of all kinds that are made as one."""

import asyncio

import pytest

import memoryd
from memoryd import errors
from memoryd.model.message import MessageDraft


def test_a_transaction_makes_changes_of_all_kinds_at_one_revision(agent: memoryd.Agent) -> None:
    with agent.transaction() as tx:
        stored = tx.set("done", True)
        note = tx.notes.create("Title", "Text", note_id="n")
        created = tx.memories.remember("The fox is red", user_id="ann")
        appended = tx.conversations.append("c", [MessageDraft("user", "hello")])
        plan = tx.plans.create("A goal", ["one", "two"])
        window = tx.entities("c").add(memoryd.Entity("page", "p1", "Home"))
        document = tx.documents.create("A long text", document_id="d")
        fragment = tx.fragments.create("said")
        scope = tx.create_scope("task")
        assert len(tx) == 9
        assert not note.is_committed
    assert tx.revision == agent.info().revision == 1
    assert stored.result.created
    assert (note.result.note_id, note.result.revision, note.result.content) == ("n", 1, "")
    assert (created.result.created, appended.result.first_number) == (True, 1)
    assert plan.result.revision == window.result.revision == document.result.revision == 1
    assert fragment.result.fragment.revision == 1
    assert agent.attach(scope.result.scope_id).info().name == "task"
    assert (agent.get("done"), agent.notes.get("n").content) == (True, "Text")


def test_later_changes_find_what_earlier_ones_left(agent: memoryd.Agent) -> None:
    with agent.transaction() as tx:
        tx.notes.create("Title", "Text", note_id="n")
        changed = tx.notes.update("n", title="New")
        tx.set("k", 1, must_not_exist=True)
        removed = tx.remove("k")
        cleared = tx.clear_all(["note"])
    assert changed.result.revision == 1
    assert (removed.result, cleared.result.revision) == (True, 1)
    assert list(agent.notes.list()) == []


def test_a_default_is_stored_where_there_is_no_value(agent: memoryd.Agent) -> None:
    agent.set("here", 1)
    with agent.scope("task") as scope:
        with agent.transaction() as tx:
            inherited = tx.attach(scope.scope_id).setdefault("here", 2)
            own = tx.attach(scope.scope_id).setdefault("here", 3, local_only=True)
            new = tx.setdefault("new", 4, tags=["fresh"])
        assert (inherited.result, own.result, new.result) == (False, True, True)
        assert (scope.get("here"), agent.get("here")) == (3, 1)
    assert agent.get_entry("new").tags == ("fresh",)


def test_a_refused_change_refuses_all_and_is_named(agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    with pytest.raises(errors.RecordExists) as refused, agent.transaction() as tx:  # noqa: PT012 - the end of the block raises
        note = tx.notes.create("Title", "Text", note_id="n")
        tx.set("k", 2, must_not_exist=True)
    assert refused.value.metadata["write_index"] == "1"
    assert (agent.get("k"), list(agent.notes.list()), tx.revision) == (1, [], None)
    with pytest.raises(RuntimeError, match="not committed"):
        _ = note.result


def test_an_exception_in_the_block_sends_nothing(agent: memoryd.Agent) -> None:
    with pytest.raises(ZeroDivisionError), agent.transaction() as tx:  # noqa: PT012 - the end of the block raises
        tx.set("k", 1)
        _ = 1 / 0
    assert agent.get("k") is None


def test_an_empty_transaction_sends_nothing(agent: memoryd.Agent) -> None:
    with agent.transaction(expected_revision=7) as tx:
        pass
    assert (len(tx), tx.revision) == (0, None)


def test_a_transaction_is_repeated_by_its_request_id(agent: memoryd.Agent) -> None:
    for _ in range(2):
        with agent.transaction(request_id="r") as tx:
            note = tx.notes.create("Title", "Text")
        assert tx.revision == 1
    assert [each.note_id for each in agent.notes.list()] == [note.result.note_id]


def test_a_condition_on_the_agent_belongs_to_the_transaction(agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    with agent.transaction(expected_revision=1) as tx:
        tx.set("k", 2)
    with pytest.raises(errors.RevisionMismatch), agent.transaction(expected_revision=1) as tx:
        tx.set("k", 3)
    with pytest.raises(ValueError, match="give it to transaction"), agent.transaction() as tx:
        tx.clear(expected_revision=2)
    assert agent.get("k") == 2


def test_fragments_are_consolidated_exactly_once(agent: memoryd.Agent) -> None:
    agent.fragments.create("The fox is red")
    agent.fragments.flush()
    lease = agent.fragments.take()
    assert lease is not None
    with agent.transaction() as tx:
        acknowledged = tx.fragments.acknowledge(lease.token)
        tx.memories.remember("The fox is red", user_id="ann")
        tx.set("consolidated", 1)
    assert acknowledged.result == 1
    with pytest.raises(errors.LeaseLost), agent.transaction() as tx:  # noqa: PT012 - the end of the block raises
        tx.memories.remember("The fox is red", user_id="ann")
        tx.set("consolidated", 2)
        tx.fragments.acknowledge(lease.token)
    assert (agent.get("consolidated"), agent.fragments.count().fragment_count) == (1, 0)


async def test_several_writers_increment_one_counter(aio_agent: memoryd.aio.Agent) -> None:
    async def increment() -> None:
        while True:
            entry = await aio_agent.get_entry("n")
            expected = {"must_not_exist": True} if entry is None else {"expected_revision": entry.revision}
            try:
                async with aio_agent.transaction() as tx:
                    tx.set("n", 1 if entry is None else entry.value + 1, **expected)  # type: ignore[arg-type]
                    tx.notes.create("Title", "Text")
            except (errors.RevisionMismatch, errors.RecordExists):
                continue
            return

    await asyncio.gather(*(increment() for _ in range(20)))
    assert await aio_agent.get("n") == 20
    assert len([note async for note in aio_agent.notes.list()]) == 20
