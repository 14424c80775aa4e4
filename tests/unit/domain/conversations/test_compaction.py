import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.domain.sample import message

from memoryd_server.domain.conversations.compaction import (
    CompactionStrategy,
    DropOldest,
    ExtractToNotes,
    KeepImportant,
    Summarize,
    surplus,
)
from memoryd_server.domain.conversations.conversation import ConversationMessage
from memoryd_server.domain.values.message import MessageRole, ToolCall, ToolResult

TURNS = {"u": MessageRole.USER, "a": MessageRole.ASSISTANT, "t": MessageRole.TOOL, "s": MessageRole.SYSTEM}
STRATEGIES = st.sampled_from([DropOldest(), KeepImportant(), ExtractToNotes(), Summarize()])
OLDEST = DropOldest()
IMPORTANT = KeepImportant()


def said(roles: str) -> list[ConversationMessage]:
    """Return messages of one token, one for each letter."""
    return [message(number, role=TURNS[letter]) for number, letter in enumerate(roles, 1)]


def numbers(messages: Sequence[ConversationMessage]) -> list[int]:
    return [each.number for each in messages]


def left(messages: Sequence[ConversationMessage], gone: Sequence[ConversationMessage]) -> list[ConversationMessage]:
    return [each for each in messages if each not in gone]


@st.composite
def conversations(draw: st.DrawFn) -> list[ConversationMessage]:
    """Draw conversations with gaps, as earlier compactions leave them."""
    importances = st.sampled_from([0.0, 0.5, 1.0])
    drawn = draw(st.lists(st.tuples(st.sampled_from(MessageRole), st.integers(0, 9), importances), max_size=30))
    number, messages = 0, []
    for role, tokens, importance in drawn:
        number += draw(st.integers(1, 3))
        messages.append(message(number, "x", role, importance, tokens))
    return messages


def tokens(messages: Sequence[ConversationMessage]) -> int:
    return sum(each.token_count for each in messages)


@given(conversations(), st.integers(1, 100), st.integers(0, 40), STRATEGIES)
def test_what_stays_fits_or_is_protected(
    messages: list[ConversationMessage], tokens_max: int, keep_last: int, strategy: CompactionStrategy
) -> None:
    gone = surplus(messages, tokens_max, keep_last, strategy)
    stays = left(messages, gone)
    assert numbers(gone) == sorted(numbers(gone))
    assert set(numbers(gone)) <= set(numbers(messages))
    kept_from = max(len(messages) - keep_last, 0)
    assert set(numbers(messages[kept_from:])) <= set(numbers(stays))
    if tokens(stays) > tokens_max:
        # Only protected messages stay, and the message that begins the turn which a protected one belongs to.
        first = next(i for i, each in enumerate(messages) if each.number == stays[0].number)
        assert numbers(stays) == numbers(messages[first:])
        assert first <= kept_from < len(messages)
        assert all(each.role is MessageRole.TOOL for each in messages[first + 1 : kept_from + 1])


@given(conversations(), st.integers(0, 40), STRATEGIES)
def test_nothing_goes_when_all_fits(
    messages: list[ConversationMessage], keep_last: int, strategy: CompactionStrategy
) -> None:
    assert surplus(messages, max(tokens(messages), 1), keep_last, strategy) == []


@given(conversations(), st.integers(1, 100), st.integers(0, 40), STRATEGIES)
def test_an_answer_of_a_tool_never_stays_without_what_it_answers(
    messages: list[ConversationMessage], tokens_max: int, keep_last: int, strategy: CompactionStrategy
) -> None:
    gone = set(numbers(surplus(messages, tokens_max, keep_last, strategy)))
    for before, each in itertools.pairwise(messages):
        if each.role is MessageRole.TOOL:
            assert (each.number in gone) == (before.number in gone)


@given(conversations(), st.integers(1, 100), st.integers(0, 40))
def test_the_oldest_go_without_a_gap_and_no_more_than_needed(
    messages: list[ConversationMessage], tokens_max: int, keep_last: int
) -> None:
    gone = surplus(messages, tokens_max, keep_last, OLDEST)
    assert gone == messages[: len(gone)]
    if gone:
        turn = next(i for i in range(len(gone) - 1, -1, -1) if i == 0 or gone[i].role is not MessageRole.TOOL)
        assert tokens(messages[turn:]) > tokens_max


@given(conversations(), st.integers(1, 100))
def test_no_message_stays_that_matters_less_than_one_that_goes(
    messages: list[ConversationMessage], tokens_max: int
) -> None:
    alone = [each for each in messages if each.role is not MessageRole.TOOL]
    gone = surplus(alone, tokens_max, 0, IMPORTANT)
    stays = left(alone, gone)
    assert all((each.importance, each.number) <= (kept.importance, kept.number) for each in gone for kept in stays)


def test_a_turn_of_tools_goes_together() -> None:
    messages = said("uattua")
    assert numbers(surplus(messages, 5, 0, OLDEST)) == [1]
    assert numbers(surplus(messages, 4, 0, OLDEST)) == [1, 2, 3, 4]
    assert numbers(surplus(messages, 1, 4, OLDEST)) == [1]
    assert numbers(surplus(messages, 1, 3, OLDEST)) == [1]
    assert numbers(surplus(messages, 1, 2, OLDEST)) == [1, 2, 3, 4]
    assert numbers(surplus(messages, 1, 7, OLDEST)) == []


def test_a_turn_matters_as_much_as_the_most_important_of_its_messages() -> None:
    messages = [
        message(1, role=MessageRole.ASSISTANT, importance=0.0),
        message(2, role=MessageRole.TOOL, importance=0.9),
        message(3, importance=0.5),
        message(4, importance=0.1),
    ]
    assert numbers(surplus(messages, 3, 0, IMPORTANT)) == [4]
    assert numbers(surplus(messages, 2, 0, IMPORTANT)) == [3, 4]
    assert numbers(surplus(messages, 2, 1, IMPORTANT)) == [1, 2, 3]


def test_answers_that_answer_nothing_go_like_a_message() -> None:
    assert numbers(surplus(said("ttu"), 2, 0, OLDEST)) == [1, 2]


def test_results_of_tools_in_a_message_of_the_user_go_with_the_calls() -> None:
    call, result = ToolCall("t1", "find", "{}"), ToolResult("t1", "find", "here")
    messages = [
        message(1, "", MessageRole.ASSISTANT, parts=(call,)),
        message(2, "", MessageRole.USER, parts=(result,)),
        message(3),
    ]
    assert numbers(surplus(messages, 2, 0, OLDEST)) == [1, 2]


def test_messages_of_the_minimum_importance_are_never_removed() -> None:
    messages = [message(1, importance=0.8), message(2, importance=0.1), message(3, importance=0.7)]
    assert numbers(surplus(messages, 1, 0, KeepImportant(0.8))) == [2, 3]
    assert numbers(surplus(messages, 1, 0, KeepImportant(0.0))) == []
