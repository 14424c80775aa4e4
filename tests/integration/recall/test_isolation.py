"""Nobody finds what another user, project or agent remembers, nor by its words."""

from collections.abc import Mapping

from tests.conversation import Conversation
from tests.integration.recall.remembering import Remembering

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.memory_pb2 import Provenance


def test_a_user_finds_nothing_of_another_one_whatever_is_asked(
    remembering: Remembering, conversations: Mapping[str, Conversation]
) -> None:
    for user_id, conversation in conversations.items():
        own = {turn.id for turn in conversation.turns}
        questions = [question for each in conversations.values() for question in each.questions]
        for question in questions:
            found = remembering.found(question.question, user_id, limit=100)
            assert own.issuperset(found), question.question


def test_without_a_user_the_memories_of_all_are_searched(remembering: Remembering) -> None:
    found = remembering.found("Postgres bakery", limit=20)
    assert {memory_id[0] for memory_id in found} == {"I", "T"}


def test_the_words_of_another_user_in_a_conversation_of_the_same_id_find_nothing(fresh: Remembering) -> None:
    conversation = Provenance(conversation_id="shared-name")
    fresh.told("What is the gate code?", user_id="ann", provenance=conversation)
    fresh.told("I forgot my umbrella.", user_id="bob", provenance=conversation)
    anns = fresh.told("Four seven one one.", user_id="ann", provenance=conversation)
    matches = {each.memory.content: each for each in fresh.asked("gate code", limit=20).memories}
    assert matches["Four seven one one."].memory.memory_id == anns
    assert set(matches["Four seven one one."].context_words) == {"gate", "code"}
    umbrella = matches.get("I forgot my umbrella.")
    assert umbrella is None or not (umbrella.word_score or umbrella.context_words or umbrella.matched_words)


def test_a_project_finds_nothing_of_another_one(fresh: Remembering) -> None:
    conversation = Provenance(conversation_id="standup")
    for project in ("apollo", "gemini"):
        fresh.told("What is blocked?", project_id=project, provenance=conversation)
        fresh.told(f"The valve of {project}.", project_id=project, provenance=conversation)
    query = pb.RecallMemoriesRequest(
        agent_id=fresh.id, query="blocked valve apollo", filter=pb.MemoryFilter(project_id="gemini"), limit=20
    )
    matches = fresh.stub.RecallMemories(query).memories
    assert {each.memory.project_id for each in matches} == {"gemini"}
    assert all("apollo" not in (*each.matched_words, *each.context_words) for each in matches)


def test_an_agent_finds_nothing_of_another_one(remembering: Remembering, fresh: Remembering) -> None:
    assert not fresh.found("Where is staging?")
    fresh.told("Staging is a tent in the yard.")
    answer = fresh.asked("Where is staging?", limit=100)
    assert [each.memory.content for each in answer.memories] == ["Staging is a tent in the yard."]
    assert answer.total_matches == 1


def test_a_conversation_can_be_searched_alone(remembering: Remembering) -> None:
    query = pb.MemoryFilter(user_id="tomas", conversation_id="session-3")
    request = pb.RecallMemoriesRequest(agent_id=remembering.id, query="hotel eggs price", filter=query, limit=100)
    found = [each.memory for each in remembering.stub.RecallMemories(request).memories]
    assert found
    assert {(each.user_id, each.provenance.conversation_id) for each in found} == {("tomas", "session-3")}
