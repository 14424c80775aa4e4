import msgspec
import pytest
from tests.unit.domain.sample import Agent

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.plans.plan import Plan, PlanName, PlanStatus
from memoryd_server.domain.plans.plan_change import CreatePlan, PlanDraft
from memoryd_server.domain.plans.plan_part import PLAN

CURRENT = PlanName(conversation_id="c").alias


def plan(plan_id: str) -> Plan:
    """The current plan of a conversation."""
    agent = Agent()
    agent.do(CreatePlan(PlanDraft(plan_id, "c", "goal")))
    (made,) = agent.state.part(PLAN)
    assert isinstance(made, Plan)
    return made


@pytest.mark.parametrize("old_ends_first", [True, False])
def test_an_alias_stays_with_the_record_that_took_it_in_whatever_order_both_change(old_ends_first: bool) -> None:
    old, new = plan("old"), plan("new")
    ended = msgspec.structs.replace(old, status=PlanStatus.REPLACED)
    plans = Collection[Plan]().put(old)
    for changed in (ended, new) if old_ends_first else (new, ended):
        plans = plans.put(changed)
    assert plans.aliased(CURRENT) is new
    assert plans.aliased(PlanName("old").alias) is ended
    assert plans.remove("c", [ended]).aliased(CURRENT) is new
    assert plans.remove("c", [ended, new]).aliased(CURRENT) is None


class Plain(Collected, frozen=True, array_like=True, tag="plain"):
    """A record of a kind without groups, whose events carry it whole."""


def test_a_record_has_no_group_and_nothing_to_leave_out_unless_its_kind_says_so() -> None:
    record = Plain()
    assert record.group == ""
    assert record.without_content() is record
    assert record.record_count == 1
