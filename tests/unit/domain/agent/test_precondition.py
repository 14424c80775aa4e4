import pytest
from tests.unit.domain.sample import MUST_NOT_EXIST, Agent, at

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry
from memoryd_server.domain.error import AgentNotFound, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import EndAgent

MUST_EXIST = Precondition(must_exist=True)


def test_a_condition_on_a_new_agent_holds_until_its_first_change() -> None:
    agent = Agent()
    for holding in (MUST_NOT_EXIST, at(0)):
        agent.do(RemoveEntry(ROOT, "k"), precondition=holding)
    with pytest.raises(AgentNotFound):
        agent.do(RemoveEntry(ROOT, "k"), precondition=MUST_EXIST)
    agent.set("k")
    for holding in (MUST_EXIST, at(1)):
        agent.do(RemoveEntry(ROOT, "other"), precondition=holding)
    for failing, refusal in ((MUST_NOT_EXIST, RecordExists), (at(0), RevisionMismatch)):
        with pytest.raises(refusal):
            agent.do(RemoveEntry(ROOT, "k"), precondition=failing)
    assert agent.value("k") == "1"


def test_an_agent_that_ended_does_not_exist_and_keeps_its_revision() -> None:
    agent = Agent()
    agent.set("k")
    agent.do(EndAgent())
    agent.do(RemoveEntry(ROOT, "k"), precondition=MUST_NOT_EXIST)
    agent.do(RemoveEntry(ROOT, "k"), precondition=at(2))
    with pytest.raises(AgentNotFound):
        agent.do(RemoveEntry(ROOT, "k"), precondition=MUST_EXIST)


def test_a_condition_on_a_record_is_about_that_record_alone() -> None:
    agent = Agent()
    agent.set("k")
    agent.set("other")
    for failing, refusal in ((MUST_NOT_EXIST, RecordExists), (at(2), RevisionMismatch)):
        with pytest.raises(refusal):
            agent.do(RemoveEntry(ROOT, "k", failing))
    with pytest.raises(RecordNotFound):
        agent.do(RemoveEntry(ROOT, "missing", MUST_EXIST))
    agent.do(RemoveEntry(ROOT, "k", MUST_EXIST))
    assert agent.value("k") is None
