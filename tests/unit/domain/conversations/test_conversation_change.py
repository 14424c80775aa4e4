import pytest
from tests.unit.domain.sample import MUST_NOT_EXIST, Agent, at, message_draft

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut
from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY, MESSAGE, Conversation
from memoryd_server.domain.conversations.conversation_change import (
    ConversationDeleted,
    ConversationText,
    CreateConversation,
    DeleteConversation,
    UpdateConversation,
)
from memoryd_server.domain.conversations.message_change import AppendMessages
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, EntityDraft
from memoryd_server.domain.entities.entity_change import AddEntities
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.plans.plan_change import CreatePlan, PlanDraft
from memoryd_server.domain.plans.plan_part import PLAN

CREATION = CreateConversation("c", "ann", "Foxes", ("t", "u"), '{"a":1}')


def conversation(agent: Agent, conversation_id: str = "c") -> Conversation | None:
    return agent.state.part(CONVERSATION).find(conversation_id, CONVERSATION_KEY)


def append(agent: Agent, *contents: str, conversation_id: str = "c") -> None:
    agent.do(AppendMessages(conversation_id, tuple(message_draft(each) for each in contents)))


def test_a_conversation_is_created_without_messages_and_counts_its_texts() -> None:
    agent = Agent()
    done = agent.do(CREATION)
    assert isinstance(done, RecordPut)
    created = conversation(agent)
    assert created == done.record
    assert created is not None
    assert (created.user_id, created.title, created.tags, created.metadata_json) == (
        "ann",
        "Foxes",
        ("t", "u"),
        '{"a":1}',
    )
    assert (created.message_count, created.next_number, created.revision) == (0, 1, 1)
    assert agent.state.size_bytes == created.size_bytes == len("c" + "ann" + "Foxes" + "tu" + '{"a":1}')
    assert [event.type.name for event in agent.events] == ["CONVERSATION_CREATED"]
    append(agent, "x")
    assert conversation(agent).title == "Foxes"  # type: ignore[union-attr]
    assert [event.type.name for event in agent.events[1:]] == ["MESSAGE_APPENDED"]


def test_a_conversation_that_exists_is_not_created_again() -> None:
    agent = Agent()
    append(agent, "x")
    with pytest.raises(RecordExists) as refused:
        agent.do(CREATION)
    assert refused.value.metadata == {"kind": "conversation", "record_id": "c", "revision": "1"}


def test_an_agent_has_at_most_so_many_conversations() -> None:
    agent = Agent(Limits(conversations_per_agent=1))
    append(agent, "x")
    for another in (CreateConversation("d"), AppendMessages("d", (message_draft("x"),))):
        with pytest.raises(QuotaExceeded) as refused:
            agent.do(another)
        assert refused.value.metadata == {"limit": "conversations_per_agent", "value": "1"}
    append(agent, "y")


def test_an_update_changes_the_given_fields_alone() -> None:
    agent = Agent()
    agent.do(CREATION)
    append(agent, "x")
    before = agent.state.size_bytes
    done = agent.do(UpdateConversation("c", ConversationText(title="Hens!", tags=())))
    assert isinstance(done, RecordPut)
    assert (done.changed, done.record, done.revision) == (True, conversation(agent), 3)
    assert (done.record.title, done.record.tags, done.record.user_id) == ("Hens!", (), "ann")
    assert (done.record.message_count, done.record.revision, done.record.update_time) == (1, 3, agent.now)
    assert agent.state.size_bytes == before - len("tu")
    assert agent.events[-1].type.name == "CONVERSATION_UPDATED"
    again = agent.do(UpdateConversation("c", ConversationText(title="Hens!")))
    assert isinstance(again, RecordPut)
    assert (again.changed, again.revision) == (False, 3)


def test_an_event_without_content_has_no_texts() -> None:
    agent = Agent()
    agent.do(CREATION)
    agent.do(DeleteConversation("c"))
    deleted = agent.events[-1].subject
    assert isinstance(deleted, Conversation)
    assert (deleted.title, deleted.tags, deleted.metadata_json, deleted.user_id) == ("", (), "", "ann")


def test_a_conversation_that_was_deleted_can_be_created_again() -> None:
    agent = Agent()
    append(agent, "a", "b")
    append(agent, "other", conversation_id="d")
    assert agent.do(DeleteConversation("c")) == ConversationDeleted(True, 2, 0, 0, 3)
    assert agent.do(DeleteConversation("c")) == ConversationDeleted(False, 0, 0, 0, 3)
    assert [each.content for each in agent.state.part(MESSAGE)] == ["other"]
    agent.do(AppendMessages("c", (message_draft("again"),), Precondition(must_not_exist=True)))
    assert {each.number for each in agent.state.part(MESSAGE).group("c").values()} == {1}


def with_all(agent: Agent) -> None:
    """Give the agent a conversation with plans and entities, and others that stay."""
    append(agent, "a")
    for plan_id, conversation_id in (("p1", "c"), ("p2", "c"), ("other", "d"), ("template", "")):
        agent.do(CreatePlan(PlanDraft(plan_id, conversation_id, "goal")))
    agent.do(AddEntities("c", (EntityDraft("page", "1", "Home"), EntityDraft("page", "2", "About"))))
    agent.do(AddEntities("d", (EntityDraft("page", "1", "Home"),)))
    agent.events.clear()


def test_plans_and_entities_stay_unless_they_are_included() -> None:
    agent = Agent()
    with_all(agent)
    assert agent.do(DeleteConversation("c")) == ConversationDeleted(True, 1, 0, 0, 8)
    assert (len(agent.state.part(PLAN)), len(agent.state.part(ENTITY_WINDOW))) == (4, 2)
    assert agent.do(DeleteConversation("c", include_entities=True)) == ConversationDeleted(False, 0, 0, 2, 9)
    assert agent.do(DeleteConversation("c", include_entities=True)) == ConversationDeleted(False, 0, 0, 0, 9)
    assert agent.do(DeleteConversation("c", include_plans=True)) == ConversationDeleted(False, 0, 2, 0, 10)


def test_a_conversation_is_deleted_with_its_plans_and_entities_as_one_change() -> None:
    agent = Agent()
    with_all(agent)
    done = agent.do(DeleteConversation("c", at(1), include_plans=True, include_entities=True))
    assert done == ConversationDeleted(True, 1, 2, 2, 8)
    assert {each.plan_id for each in agent.state.part(PLAN)} == {"other", "template"}
    assert {each.group for each in agent.state.part(ENTITY_WINDOW)} == {"d"}
    assert [(event.type.name, event.revision) for event in agent.events] == [
        ("CONVERSATION_DELETED", 8),
        ("PLAN_DELETED", 8),
        ("PLAN_DELETED", 8),
        ("ENTITY_WINDOW_DELETED", 8),
    ]


@pytest.mark.parametrize(
    ("late", "refusal"),
    [
        (UpdateConversation("new", ConversationText(title="x")), RecordNotFound),
        (UpdateConversation("c", ConversationText(title="x"), at(7)), RevisionMismatch),
        (UpdateConversation("c", ConversationText(title="x"), MUST_NOT_EXIST), RecordExists),
        (DeleteConversation("new", at(7)), RevisionMismatch),
        (DeleteConversation("c", at(7)), RevisionMismatch),
        (DeleteConversation("new", Precondition(must_exist=True), include_plans=True), RecordNotFound),
    ],
)
def test_a_change_whose_condition_does_not_hold_changes_nothing(late: object, refusal: type[Exception]) -> None:
    agent = Agent()
    agent.do(CREATION)
    agent.do(CreatePlan(PlanDraft("p", "new", "goal")))
    with pytest.raises(refusal) as refused:
        agent.do(late)  # type: ignore[arg-type]
    assert refused.value.metadata.get("record_id", "c") in ("c", "new")  # type: ignore[attr-defined]
    assert agent.state.revision == 2
