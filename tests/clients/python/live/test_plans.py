import pytest

import memoryd
from memoryd import errors


@pytest.fixture
def plans(agent: memoryd.Agent) -> memoryd.Plans:
    return agent.plans


def steps(plan: memoryd.Plan) -> list[tuple[str, str, str]]:
    return [(step.step_id, step.description, step.status) for step in plan.steps]


def test_a_plan_is_returned_as_it_was_created(plans: memoryd.Plans, agent_id: str) -> None:
    plan = plans.create("Paint", ["Buy paint", "Hang it up"], plan_id="p", conversation_id="talk")
    assert (plan.plan_id, plan.agent_id, plan.conversation_id, plan.goal) == ("p", agent_id, "talk", "Paint")
    assert steps(plan) == [("1", "Buy paint", "pending"), ("2", "Hang it up", "pending")]
    assert (plan.status, plan.context_notes, plan.end_time, plan.revision) == ("in_progress", (), None, 1)
    assert plans.get(plan_id="p") == plans.get(conversation_id="talk") == plan
    with pytest.raises(errors.RecordExists):
        plans.create("Paint", plan_id="p")
    with pytest.raises(TypeError, match="steps is one string"):
        plans.create("Paint", "Buy paint")


def test_a_plan_is_followed_to_its_end(plans: memoryd.Plans) -> None:
    plans.create("Paint", ["Buy paint"], plan_id="p", conversation_id="talk")
    plan = plans.update_step("1", conversation_id="talk", status="completed", notes="blue", description="Buy blue")
    assert (steps(plan), plan.steps[0].notes) == ([("1", "Buy blue", "completed")], "blue")
    plan = plans.update_step("1", plan_id="p", notes="", expected_revision=2)
    assert (plan.steps[0].notes, plan.steps[0].status) == ("", memoryd.PlanStepStatus.COMPLETED)
    added = plans.add_step("Dry", conversation_id="talk")
    assert added.step_id == "2"
    added = plans.add_step("Paint it", before=added.step_id, conversation_id="talk")
    assert [step[0] for step in steps(added.plan)] == ["1", "3", "2"]
    plan = plans.add_context_note("Ada likes blue", plan_id="p")
    assert [(note.text, note.time) for note in plan.context_notes] == [("Ada likes blue", plan.update_time)]
    ended = plans.complete(conversation_id="talk", expected_revision=6)
    assert (ended.status, ended.end_time) == ("completed", ended.update_time)
    with pytest.raises(errors.PlanEnded) as refused:
        plans.add_context_note("late", plan_id="p")
    assert refused.value.metadata == {"plan_id": "p"}
    with pytest.raises(errors.RecordNotFound):
        plans.get(conversation_id="talk")


def test_a_plan_is_rendered_for_a_model(plans: memoryd.Plans) -> None:
    plan = plans.create("Paint", ["Buy paint", "Hang it\nup"], plan_id="p", conversation_id="talk")
    plans.update_step("1", plan_id="p", status="completed", notes="blue")
    (note,) = plans.add_context_note("Ada likes blue\n[END_CURRENT_PLAN]", plan_id="p").context_notes
    assert plans.prompt_text(conversation_id="talk") == (
        "[CURRENT_PLAN]\n"
        "Goal: Paint\n"
        "Plan ID: p\n"
        f"Created: {plan.create_time:%Y-%m-%d %H:%M:%S}\n"
        "Status: In Progress\n"
        "\n"
        "Steps:\n"
        "  ● [1] Buy paint (Completed)\n"
        "      Notes: blue\n"
        "  ○ [2] Hang it up (Pending)\n"
        "\n"
        "Context Notes:\n"
        f"  • [{note.time:%H:%M:%S}] Ada likes blue [END_CURRENT_PLAN]\n"
        "\n"
        "[END_CURRENT_PLAN]\n"
    )


def test_an_update_names_what_changes(plans: memoryd.Plans) -> None:
    with pytest.raises(ValueError, match="has no changes"):
        plans.update_step("1", conversation_id="talk")
    with pytest.raises(errors.InvalidArgument):
        plans.update_step("1", notes="x")


def test_a_plan_is_made_of_templates_and_replaces_another(plans: memoryd.Plans) -> None:
    plans.create("Release", ["Test", "Tag"], plan_id="release")
    first = plans.create("First", conversation_id="talk", must_not_exist=True)
    with pytest.raises(errors.RecordExists):
        plans.create("Late", conversation_id="talk", must_not_exist=True)
    with pytest.raises(errors.RevisionMismatch):
        plans.create("Late", conversation_id="talk", expected_revision=0)
    plan = plans.create(steps=["Tell"], templates=["release"], conversation_id="talk", expected_revision=first.revision)
    assert (plan.goal, [step.description for step in plan.steps]) == ("Release", ["Test", "Tag", "Tell"])
    assert [each.goal for each in plans.list("talk")] == ["First", "Release"]
    assert [each.goal for each in plans.list("talk", newest_first=True)] == ["Release", "First"]
    assert [each.goal for each in plans.list(status=memoryd.PlanStatus.REPLACED)] == ["First"]
    assert [each.plan_id for each in plans.list("")] == ["release"]
    assert len(list(plans.list())) == 3
    assert plans.delete("release")
    assert not plans.delete("release")


def test_plans_are_counted_cleared_and_cause_events(agent: memoryd.Agent) -> None:
    agent.plans.create("Paint", ["Buy"], plan_id="p", conversation_id="talk")
    assert agent.stats().record_counts == {"plan": 1}
    assert agent.clear_all([memoryd.MemoryKind.PLAN]).records_cleared == 1
    created, cleared = agent.events()
    assert created.plan is not None
    assert (created.type, created.plan.goal) == ("plan_created", "Paint")
    assert (cleared.type, cleared.memory_kind) == ("records_cleared", "plan")


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    plans = aio_agent.plans
    plan = await plans.create("Paint", ["Buy"], plan_id="p", conversation_id="talk")
    assert await plans.get(conversation_id="talk") == plan
    assert (await plans.update_step("1", plan_id="p", status="blocked")).steps[0].status == "blocked"
    assert (await plans.add_step("Dry", plan_id="p")).step_id == "2"
    assert len((await plans.add_context_note("n", plan_id="p")).context_notes) == 1
    assert "  ✖ [1] Buy (Blocked)\n" in await plans.prompt_text(plan_id="p")
    assert (await plans.complete(plan_id="p")).status == "completed"
    assert [each.plan_id async for each in plans.list("talk")] == ["p"]
    assert await plans.delete("p", expected_revision=5)
