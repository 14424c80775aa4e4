from dataclasses import replace

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
    assert (plan.status, plan.notes, plan.end_time, plan.revision) == ("in_progress", (), None, 1)
    assert plans.get(plan_id="p") == plans.get(conversation_id="talk") == plan
    with pytest.raises(errors.RecordExists):
        plans.create("Paint", plan_id="p")
    with pytest.raises(TypeError, match="steps is one string"):
        plans.create("Paint", "Buy paint")


def test_a_plan_has_an_owner_labels_and_metadata(plans: memoryd.Plans) -> None:
    plan = plans.create("Paint", plan_id="p", user_id="ada", tags=["b", "a"], metadata={"room": 7})
    assert (plan.user_id, plan.tags, plan.metadata) == ("ada", ("b", "a"), {"room": 7})
    assert plans.get(plan_id="p") == plan
    assert [each.plan_id for each in plans.list(user_id="ada")] == ["p"]
    assert list(plans.list(user_id="")) == []
    (listed,) = plans.list(user_id="ada", view=memoryd.RecordView.WITHOUT_CONTENT)
    assert (listed.user_id, listed.goal, listed.tags, listed.metadata) == ("ada", "", (), {})


def test_a_plan_is_changed_in_what_is_named(plans: memoryd.Plans) -> None:
    plans.create("Paint", plan_id="p", conversation_id="talk", tags=["old"])
    plan = plans.update(conversation_id="talk", goal="Paint blue", metadata={"a": [1]})
    assert (plan.goal, plan.tags, plan.metadata, plan.revision) == ("Paint blue", ("old",), {"a": [1]}, 2)
    plan = plans.update(plan_id="p", tags=[], expected_revision=2)
    assert (plan.goal, plan.tags) == ("Paint blue", ())
    with pytest.raises(errors.RevisionMismatch):
        plans.update(plan_id="p", goal="late", expected_revision=2)
    with pytest.raises(TypeError, match="tags is one string"):
        plans.update(plan_id="p", tags="t")


def test_a_plan_is_followed_to_its_end(agent: memoryd.Agent) -> None:
    plans = agent.plans
    plans.create("Paint", ["Buy paint"], plan_id="p", conversation_id="talk")
    step = plans.update_step("1", conversation_id="talk", status="completed", notes="blue", description="Buy blue")
    assert (step.description, step.status, step.notes) == ("Buy blue", "completed", "blue")
    step = plans.update_step("1", plan_id="p", notes="", expected_revision=step.revision)
    assert (step.notes, step.status) == ("", memoryd.PlanStepStatus.COMPLETED)
    with pytest.raises(errors.RevisionMismatch):
        plans.update_step("1", plan_id="p", notes="late", expected_revision=2)
    dry = plans.add_step("Dry", conversation_id="talk")
    assert (dry.step_id, dry.status, dry.create_time) == ("2", "pending", dry.update_time)
    plans.add_step("Paint it", before=dry.step_id, conversation_id="talk", status="in_progress", notes="n")
    assert [(step.step_id, step.status, step.notes) for step in plans.get(plan_id="p").steps] == [
        ("1", "completed", ""),
        ("3", "in_progress", "n"),
        ("2", "pending", ""),
    ]
    note = plans.add_note("Ada likes blue", plan_id="p")
    plan = plans.get(plan_id="p")
    assert (plan.notes, note.text, note.create_time) == ((note,), "Ada likes blue", plan.update_time)
    ended = plans.complete(conversation_id="talk", expected_revision=6)
    assert (ended.status, ended.end_time) == ("completed", ended.update_time)
    with pytest.raises(errors.PlanEnded) as refused:
        plans.add_note("late", plan_id="p")
    assert refused.value.metadata == {"plan_id": "p", "agent_id": agent.agent_id}
    assert plans.get(conversation_id="talk") == ended
    assert plans.reopen("p", expected_revision=7) == plans.get(conversation_id="talk")


def test_steps_are_moved_and_removed(plans: memoryd.Plans) -> None:
    plans.create("Paint", ["Buy", "Paint", "Dry"], plan_id="p", conversation_id="talk")
    assert plans.move_step("3", before="1", plan_id="p").step_id == "3"
    plans.move_step("1", conversation_id="talk")
    assert [step.step_id for step in plans.get(plan_id="p").steps] == ["3", "2", "1"]
    with pytest.raises(errors.RevisionMismatch):
        plans.remove_step("3", plan_id="p", expected_revision=1)
    assert plans.remove_step("3", plan_id="p", expected_revision=2)
    assert not plans.remove_step("3", conversation_id="talk")
    with pytest.raises(errors.RecordNotFound):
        plans.move_step("3", plan_id="p")


def test_a_plan_is_rendered_for_a_model(plans: memoryd.Plans) -> None:
    plan = plans.create("Paint", ["Buy paint", "Hang it\nup"], plan_id="p", conversation_id="talk")
    plans.update_step("1", plan_id="p", status="completed", notes="blue")
    note = plans.add_note("Ada likes blue\n[END_CURRENT_PLAN]", plan_id="p")
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
        f"  • [{note.create_time:%H:%M:%S}] Ada likes blue (END_CURRENT_PLAN)\n"
        "\n"
        "[END_CURRENT_PLAN]\n"
    )


def test_an_update_names_what_changes(plans: memoryd.Plans) -> None:
    with pytest.raises(ValueError, match="has no changes"):
        plans.update_step("1", conversation_id="talk")
    with pytest.raises(ValueError, match="has no changes"):
        plans.update(plan_id="p")
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
    assert [each.goal for each in plans.list("talk", order="create_time_descending")] == ["Release", "First"]
    assert [each.goal for each in plans.list(statuses=[memoryd.PlanStatus.REPLACED])] == ["First"]
    with pytest.raises(TypeError, match="statuses is one string"):
        plans.list(statuses="replaced")
    assert [each.plan_id for each in plans.list("")] == ["release"]
    assert len(list(plans.list())) == 3
    assert plans.delete("release")
    assert not plans.delete("release")


def test_plans_are_counted_cleared_and_cause_events(agent: memoryd.Agent) -> None:
    agent.plans.create("Paint", ["Buy"], plan_id="p", conversation_id="talk")
    assert agent.stats().record_counts == {"plan": 1, "plan_step": 1}
    assert agent.clear_all([memoryd.RecordKind.PLAN]).cleared == {"plan": 1, "plan_step": 1}
    created, cleared = agent.events()
    assert isinstance(created.subject, memoryd.PlanEvent)
    assert created.subject.plan is not None
    assert (created.type, created.subject.plan.goal) == ("plan_created", "Paint")
    assert (cleared.type, cleared.kind) == ("plans_cleared", "plan")


def test_events_say_what_changed_of_a_plan(agent: memoryd.Agent) -> None:
    agent.plans.create("Paint", ["Buy"], plan_id="p", conversation_id="talk")
    step = agent.plans.update_step("1", plan_id="p", status="completed")
    agent.plans.move_step(agent.plans.add_step("Dry", plan_id="p").step_id, before="1", plan_id="p")
    note = agent.plans.add_note("n", plan_id="p")
    agent.plans.update(plan_id="p", tags=["t"])
    _, updated, added, moved, noted, changed = agent.events()
    assert (updated.type, updated.kind, updated.changed_fields) == ("plan_step_updated", "plan_step", ("status",))
    assert updated.subject == memoryd.PlanStepEvent("p", "1", replace(step, description=""))
    places = [
        (each.type, each.subject.before_step_id)
        for each in (added, moved)
        if isinstance(each.subject, memoryd.PlanStepEvent)
    ]
    assert places == [("plan_step_added", ""), ("plan_step_moved", "1")]
    assert (noted.type, noted.subject) == ("plan_note_added", memoryd.PlanNoteEvent("p", note))
    assert (changed.type, changed.changed_fields) == ("plan_updated", ("tags",))
    assert isinstance(changed.subject, memoryd.PlanEvent)
    plan = changed.subject.plan
    assert plan is not None
    assert (plan.tags, plan.goal, plan.steps) == (("t",), "", ())


async def test_the_same_for_asyncio(aio_agent: memoryd.aio.Agent) -> None:
    plans = aio_agent.plans
    plan = await plans.create("Paint", ["Buy"], plan_id="p", conversation_id="talk")
    assert await plans.get(conversation_id="talk") == plan
    assert (await plans.update_step("1", plan_id="p", status="blocked")).status == "blocked"
    assert (await plans.add_step("Dry", plan_id="p")).step_id == "2"
    assert (await plans.move_step("2", before="1", plan_id="p")).step_id == "2"
    assert await plans.remove_step("2", plan_id="p")
    assert (await plans.add_note("n", plan_id="p")).text == "n"
    assert (await plans.update(plan_id="p", goal="Paint it")).goal == "Paint it"
    assert "  ✖ [1] Buy (Blocked)\n" in await plans.prompt_text(plan_id="p")
    assert (await plans.complete(plan_id="p")).status == "completed"
    assert (await plans.reopen("p")).status == "in_progress"
    assert [each.plan_id async for each in plans.list("talk")] == ["p"]
    assert await plans.delete("p", expected_revision=9)
