"""Replaying commits of plans on another replica leads to the plans that were decided."""

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.lifecycle.test_replay import Batch, check_replay
from tests.unit.domain.random_record import random_plan_command
from tests.unit.domain.sample import Agent

from memoryd_server.domain.agent.part import ChangeKey
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent, RestoreAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.plans.plan import PlanName
from memoryd_server.domain.plans.plan_change import (
    AddPlanNote,
    CreatePlan,
    DeletePlan,
    PlanDraft,
    PlanStepDraft,
    PlanStepPatch,
    RemovePlanStep,
    UpdatePlanStep,
)
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.record_kind import RecordKind

P = PlanName("p")


@given(st.data())
def test_a_replica_has_the_plans_that_were_decided(data: st.DataObject) -> None:
    agent = Agent()
    replica, image = agent.state, agent.image()
    for _ in range(data.draw(st.integers(1, 8))):
        batch = Batch(agent)
        agent.now += SECOND_NS
        for _ in range(data.draw(st.integers(1, 5))):
            before, what = agent.state, data.draw(st.integers(0, 19))
            try:
                if what == 0:
                    image = agent.image()
                elif what == 1:
                    agent.do(RestoreAgent(image, "s"))
                elif what == 2:
                    agent.do(data.draw(st.sampled_from([ClearAgent(frozenset({RecordKind.PLAN})), EndAgent()])))
                else:
                    agent.do(random_plan_command(data.draw))
            except Refusal:
                continue
            if agent.state is not before:
                batch.take()
        if agent.state.revision != replica.revision:
            replica = check_replay(replica, agent, batch.commit())


def test_a_replica_takes_a_step_from_the_commit_and_the_others_from_its_own_plan() -> None:
    agent = Agent()
    agent.do(CreatePlan(PlanDraft("p", "c", "goal", (PlanStepDraft("a"), PlanStepDraft("b")))))
    agent.do(AddPlanNote(P, "n"))
    replica = agent.state
    agent.do(UpdatePlanStep(P, "2", PlanStepPatch(notes="n")))
    batch = Batch(agent)
    batch.take()
    assert ChangeKey("plan_step", "p/1") not in agent.decision.changes
    replica = check_replay(replica, agent, batch.commit())
    batch = Batch(agent)
    agent.do(RemovePlanStep(P, "1"))
    batch.take()
    replica = check_replay(replica, agent, batch.commit())
    batch = Batch(agent)
    agent.do(DeletePlan("p"))
    batch.take()
    replica = check_replay(replica, agent, batch.commit())
    assert not len(replica.part(PLAN))
