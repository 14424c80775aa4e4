from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.context_composition import (
    MESSAGE_TOKENS,
    MessageSection,
    Outcome,
    Piece,
    Section,
    SpokenPiece,
    TextSection,
    compose,
    message_tokens,
)
from memoryd_server.domain.conversation import MessageRole


def words(text: str) -> int:
    return len(text.split())


def text_section(name: str, *texts: str, tokens_max: int = 1_000, priority: int = 0, ranks: str = "") -> TextSection:
    order = [int(rank) for rank in ranks] or range(len(texts))
    pieces = tuple(
        Piece("note", f"{name}{index}", text, rank) for index, (text, rank) in enumerate(zip(texts, order, strict=True))
    )
    return TextSection(name, pieces, tokens_max, priority)


def message_section(*said: tuple[MessageRole, str], tokens_max: int = 1_000, priority: int = 0) -> MessageSection:
    pieces = tuple(
        SpokenPiece(Piece("message", str(number), text), role) for number, (role, text) in enumerate(said, 1)
    )
    return MessageSection("talk", pieces, tokens_max, priority)


USER, ASSISTANT, TOOL = MessageRole.USER, MessageRole.ASSISTANT, MessageRole.TOOL


def test_sections_are_told_in_their_order_whatever_their_priority() -> None:
    composed = compose([text_section("a", "one "), text_section("b", "two ", priority=9)], 100, words)
    assert [(each.section, each.content) for each in composed.messages] == [("a", "one "), ("b", "two ")]
    assert composed.tokens == 2 * (MESSAGE_TOKENS + 1)


def test_what_matters_more_is_taken_first_and_told_in_its_place() -> None:
    section = text_section("a", "first ", "second one ", "third ", ranks="210", tokens_max=MESSAGE_TOKENS + 3)
    composed = compose([section], 100, words)
    assert [each.content for each in composed.messages] == ["second one third "]
    assert [(item.record_id, item.outcome) for item in composed.manifest] == [
        ("a0", Outcome.OVER_SECTION_BUDGET),
        ("a1", Outcome.INCLUDED),
        ("a2", Outcome.INCLUDED),
    ]


def test_a_smaller_piece_takes_the_room_that_a_larger_one_does_not_fit_into() -> None:
    composed = compose([text_section("a", "much too long ", "short ", tokens_max=MESSAGE_TOKENS + 1)], 100, words)
    assert [each.content for each in composed.messages] == ["short "]


def test_header_and_footer_are_told_only_around_something_and_count() -> None:
    section = TextSection("a", (Piece("note", "n", "text "),), MESSAGE_TOKENS + 3, header="[A] ", footer="[END]")
    composed = compose([section], 100, words)
    assert (composed.messages[0].content, composed.tokens) == ("[A] text [END]", MESSAGE_TOKENS + 3)
    assert compose([section], MESSAGE_TOKENS + 2, words).messages == ()
    assert compose([TextSection("a", (), 100, header="[A] ", footer="[END]")], 100, words).messages == ()


def test_the_budget_that_one_leaves_goes_to_the_next_by_priority() -> None:
    low = text_section("low", "a b c d e f ", tokens_max=MESSAGE_TOKENS)
    high = text_section("high", "one ", tokens_max=MESSAGE_TOKENS + 8, priority=1)
    composed = compose([low, high], 100, words)
    assert [each.section for each in composed.messages] == ["low", "high"]
    assert composed.usages[0].tokens_max == MESSAGE_TOKENS + 7
    assert [each.section for each in compose([low], 100, words).messages] == []


def test_what_the_whole_has_no_room_for_is_said_so() -> None:
    sections = [text_section("a", "one two ", priority=1), text_section("b", "three ")]
    composed = compose(sections, 2 * MESSAGE_TOKENS + 2, words)
    assert [each.section for each in composed.messages] == ["a"]
    assert composed.manifest[1].outcome is Outcome.OVER_TOTAL_BUDGET
    assert (composed.usages[1].included, composed.usages[1].left_out) == (0, 1)


def test_of_a_conversation_the_newest_messages_are_told_without_a_gap() -> None:
    section = message_section((USER, "old"), (USER, "a b c d e f g h i"), (ASSISTANT, "new"), tokens_max=12)
    composed = compose([section], 100, words)
    assert [each.content for each in composed.messages] == ["new"]
    assert [item.outcome for item in composed.manifest] == [*[Outcome.OVER_SECTION_BUDGET] * 2, Outcome.INCLUDED]


def test_a_tools_answer_is_not_told_without_its_call() -> None:
    section = message_section((ASSISTANT, "call it now"), (TOOL, "answer"), (TOOL, "more"), (USER, "thanks"))
    composed = compose([section], 3 * MESSAGE_TOKENS + 3, words)
    assert [each.content for each in composed.messages] == ["thanks"]
    assert composed.tokens == MESSAGE_TOKENS + 1


def crowded(text: str) -> int:
    """Counts more where texts meet, as some tokenizers do."""
    return len(text.split()) + text.count(". ")


TEXTS = st.lists(st.sampled_from(["one ", "two words ", "end. ", "", "a b c d e f "]), max_size=5)
BUDGETS = st.integers(0, 40)


@st.composite
def sections(draw: st.DrawFn) -> list[Section]:
    drawn: list[Section] = []
    for index in range(draw(st.integers(0, 4))):
        texts, budget, priority = draw(TEXTS), draw(BUDGETS), draw(st.integers(-2, 2))
        if draw(st.booleans()):
            drawn.append(text_section(f"s{index}", *texts, tokens_max=budget, priority=priority))
        else:
            roles = st.sampled_from(list(MessageRole))
            said = [(draw(roles), text) for text in texts]
            drawn.append(message_section(*said, tokens_max=budget, priority=priority))
    return drawn


@given(sections(), BUDGETS, st.sampled_from([words, crowded, len]))
def test_it_never_takes_more_than_there_is_and_says_what_became_of_each(drawn, budget, count) -> None:  # type: ignore[no-untyped-def]
    composed = compose(drawn, budget, count)
    assert composed.tokens == sum(message_tokens(each, count) for each in composed.messages) <= budget
    assert composed.tokens == sum(usage.tokens for usage in composed.usages)
    assert len(composed.usages) == len(drawn)
    sizes = [len(each.pieces if isinstance(each, TextSection) else each.messages) for each in drawn]
    assert [usage.included + usage.left_out for usage in composed.usages] == sizes
    assert len(composed.manifest) == sum(sizes)
    assert composed == compose(drawn, budget, count)
