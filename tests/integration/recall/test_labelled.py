"""Questions about work and life, each of which one turn answers, by a daemon with default settings."""

from collections.abc import Iterator, Mapping

from tests.conversation import Conversation
from tests.integration.recall.remembering import Remembering

QUESTIONS = 44
FIRST_MIN = 26
AMONG_FIVE_MIN = 40


def test_most_questions_find_the_right_memory_first_and_nearly_all_among_five(
    remembering: Remembering, conversations: Mapping[str, Conversation]
) -> None:
    asked = list(_asked(remembering, conversations))
    ranks = [rank for rank, _ in asked]
    table = "\n".join(["", "rank question", *(f"{rank or '-':>4} {question}" for rank, question in asked)])
    assert len(asked) == QUESTIONS
    assert ranks.count(1) >= FIRST_MIN, table
    assert sum(1 <= rank <= 5 for rank in ranks) >= AMONG_FIVE_MIN, table


def _asked(remembering: Remembering, conversations: Mapping[str, Conversation]) -> Iterator[tuple[int, str]]:
    """Yield each question with the rank of the first right memory, 0 if none was found."""
    for user_id, conversation in conversations.items():
        for question in conversation.questions:
            found = remembering.found(question.question, user_id, limit=20)
            ranks = [rank for rank, memory_id in enumerate(found, 1) if memory_id in question.evidence]
            yield min(ranks, default=0), f"{user_id}, {question.category}: {question.question}"
