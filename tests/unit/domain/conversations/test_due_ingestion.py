import pytest
from tests.unit.domain.sample import NOW, Agent, memory_draft, message_draft

from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.conversations.conversation_change import DeleteConversation
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS, DueIngestion
from memoryd_server.domain.conversations.ingestion_change import IngestMessages
from memoryd_server.domain.conversations.ingestion_lease import (
    LeaseIngestions,
    ReleaseIngestions,
    SettleIngestion,
    lease_ns,
)
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, ExpireRecords, RestoreAgent
from memoryd_server.domain.limit import INGESTION_LEASE_NS_MAX, INGESTION_LEASE_NS_MIN, SECOND_NS
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.record_kind import RecordKind

REST_NS = 30 * SECOND_NS
INGESTS = {DUE_INGESTIONS.name: True}


def append(agent: Agent, conversation_id: str = "c", ingest_ns: int | None = REST_NS) -> None:
    agent.do(AppendMessages(conversation_id, (message_draft("x"),), ingest_ns=ingest_ns))


def due(agent: Agent) -> dict[str, DueIngestion]:
    return dict(agent.state.part(DUE_INGESTIONS).by_id)


def leased(result: Result) -> tuple[str, ...]:
    return result.conversation_ids  # type: ignore[attr-defined, no-any-return]


def test_a_conversation_is_due_when_it_was_at_rest() -> None:
    agent = Agent()
    append(agent, "other", None)
    assert due(agent) == {}
    append(agent)
    agent.now += SECOND_NS
    append(agent)
    assert due(agent) == {"c": DueIngestion("c", NOW + SECOND_NS + REST_NS)}
    assert agent.state.next_deadline is not None
    assert agent.state.next_deadline <= NOW + SECOND_NS + REST_NS
    assert leased(agent.do(LeaseIngestions(9))) == ()
    agent.now += REST_NS
    assert leased(agent.do(LeaseIngestions(9))) == ("c",)


def test_each_lease_of_what_fails_is_twice_as_long_and_bounded() -> None:
    agent = Agent()
    append(agent)
    for attempts in range(9):
        agent.now = due(agent)["c"].due_time
        revision = agent.state.revision
        assert leased(agent.do(LeaseIngestions(9))) == ("c",)
        expected = min(INGESTION_LEASE_NS_MIN * 2**attempts, INGESTION_LEASE_NS_MAX)
        assert due(agent)["c"] == DueIngestion("c", agent.now + expected, attempts + 1)
        assert agent.state.revision == revision
        assert agent.state.next_deadline == agent.now + expected
        assert leased(agent.do(LeaseIngestions(9))) == ()
    assert lease_ns(10**9) == INGESTION_LEASE_NS_MAX


def test_what_is_released_is_due_at_once_and_was_not_tried() -> None:
    agent = Agent()
    append(agent)
    append(agent, "other")
    agent.now += REST_NS
    agent.do(ReleaseIngestions(("c", "none")))
    assert due(agent)["c"].attempts == 0
    assert leased(agent.do(LeaseIngestions(9))) == ("c", "other")
    agent.now += SECOND_NS
    revision = agent.state.revision
    agent.do(ReleaseIngestions(("c",)))
    assert due(agent)["c"] == DueIngestion("c", agent.now, 0)
    assert agent.state.revision == revision
    assert leased(agent.do(LeaseIngestions(9))) == ("c",)


def test_a_message_does_not_end_a_lease() -> None:
    agent = Agent()
    append(agent)
    agent.now += REST_NS
    agent.do(LeaseIngestions(9))
    before = due(agent)
    append(agent)
    assert due(agent) == before
    agent.now += INGESTION_LEASE_NS_MIN - SECOND_NS
    append(agent)
    assert due(agent)["c"] == DueIngestion("c", agent.now + REST_NS, 1)


def test_at_most_as_many_are_leased_as_asked_the_first_that_was_due_first() -> None:
    agent = Agent()
    for name in ("c", "a", "b"):
        append(agent, name)
        agent.now += SECOND_NS
    agent.now += REST_NS
    assert leased(agent.do(LeaseIngestions(2))) == ("c", "a")
    assert leased(agent.do(LeaseIngestions(2))) == ("b",)


def test_what_was_ingested_is_not_due() -> None:
    agent = Agent()
    append(agent)
    append(agent)
    creates = CreateMemories((memory_draft("x"),), "new", MemoryPolicy())
    agent.do(IngestMessages("c", 0, (1,), 9, creates=creates))
    assert "c" in due(agent)
    agent.do(IngestMessages("c", 1, (2,), 9))
    assert due(agent) == {}


def test_only_what_has_nothing_left_to_read_is_settled() -> None:
    agent = Agent()
    append(agent)
    before = agent.state
    agent.do(SettleIngestion("c"))
    agent.do(SettleIngestion("none"))
    assert agent.state == before
    agent.do(IngestMessages("c", 0, (1,), 9))
    append(agent, ingest_ns=None)
    assert due(agent) == {}


@pytest.mark.parametrize(
    "ends",
    [DeleteConversation("c"), ClearAgent(frozenset({RecordKind.CONVERSATION})), EndAgent()],
    ids=["deleted", "cleared", "ended"],
)
def test_a_conversation_that_is_gone_is_not_due(ends: object) -> None:
    agent = Agent()
    append(agent)
    agent.do(ends)  # type: ignore[arg-type]
    assert due(agent) == {}


def test_a_sweep_reports_what_is_due_and_drops_it_where_no_daemon_ingests() -> None:
    agent = Agent()
    append(agent)
    agent.now += REST_NS
    assert agent.do(ExpireRecords(INGESTS)).counts == {"due_ingestions": 1}  # type: ignore[attr-defined]
    assert "c" in due(agent)
    agent.do(ExpireRecords())
    assert due(agent) == {}
    assert agent.state.next_deadline is None


def test_a_snapshot_has_what_is_due() -> None:
    agent = Agent()
    append(agent)
    image = agent.image()
    agent.do(DeleteConversation("c"))
    append(agent, "d")
    agent.do(RestoreAgent(image, "s"))
    assert due(agent) == {"c": DueIngestion("c", NOW + REST_NS)}
