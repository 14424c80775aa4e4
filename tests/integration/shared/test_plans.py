"""Plans of two daemons on one store: a change that one acknowledged is visible at the other."""

import grpc
from tests.integration.shared.pair import Pair
from tests.integration.test_plan import Plans
from tests.integration.watcher import Watcher
from tests.integration.wire import refused

from memoryd.v1 import plan_pb2


def test_a_changed_step_is_changed_at_the_other_daemon(pair: Pair) -> None:
    here, there = map(Plans, pair.agents())
    here.create("p", "a", "b", conversation_id="talk")
    for number in range(4):
        assert here.set_status("p", "1", 1 + number % 2 + 1, request_id=f"r{number}").changed
        assert there.all() == here.all()
        there.call("AddPlanNote", conversation_id="talk", text=str(number))
        there.call("MovePlanStep", plan_id="p", step_id="2", before_step_id="1" if number % 2 == 0 else "")
        assert here.all() == there.all()
        here, there = there, here
    here.call("RemovePlanStep", plan_id="p", step_id="1")
    (plan,) = there.all().values()
    assert ([step.step_id for step in plan.steps], len(plan.notes)) == (["2"], 4)


def test_a_step_is_claimed_by_one_of_two_daemons(pair: Pair) -> None:
    here, there = map(Plans, pair.agents())
    here.create("p", "a", "b")
    claim, expected = plan_pb2.PLAN_STEP_STATUS_IN_PROGRESS, {"expected_revision": 1}
    assert here.set_status("p", "1", claim, precondition=expected).changed
    refusal = refused(lambda: there.set_status("p", "1", claim, precondition=expected))
    assert refusal.code is grpc.StatusCode.ABORTED
    assert there.set_status("p", "2", claim, precondition=expected).changed


def test_the_events_of_a_plan_are_small_at_the_other_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    Plans(here).create("p", *("x" * 4_000 for _ in range(200)))
    with Watcher(there.wire, there.id).opened() as watch:
        Plans(here).set_status("p", "100", plan_pb2.PLAN_STEP_STATUS_COMPLETED)
        (event,) = watch.until_events(1)
    assert event.ByteSize() < 1_000
    assert Plans(there).all()["p"].steps[99].status == plan_pb2.PLAN_STEP_STATUS_COMPLETED
