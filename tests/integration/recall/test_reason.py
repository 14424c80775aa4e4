"""Each recalled memory has the reasons of its match: as fields, and as a line for people."""

from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp
from tests.integration.recall.remembering import Remembering

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_pb2


def _match(recalled: pb.RecallMemoriesResponse, memory_id: str) -> pb.ScoredMemory:
    return next(each for each in recalled.memories if each.memory.memory_id == memory_id)


def test_a_match_names_the_words_of_the_query_that_it_has(remembering: Remembering) -> None:
    match = remembering.recall("Who wants semicolons in the CSV?", "ines").memories[0]
    assert match.memory.memory_id == "I4:7"
    assert {"semicolons", "csv"} <= {word.lower() for word in match.matched_words}
    assert match.lexical_score > 0
    assert "semicolons" in match.match_reason


def test_a_reply_is_found_by_the_words_of_the_question_before_it(remembering: Remembering) -> None:
    match = _match(remembering.recall("What line length did we choose?", "ines", limit=20), "I3:3")
    assert match.memory.content == "Ines: A hundred and twenty."
    assert {"line", "length"} <= set(match.context_words)
    assert not {"line", "length"} & set(match.matched_words)
    assert "line" in match.match_reason


def test_a_memory_is_found_by_its_meaning_without_a_common_word(remembering: Remembering) -> None:
    recalled = remembering.recall("vacation", "ines", limit=5)
    match = _match(recalled, "I4:10")
    assert recalled.semantic_used
    assert match.semantic_score > 0
    assert not match.matched_words
    assert "meaning" in match.match_reason


def test_a_time_in_the_query_prefers_memories_of_that_time_and_is_named(fresh: Remembering) -> None:
    contents = "We painted the fence.", "We painted the fence again."
    days = "2024-03-05T10:00:00Z", "2024-05-07T10:00:00Z"
    march, may = (
        fresh.remember(content, occur_time=Timestamp(seconds=int(datetime.fromisoformat(day).timestamp())))
        for content, day in zip(contents, days, strict=True)
    )
    for phrase, first, second in (("in March 2024", march, may), ("in May 2024", may, march)):
        recalled = fresh.recall(f"What did we paint {phrase}?")
        assert [each.memory.memory_id for each in recalled.memories] == [first, second]
        named, other = (each.time_phrase for each in recalled.memories)
        assert named.lower() in phrase.lower()
        assert named.lower().endswith("2024")
        assert named in recalled.memories[0].match_reason
        assert not other


def test_a_linked_memory_is_found_through_its_link_unless_links_are_skipped(fresh: Remembering) -> None:
    deploy = fresh.remember("The deployment uses blue and green stacks.")
    rota = fresh.remember("Ask Yusuf on Thursdays.")
    for number in range(20):
        fresh.remember(f"Lunch number {number} was soup.")
    request = pb.LinkMemoriesRequest(
        agent_id=fresh.id,
        from_memory_id=rota,
        to_memory_id=deploy,
        type=memory_pb2.MEMORY_LINK_TYPE_RELATED,
        strength=1.0,
    )
    fresh.stub.LinkMemories(request)
    match = _match(fresh.recall("green deployment stacks"), rota)
    assert match.linked_from_memory_id == deploy
    assert deploy in match.match_reason
    without = fresh.recall("green deployment stacks", include_linked=False)
    assert not any(each.linked_from_memory_id for each in without.memories)


def test_scores_are_between_0_and_1_and_in_descending_order(remembering: Remembering) -> None:
    recalled = remembering.recall("What does the hotel pay for a pastry in the morning?", limit=100)
    scores = [each.score for each in recalled.memories]
    assert len(scores) > 1
    assert scores == sorted(scores, reverse=True)
    for match in recalled.memories:
        for share in (match.score, match.lexical_score, match.semantic_score):
            assert 0 <= share <= 1


def test_the_same_question_recalls_the_same_memories_for_the_same_reasons(remembering: Remembering) -> None:
    first, second = (remembering.recall("Who drives the van?", limit=5) for _ in range(2))
    assert [(each.memory.memory_id, each.match_reason) for each in first.memories] == [
        (each.memory.memory_id, each.match_reason) for each in second.memories
    ]
    assert first.match_count == second.match_count


def test_min_score_excludes_memories_with_a_lower_score(remembering: Remembering) -> None:
    scores = [each.score for each in remembering.recall("green and yellow key", "tomas", limit=20).memories]
    assert scores[0] > scores[-1]
    kept = remembering.recall("green and yellow key", "tomas", limit=20, min_score=scores[0] - 1e-3)
    assert 0 < len(kept.memories) < len(scores)
    assert all(each.score >= scores[0] - 1e-3 for each in kept.memories)


def test_a_memory_is_found_by_words_in_the_very_next_recall(fresh: Remembering) -> None:
    for number in range(20):
        memory_id = fresh.remember(f"The password hint of vault {number} is heliotrope{number}.")
        assert fresh.found(f"heliotrope{number}")[0] == memory_id
