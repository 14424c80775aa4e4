"""Forgetting of a user by commands: what is removed, what stays, and what is recorded."""

from collections.abc import Callable

import msgspec
import pytest
from tests.unit.domain.sample import Agent, check_decision, draft, fragment_draft, memory_draft, message_draft

from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.conversations.conversation_change import CreateConversation
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.documents.document import ChunkDraft, DocumentContent, DocumentDraft
from memoryd_server.domain.documents.document_change import CreateDocument
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.erasures.erasure import Erasure, is_of_user, user_digest
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment_change import CreateFragment
from memoryd_server.domain.lifecycle import user_removal
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE, ClearAgent, EndAgent, RestoreAgent
from memoryd_server.domain.lifecycle.user_removal import FinishErasures, ForgetUser, UserForgotten
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.plans.plan_change import CreatePlan, PlanDraft, PlanStepDraft
from memoryd_server.domain.record_kind import RecordKind


def forgetting(user_id: str = "zoe", erasure_id: str = "x", **fields: object) -> ForgetUser:
    return ForgetUser(erasure_id, user_digest(user_id, erasure_id), **fields)  # type: ignore[arg-type]


def filled() -> Agent:
    """Return an agent with a fragment, an entry and three memories of zoe."""
    agent = Agent()
    agent.do(SetEntry(ROOT, msgspec.structs.replace(draft("k"), user_id="zoe"), "e"))
    agent.do(CreateFragment(msgspec.structs.replace(fragment_draft("f", 2**62), user_id="zoe"), 1))
    for number in range(3):
        agent.create_all(memory_draft(f"m{number}", "zoe"))
    return agent


def test_a_digest_identifies_a_user_and_differs_with_the_erasure() -> None:
    is_of = is_of_user("x", user_digest("zoe", "x"))
    assert [is_of(each) for each in ("zoe", "bob", "", "zoe")] == [True, False, False, True]
    assert user_digest("zoe", "x") != user_digest("zoe", "y")


def test_a_removal_stops_at_its_maximum() -> None:
    removal = UserRemoval(lambda _: True, 2)
    assert [removal.takes(), removal.takes(5), removal.is_complete, removal.takes(), removal.is_complete] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_an_agent_that_does_not_exist_has_nothing_to_remove() -> None:
    agent = Agent()
    assert agent.do(forgetting(counts={RecordKind.NOTE: 1})) == UserForgotten({RecordKind.NOTE: 1}, 0)
    assert not agent.state.exists


@pytest.mark.parametrize("records_max", [1, 2, 3, 4, 5])
def test_the_command_is_repeated_until_none_is_left(monkeypatch: pytest.MonkeyPatch, records_max: int) -> None:
    monkeypatch.setattr(user_removal, "FORGOTTEN_RECORDS_TOGETHER_MAX", records_max)
    agent = filled()
    result = agent.do(forgetting())
    while not result.is_complete:
        assert result.is_provisional
        assert agent.state.part(ERASURES).by_id["x"].is_complete is False
        result = agent.do(forgetting(counts=result.counts))
    assert result.counts == {RecordKind.ENTRY: 1, RecordKind.FRAGMENT: 1, RecordKind.MEMORY: 3}
    erasure = agent.state.part(ERASURES).by_id["x"]
    assert (erasure.is_complete, erasure.revision, erasure.size_bytes) == (True, result.revision, 0)
    assert (agent.state.next_deadline, agent.state.size_bytes) == (0, 0)


def test_a_scope_is_removed_with_all_in_it_and_its_parents_stay() -> None:
    agent = Agent()
    agent.do(CreateScope("outer", ROOT, "outer"))
    agent.do(CreateScope("zoes", "outer", "zoes", user_id="zoe"))
    agent.do(CreateScope("inner", "zoes", "inner", user_id="zoe"))
    agent.do(SetEntry("inner", msgspec.structs.replace(draft("k"), user_id="bob"), "e1"))
    agent.do(SetEntry("outer", msgspec.structs.replace(draft("k"), user_id="zoe"), "e2"))
    agent.do(SetEntry("outer", draft("other"), "e3"))
    before = agent.state
    result = agent.do(forgetting())
    check_decision(before, agent.decision)
    assert result.counts == {RecordKind.ENTRY: 2, RecordKind.SCOPE: 2}
    working = agent.state.part(WORKING_MEMORY)
    assert (set(working.scopes), set(working.local_entries("outer"))) == ({"outer"}, {"other"})
    assert [event.subject.scope_id for event in agent.decision.events[:2]] == ["inner", "zoes"]


def memory_with_version(agent: Agent, name: str) -> None:
    agent.create_all(memory_draft(f"memory {name}", "zoe", memory_id=name))
    agent.now += 1
    agent.update(name, content=f"memory {name} again")


def scope_with_entry(agent: Agent, name: str) -> None:
    agent.do(CreateScope(name, ROOT, name, user_id="zoe"))
    agent.do(SetEntry(name, draft("k"), f"entry of {name}"))


def conversation_with_message(agent: Agent, name: str) -> None:
    agent.do(CreateConversation(name, "zoe"))
    agent.do(AppendMessages(name, (message_draft("hello"),)))


def document_with_chunk(agent: Agent, name: str) -> None:
    content = DocumentContent("text/plain", 1, 1, (ChunkDraft("", "a", "", 1),))
    agent.do(CreateDocument(DocumentDraft(name, user_id="zoe"), content))


def plan_with_step(agent: Agent, name: str) -> None:
    agent.do(CreatePlan(PlanDraft(name, "", "goal", (PlanStepDraft("step"),), user_id="zoe")))


@pytest.mark.parametrize(
    "create",
    [memory_with_version, scope_with_entry, conversation_with_message, document_with_chunk, plan_with_step],
    ids=lambda create: create.__name__,
)
def test_what_belongs_to_a_record_counts_against_the_maximum(
    monkeypatch: pytest.MonkeyPatch, create: Callable[[Agent, str], None]
) -> None:
    monkeypatch.setattr(user_removal, "FORGOTTEN_RECORDS_TOGETHER_MAX", 3)
    agent = Agent()
    for name in ("a", "b", "c"):
        create(agent, name)
    # The first two have four records together.
    assert [agent.do(forgetting()).is_complete for _ in range(2)] == [False, True]


def test_what_has_expired_is_removed_but_not_counted() -> None:
    agent = Agent()
    agent.create_all(memory_draft("m", "zoe", expire_time=agent.now + 5))
    agent.do(CreateFragment(msgspec.structs.replace(fragment_draft("f", agent.now + 5), user_id="zoe"), 1))
    agent.do(SetEntry(ROOT, msgspec.structs.replace(draft("k"), user_id="zoe", expire_time=agent.now + 5), "e"))
    agent.now += 5
    assert agent.do(forgetting()).counts == {}
    assert (len(agent.state.part(MEMORIES)), agent.state.size_bytes) == (0, 0)


def test_a_scope_that_is_too_large_is_removed_by_the_next_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_removal, "FORGOTTEN_RECORDS_TOGETHER_MAX", 1)
    agent = Agent()
    for name in ("a", "b"):
        agent.do(CreateScope(name, ROOT, name, user_id="zoe"))
    assert not agent.do(forgetting()).is_complete
    assert set(agent.state.part(WORKING_MEMORY).scopes) == {"b"}


def test_a_disposed_scope_of_the_user_is_not_remembered() -> None:
    agent = Agent()
    for name, user_id in (("a", "zoe"), ("b", "bob")):
        agent.do(CreateScope(name, ROOT, name, user_id=user_id))
        agent.do(DisposeScope(name))
    agent.do(forgetting())
    assert set(agent.state.part(WORKING_MEMORY).disposed_scopes) == {"b"}


def test_blocked_contents_keep_the_digests_of_earlier_purges() -> None:
    agent = Agent()
    agent.create_all(memory_draft("one", "zoe", memory_id="m"))
    agent.purge("m", blocks_reimport=True)
    agent.create_all(memory_draft("two", "zoe", memory_id="m"), memory_draft("three", "zoe", memory_id="n"))
    agent.do(forgetting(blocks_reimport=True))
    purges = agent.state.part(MEMORIES).purges
    assert {name: (len(each.digests), each.is_erased) for name, each in purges.items()} == {
        "m": (2, False),
        "n": (1, True),
    }


def test_the_last_event_names_the_erasure_and_the_counts() -> None:
    agent = filled()
    result = agent.do(forgetting())
    last = agent.decision.events[-1]
    assert (last.type, last.cause, last.subject.counts) == (
        EventType.USER_FORGOTTEN,
        EventCause.REQUEST,
        result.counts,
    )
    assert (last.subject.erasure_id, last.subject.user_digest) == ("x", user_digest("zoe", "x"))


def test_finishing_drops_an_erasure_unless_it_went_on() -> None:
    agent = filled()
    agent.do(forgetting())
    erasure = agent.state.part(ERASURES).by_id["x"]
    older = msgspec.structs.replace(erasure, revision=1)
    revision = agent.state.revision
    assert agent.do(FinishErasures((older,))).revision == revision
    assert len(agent.state.part(ERASURES)) == 1
    agent.do(FinishErasures((erasure, Erasure("y", b"", 1, 1, is_complete=True))))
    assert (len(agent.state.part(ERASURES)), agent.state.revision) == (0, revision)
    assert agent.state.next_deadline is None


def test_erasures_outlive_clearing_and_restoring_and_block_the_end() -> None:
    agent = filled()
    image = agent.image()
    agent.do(forgetting())
    agent.do(forgetting("bob", "y"))
    agent.do(ClearAgent(CLEARABLE))
    agent.do(RestoreAgent(image, "s"))
    assert set(agent.state.part(ERASURES).by_id) == {"x", "y"}
    assert agent.do(EndAgent()).is_blocked
    statistics = ERASURES.statistics(agent.state.part(ERASURES), agent.now)
    assert (statistics.size_bytes, ERASURES.live_counts(agent.state.part(ERASURES), agent.now)) == (0, {})
    assert RecordKind.AGENT not in CLEARABLE
