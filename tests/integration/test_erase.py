"""Removals that erase leave nothing: in responses, in past events, in the files, in the memory of the daemon."""

import contextlib
from collections.abc import Callable, Iterator

import pytest
from tests.contract.contract import contract
from tests.daemon import Daemon
from tests.integration.test_forget_user import files_of, fill, left_of
from tests.wait import PATIENT

import memoryd
from memoryd import errors
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE

SECRET = "zebracorn"
OTHER = "plainword"

Erase = Callable[[memoryd.Agent], memoryd.ErasureReceipt | None]
"""Erases a record that has SECRET in each of its texts, after writing it and others."""


def _remove(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    agent.set("k", SECRET, tags=[SECRET], metadata={"n": SECRET})
    agent.set("k", f"{SECRET} again")
    return agent.remove("k", erase=True)


def _clear_entries(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    agent.set("k", SECRET)
    agent.remove("k")
    agent.set("l", SECRET)
    return agent.clear(erase=True)


def _batch(agent: memoryd.Agent) -> memoryd.ErasureReceipt | None:
    agent.set("k", SECRET)
    with agent.batch(erase=True) as batch:
        batch.remove("k")
        batch.set("l", OTHER)
    return batch.result.receipt if batch.result else None


def _dispose(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    scope = agent.create_scope(SECRET)
    scope.create_scope(SECRET).set("k", SECRET)
    return scope.dispose(erase=True)


def _delete_fragment(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    created = agent.fragments.create(SECRET, metadata={"n": SECRET})
    return agent.fragments.delete(created.fragment.fragment_id, erase=True)


def _clear_fragments(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    agent.fragments.create(SECRET)
    return agent.fragments.clear(erase=True)


def _acknowledge(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    agent.fragments.create(SECRET)
    agent.fragments.flush()
    lease = agent.fragments.take()
    assert lease is not None
    return agent.fragments.acknowledge(lease.token, erase=True)


def _reject_proposals(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    draft = memoryd.MemoryProposalDraft(SECRET, tags=[SECRET], provenance=memoryd.Provenance.explicit(SECRET))
    (proposal,) = agent.memories.create_proposals([draft]).proposals
    return agent.memories.reject_proposals([proposal.memory_proposal_id], erase=True)


def _delete_note(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    note = agent.notes.create(SECRET, SECRET, tags=[SECRET], metadata={"n": SECRET})
    agent.notes.update(note.note_id, content=f"{SECRET} again")
    return agent.notes.delete(note.note_id, erase=True)


def _delete_plan(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    plan = agent.plans.create(SECRET, [SECRET], tags=[SECRET], metadata={"n": SECRET})
    agent.plans.add_note(SECRET, plan_id=plan.plan_id)
    return agent.plans.delete(plan.plan_id, erase=True)


def _remove_step(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    plan = agent.plans.create(OTHER, [SECRET, OTHER])
    return agent.plans.remove_step("1", plan_id=plan.plan_id, erase=True)


def _delete_conversation(agent: memoryd.Agent) -> memoryd.ErasureReceipt | None:
    agent.conversations.create("talk", title=SECRET, metadata={"n": SECRET})
    agent.conversations.append("talk", [memoryd.MessageDraft("user", SECRET)] * 3)
    agent.conversations.compact("talk", 1)
    return agent.conversations.delete("talk", erase=True).receipt


def _truncate(agent: memoryd.Agent) -> memoryd.ErasureReceipt | None:
    agent.conversations.append("talk", [memoryd.MessageDraft("user", OTHER), memoryd.MessageDraft("user", SECRET)])
    return agent.conversations.truncate("talk", 2, erase=True).receipt


def _clear_entities(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    agent.entities("talk").add(memoryd.Entity("page", "7", SECRET))
    return agent.entities("talk").clear(erase=True)


def _delete_document(agent: memoryd.Agent) -> memoryd.ErasureReceipt:
    document = agent.documents.create(f"# {SECRET}\n\n{SECRET} text", title=SECRET, metadata={"n": SECRET})
    agent.documents.update(document.document_id, text=f"{SECRET} again")
    return agent.documents.delete(document.document_id, erase=True)


def _clear_agent(agent: memoryd.Agent) -> memoryd.ErasureReceipt | None:
    fill(agent, SECRET)
    return agent.clear_all([kind.name.lower() for kind in CLEARABLE], erase=True).receipt


def _end_agent(agent: memoryd.Agent) -> memoryd.ErasureReceipt | None:
    fill(agent, SECRET)
    agent.update_info(display_name=SECRET, tags=[SECRET])
    return agent.end(erase=True).receipt


WAYS: dict[str, Erase] = {
    "RemoveEntry": _remove,
    "ClearEntries": _clear_entries,
    "BatchWriteEntries": _batch,
    "DisposeScope": _dispose,
    "DeleteFragment": _delete_fragment,
    "ClearFragments": _clear_fragments,
    "AcknowledgeFragments": _acknowledge,
    "RejectMemoryProposals": _reject_proposals,
    "DeleteNote": _delete_note,
    "DeletePlan": _delete_plan,
    "RemovePlanStep": _remove_step,
    "DeleteConversation": _delete_conversation,
    "TruncateMessages": _truncate,
    "ClearEntities": _clear_entities,
    "DeleteDocument": _delete_document,
    "ClearAgent": _clear_agent,
    "EndAgent": _end_agent,
}


@contextlib.contextmanager
def connected(daemon: Daemon, agent_id: str = "a") -> Iterator[memoryd.Agent]:
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        yield client.agent(agent_id)


def test_every_method_that_erases_is_tried_here() -> None:
    erasing = {method.name for method in contract().methods() if "erase" in method.input_type.fields_by_name}
    assert erasing == set(WAYS)


@pytest.mark.whole
@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_what_is_erased_is_in_a_response_an_event_or_a_file(daemon: Daemon, way: str) -> None:
    with connected(daemon) as agent, connected(daemon, "b") as other:
        other.set("k", f"{OTHER} of b")
        agent.set("kept", f"{OTHER} of a") if way not in {"EndAgent", "ClearAgent", "ClearEntries"} else None
        receipt = WAYS[way](agent)
        assert receipt is not None
        assert receipt.journal_row_count >= 1
        assert sum(receipt.erased.values()) >= 1
        assert SECRET not in left_of(agent)
        assert any(event.cause == "erased" for event in agent.events())
        files = files_of(daemon)
        assert (SECRET in files, f"{OTHER} of b" in files) == (False, True)
        assert (f"{OTHER} of a" in files) == (way not in {"EndAgent", "ClearAgent", "ClearEntries"})
    daemon.stop()
    assert SECRET not in files_of(daemon)


@pytest.mark.whole
def test_what_was_erased_is_nowhere_after_a_kill(daemon: Daemon) -> None:
    for way, erase in WAYS.items():
        with connected(daemon, way) as agent:
            assert erase(agent) is not None
    daemon.kill()
    assert SECRET not in files_of(daemon)
    daemon.start()
    for way in WAYS:
        with connected(daemon, way) as agent:
            assert SECRET not in left_of(agent)
    assert SECRET not in files_of(daemon)


def test_a_plain_removal_stays_in_the_past_events(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        agent.set("k", SECRET)
        assert agent.remove("k") is True
        assert SECRET in str(list(agent.events()))
        receipt = agent.remove("k", erase=True)
        assert (receipt.erased, receipt.journal_row_count) == ({}, 1)
        assert SECRET not in files_of(daemon)


def test_the_receipt_names_the_snapshots_that_may_still_contain_it(daemon: Daemon) -> None:
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.set("k", SECRET)
        own = agent.create_snapshot("own").snapshot_id
        everything = client.create_snapshot("all").snapshot_id
        client.agent("b").set("k", OTHER)
        client.agent("b").create_snapshot("others")
        receipt = agent.remove("k", erase=True)
        assert (set(receipt.snapshot_ids), receipt.snapshot_count) == ({own, everything}, 2)
        agent.create_snapshot("after")
        client.delete_snapshot(own)
        assert agent.remove("k", erase=True).snapshot_ids == (everything,)


def test_the_response_of_an_operation_has_no_erased_content(daemon: Daemon) -> None:
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        started = client.operations.create_document("a", f"{SECRET} text", title=SECRET)
        document = started.wait()
        assert document.title == SECRET
        agent.documents.delete(document.document_id, erase=True)
        kept = client.operations.get(started.operation_id).wait()
        assert (kept.document_id, kept.title) == (document.document_id, "")


def test_writes_of_a_transaction_erase(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        agent.set("k", SECRET)
        note = agent.notes.create(SECRET, SECRET)
        with agent.transaction() as changes:
            removed = changes.remove("k", erase=True)
            changes.set("l", OTHER)
            deleted = changes.notes.delete(note.note_id, erase=True)
        assert isinstance(removed.result, memoryd.ErasureReceipt)
        assert isinstance(deleted.result, memoryd.ErasureReceipt)
        assert removed.result.erased == {"entry": 1}
        assert deleted.result.erased == {"note": 1}
        assert SECRET not in files_of(daemon)
        assert agent.get("l") == OTHER


def test_an_agent_that_is_erased_takes_no_last_snapshot(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        agent.set("k", SECRET)
        with pytest.raises(errors.InvalidArgument, match="create_snapshot"):
            agent.end(snapshot=True, erase=True)
        assert agent.get("k") == SECRET


def test_a_watch_that_resumes_over_erased_events_misses_nothing(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        agent.set("first", OTHER)
        revision = agent.info().revision
        _remove(agent)
        agent.set("last", OTHER)
        events = list(agent.events(after_revision=revision))
        assert [event.type for event in events] == ["entry_set", "entry_set", "entry_removed", "entry_set"]
        assert SECRET not in str(events)
