"""Forgetting of a user leaves nothing in responses, in past events and in the database's files."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, until

import memoryd
from memoryd import errors
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE
from memoryd_server.domain.record_kind import RecordKind

USER = "zoe-zebracorn"
SECRET = "zebracorn"


def fill(agent: memoryd.Agent, text: str = SECRET, user_id: str = USER, name: str = "x") -> None:
    """Write records of every kind of a user, with a text in each of their contents."""
    fields: dict[str, Any] = {"user_id": user_id, "tags": [text], "metadata": {"n": text}}
    agent.set(f"key-{name}", {"a": text}, **fields)
    scope = agent.create_scope(text, user_id=user_id)
    scope.set("inside", text)
    agent.fragments.create(f"{text} fragment", user_id=user_id, metadata={"n": text})
    kept = agent.memories.remember(f"{text} of {name}", **fields).memory_id
    agent.memories.update(kept, content=f"another {text} of {name}")
    agent.memories.forget(agent.memories.remember(f"lost {text} {name}", user_id=user_id).memory_id)
    agent.memories.create_proposals([memoryd.MemoryProposalDraft(f"{text} proposal", user_id, tags=[text])])
    note = agent.notes.create(text, f"{text} note", **fields)
    agent.notes.update(note.note_id, content=f"{text} again")
    agent.conversations.create(f"talk-{name}", title=text, **fields)
    agent.conversations.append(f"talk-{name}", [memoryd.MessageDraft("user", f"{text} said")])
    plan = agent.plans.create(text, [f"{text} step"], conversation_id=f"talk-{name}", **fields)
    agent.plans.add_note(f"{text} finding", plan_id=plan.plan_id)
    agent.entities(f"talk-{name}").add(memoryd.Entity("page", "7", text), user_id=user_id)
    agent.documents.create(f"{text} document", title=text, **fields)


def lists_of(agent: memoryd.Agent) -> list[str]:
    """Return what each of the agent's lists and searches, and its context, shows of all users."""
    everybody: dict[str, Any] = {"all_users": True}
    shown: tuple[Any, ...] = (
        list(agent.entries(**everybody)),
        list(agent.scopes(**everybody)),
        list(agent.fragments.list(**everybody)),
        list(agent.memories.list(**everybody)),
        list(agent.memories.list(forgotten_only=True, **everybody)),
        list(agent.memories.list_proposals(**everybody)),
        list(agent.notes.list(**everybody)),
        list(agent.plans.list(**everybody)),
        list(agent.conversations.list(**everybody)),
        list(agent.entity_windows(**everybody)),
        list(agent.documents.list(**everybody)),
        agent.memories.recall(SECRET, filter=everybody),
        agent.documents.search(SECRET, filter=everybody),
        agent.compose("talk-x", query=SECRET, filter=everybody, include_manifest=True).messages,
    )
    return list(map(str, shown))


def left_of(agent: memoryd.Agent) -> str:
    """Return all that the agent's past events, lists and context show."""
    return str((list(agent.events()), lists_of(agent)))


def files_of(daemon: Daemon) -> str:
    """Return the content of the database's files."""
    paths = (path for path in daemon.data_dir.rglob("*") if path.is_file() and "snapshots" not in path.parts)
    return "".join(path.read_bytes().decode("latin-1") for path in paths)


@contextlib.contextmanager
def connected(daemon: Daemon) -> Iterator[memoryd.Agent]:
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        yield client.agent("a")


@pytest.mark.whole
def test_the_records_of_these_tests_are_of_every_kind(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        fill(agent)
        assert [SECRET in shown for shown in lists_of(agent)] == [True] * 14
        kinds = {RecordKind[kind.upper()] for kind in agent.forget_user(USER).deleted}
    assert kinds >= CLEARABLE


@pytest.mark.whole
def test_nothing_of_a_forgotten_user_is_in_a_response_or_file(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        fill(agent)
        fill(agent, "plainword", "bob", "y")
        snapshot = agent.create_snapshot("before").snapshot_id
        assert SECRET in files_of(daemon)
        report = agent.forget_user(USER)
        assert (report.deleted["memory"], report.deleted["entry"], report.deleted["message"]) == (2, 2, 1)
        assert (report.snapshot_ids, report.snapshot_count) == ((snapshot,), 1)
        shown = left_of(agent)
        assert (SECRET in shown, "plainword note" in shown) == (False, True)
        assert SECRET not in files_of(daemon)
        assert agent.forget_user(USER).deleted == {}
    daemon.stop()
    assert SECRET not in files_of(daemon)


@pytest.mark.whole
def test_what_was_deleted_before_and_what_an_ended_agent_had_is_erased(daemon: Daemon) -> None:
    with connected(daemon) as agent:
        fill(agent)
        agent.clear_all(tuple(kind.name.lower() for kind in CLEARABLE))
        fill(agent)
        agent.end()
        assert SECRET in files_of(daemon)
        assert agent.forget_user(USER).deleted == {}
        assert SECRET not in str(list(agent.events()))
        assert SECRET not in files_of(daemon)
        with pytest.raises(errors.AgentNotFound):
            agent.info()


@pytest.mark.faults
@pytest.mark.parametrize("removed", [False, True], ids=["at once", "once the records are removed"])
def test_a_kill_while_a_user_is_forgotten_leaves_nothing(daemon: Daemon, removed: bool) -> None:
    with connected(daemon) as agent, ThreadPoolExecutor(1) as pool:
        for number in range(20):
            fill(agent, name=f"n{number}")
        revision = agent.info().revision
        interrupted = pool.submit(agent.forget_user, USER)
        if removed:
            until(lambda: agent.info().revision > revision, "the records are removed")
        daemon.kill()
        interrupted.exception()
    daemon.start()
    with connected(daemon) as agent:
        if not agent.stats().record_counts:
            until(lambda: SECRET not in files_of(daemon), "the erasure is complete")
        agent.forget_user(USER)
        assert SECRET not in left_of(agent)
    assert SECRET not in files_of(daemon)
