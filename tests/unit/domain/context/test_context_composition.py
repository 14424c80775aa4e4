from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.context.context_composition import compose
from memoryd_server.domain.context.context_section import Cut, MessageSection, Piece, Section, SpokenPiece, TextSection
from memoryd_server.domain.context.filled_section import MESSAGE_TOKENS, Outcome, message_tokens
from memoryd_server.domain.values.message import FilePart, MessageRole, TextPart, ToolCall, ToolResult


def words(text: str) -> int:
    return len(text.split())


def text_section(name: str, *texts: str, tokens_max: int = 1_000, priority: int = 0, ranks: str = "") -> TextSection:
    order = [int(rank) for rank in ranks] or range(len(texts))
    pieces = tuple(
        Piece("note", (f"{name}{index}",), text, rank)
        for index, (text, rank) in enumerate(zip(texts, order, strict=True))
    )
    return TextSection(name, pieces, tokens_max, priority)


def message_section(*said: tuple[MessageRole, str], tokens_max: int = 1_000, priority: int = 0) -> MessageSection:
    pieces = tuple(
        SpokenPiece(Piece("message", ("c", str(number)), text), role) for number, (role, text) in enumerate(said, 1)
    )
    return MessageSection("talk", pieces, tokens_max, priority)


USER, ASSISTANT, TOOL = MessageRole.USER, MessageRole.ASSISTANT, MessageRole.TOOL


def test_sections_are_rendered_in_their_order_whatever_their_priority() -> None:
    composed = compose([text_section("a", "one "), text_section("b", "two ", priority=9)], 100, words)
    assert [(each.section, each.content) for each in composed.messages] == [("a", "one "), ("b", "two ")]
    assert composed.tokens == 2 * (MESSAGE_TOKENS + 1)


def test_pieces_of_lower_rank_are_taken_first_and_rendered_in_their_place() -> None:
    section = text_section("a", "first ", "second one ", "third ", ranks="210", tokens_max=MESSAGE_TOKENS + 3)
    composed = compose([section], 100, words)
    assert [each.content for each in composed.messages] == ["second one third "]
    assert [(*item.ids, item.outcome) for item in composed.manifest] == [
        ("a0", Outcome.OVER_SECTION_BUDGET),
        ("a1", Outcome.INCLUDED),
        ("a2", Outcome.INCLUDED),
    ]


def test_a_smaller_piece_takes_the_room_that_a_larger_one_does_not_fit_into() -> None:
    composed = compose([text_section("a", "much too long ", "short ", tokens_max=MESSAGE_TOKENS + 1)], 100, words)
    assert [each.content for each in composed.messages] == ["short "]


def test_header_and_footer_are_rendered_only_around_something_and_count() -> None:
    section = TextSection("a", (Piece("note", ("n",), "text "),), MESSAGE_TOKENS + 3, header="[A] ", footer="[END]")
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


def test_of_a_conversation_the_newest_messages_are_included_without_a_gap() -> None:
    section = message_section((USER, "old"), (USER, "a b c d e f g h i"), (ASSISTANT, "new"), tokens_max=12)
    composed = compose([section], 100, words)
    assert [each.content for each in composed.messages] == ["new"]
    assert [item.outcome for item in composed.manifest] == [*[Outcome.OVER_SECTION_BUDGET] * 2, Outcome.INCLUDED]


def test_a_tool_result_is_never_included_without_its_call() -> None:
    section = message_section((ASSISTANT, "call it now"), (TOOL, "answer"), (TOOL, "more"), (USER, "thanks"))
    composed = compose([section], 3 * MESSAGE_TOKENS + 3, words)
    assert [each.content for each in composed.messages] == ["thanks"]
    assert composed.tokens == MESSAGE_TOKENS + 1


def test_what_a_message_says_beside_its_content_counts() -> None:
    spoken = SpokenPiece(Piece("message", ("c", "1"), "a b"), TOOL, (), "the clock", '{"x": 1}')
    alone = MessageSection("talk", (SpokenPiece(Piece("message", ("c", "0"), "now"), USER), spoken), 100)
    composed = compose([alone], 100, words)
    assert composed.manifest[1].tokens == MESSAGE_TOKENS + 2 + 2 + 2


def test_all_texts_of_the_parts_of_a_message_count() -> None:
    parts = (TextPart("a b"), ToolCall("one id", "find it", "{ }"), FilePart("u", name="a name"))
    section = MessageSection("talk", (SpokenPiece(Piece("message", ("c", "1"), ""), ASSISTANT, parts),), 100)
    composed = compose([section], 100, words)
    assert composed.tokens == composed.manifest[0].tokens == MESSAGE_TOKENS + 2 + 6 + 3
    assert (composed.messages[0].content, composed.messages[0].parts) == ("", parts)


def test_a_tool_result_among_parts_needs_the_message_before_it() -> None:
    result = SpokenPiece(Piece("message", ("c", "2"), ""), USER, (ToolResult("t", "", "found"),))
    call = SpokenPiece(Piece("message", ("c", "1"), ""), ASSISTANT, (ToolCall("t", "find"),))
    section = MessageSection("talk", (call, result), 2 * MESSAGE_TOKENS + 4)
    assert len(compose([section], 100, words).messages) == 2
    assert compose([section], 2 * MESSAGE_TOKENS + 3, words).messages == ()


def test_a_heading_is_rendered_once_before_its_pieces_and_counts() -> None:
    pieces = tuple(
        Piece("entity", (name,), f"{name} ", rank, heading)
        for name, rank, heading in (("a", 2, "[x] "), ("b", 0, "[x] "), ("c", 1, "[y] "))
    )
    section = TextSection("s", pieces, 100)
    assert compose([section], MESSAGE_TOKENS + 5, words).messages[0].content == "[x] a b [y] c "
    assert compose([section], MESSAGE_TOKENS + 4, words).messages[0].content == "[x] b [y] c "
    assert compose([section], MESSAGE_TOKENS + 3, words).messages[0].content == "[x] a b "


def test_where_no_gaps_are_filled_nothing_is_taken_after_what_does_not_fit() -> None:
    pieces = tuple(
        Piece("document_chunk", (str(rank),), text, rank) for rank, text in enumerate(("one ", "a b c ", "two "))
    )
    section = TextSection("s", pieces, MESSAGE_TOKENS + 2, fills_gaps=False)
    assert compose([section], 100, words).messages[0].content == "one "


def test_what_is_skipped_is_counted_as_left_out() -> None:
    section = TextSection("s", (Piece("note", ("n",), "text "),), 100, skipped_count=3)
    usage = compose([section], 100, words).usages[0]
    assert (usage.included, usage.left_out) == (1, 3)


def summed_up(*said: str, tokens_max: int) -> MessageSection:
    spoken = tuple(SpokenPiece(Piece("message", ("c", str(number)), text), USER) for number, text in enumerate(said, 1))
    summary = SpokenPiece(Piece("summary", ("talk",), "in short"), MessageRole.SYSTEM)
    return MessageSection("talk", spoken, tokens_max, summary=summary)


def test_a_summary_is_rendered_before_the_messages_that_fit() -> None:
    composed = compose([summed_up("one", "two", tokens_max=2 * MESSAGE_TOKENS + 4)], 100, words)
    assert [(each.role, each.content) for each in composed.messages] == [
        (MessageRole.SYSTEM, "in short"),
        (USER, "two"),
    ]
    assert [(item.kind, item.outcome) for item in composed.manifest] == [
        ("summary", Outcome.INCLUDED),
        ("message", Outcome.OVER_SECTION_BUDGET),
        ("message", Outcome.INCLUDED),
    ]


def test_a_summary_does_not_push_out_more_than_half_of_the_messages() -> None:
    composed = compose([summed_up("one", "two", tokens_max=2 * MESSAGE_TOKENS + 3)], 100, words)
    assert [each.content for each in composed.messages] == ["one", "two"]
    assert composed.manifest[0].outcome is Outcome.OVER_SECTION_BUDGET


def test_what_has_many_more_tokens_together_than_apart_is_counted_again_a_few_times_only() -> None:
    counted: list[str] = []

    def meeting(text: str) -> int:
        counted.append(text)
        return len(text.split()) + text.count(". x")

    section = text_section("a", *["x. "] * 500, tokens_max=MESSAGE_TOKENS + 500)
    composed = compose([section], 1_000, meeting)
    assert MESSAGE_TOKENS + 400 < composed.tokens <= MESSAGE_TOKENS + 500
    assert sum(len(text) > 3 for text in counted) < 12


def test_a_last_piece_is_cut_and_nothing_follows_it_where_the_section_says_so() -> None:
    texts = ("one two ", "word " * 50, "three ")
    pieces = tuple(Piece("document_chunk", (str(rank),), text, rank) for rank, text in enumerate(texts))
    section = TextSection("s", pieces, MESSAGE_TOKENS + 20, fills_gaps=False, cut=Cut.LAST)
    composed = compose([section], 100, words)
    assert composed.messages[0].content == "one two " + "word " * 16 + "… (truncated)"
    assert [item.outcome for item in composed.manifest] == [
        Outcome.INCLUDED,
        Outcome.TRUNCATED,
        Outcome.OVER_SECTION_BUDGET,
    ]
    assert (composed.manifest[1].tokens, composed.usages[0].included, composed.usages[0].left_out) == (18, 2, 1)


def test_the_best_piece_is_cut_only_if_none_fits_as_a_whole() -> None:
    section = TextSection(
        "s",
        (Piece("memory", ("a",), "word " * 50 + "\n"), Piece("memory", ("b",), "b " * 30 + "\n", 1)),
        24,
        cut=Cut.ALONE,
    )
    assert compose([section], 100, words).messages[0].content == "word " * 17 + "… (truncated)\n"
    small = msgspec.structs.replace(section, pieces=(*section.pieces, Piece("memory", ("c",), "small\n", 2)))
    assert compose([small], 100, words).messages[0].content == "small\n"
    assert compose([msgspec.structs.replace(section, tokens_max=8)], 100, words).messages == ()


def test_what_is_cut_cannot_close_its_frame() -> None:
    text = "[END_NOTES] " + "word " * 50
    section = TextSection("s", (Piece("memory", ("a",), text),), 30, header="[NOTES] ", cut=Cut.ALONE)
    assert compose([section], 100, words).messages[0].content.startswith("[NOTES] (END_NOTES) word")


def test_a_text_of_the_caller_is_rendered_as_it_is_and_cut() -> None:
    section = TextSection("s", (Piece("text", (), "[END_NOTES]\r\nHello"),), 100, is_own=True, cut=Cut.LAST)
    composed = compose([section, msgspec.structs.replace(section, name="t")], 100, words)
    assert [each.content for each in composed.messages] == ["[END_NOTES]\r\nHello"] * 2
    long = msgspec.structs.replace(section, pieces=(Piece("text", (), "word " * 50),), tokens_max=20)
    assert compose([long], 100, words).manifest[0].outcome is Outcome.TRUNCATED


def test_the_newest_message_is_cut_if_none_fits() -> None:
    section = message_section((USER, "old"), (USER, "word " * 50), tokens_max=MESSAGE_TOKENS + 20)
    composed = compose([section], 100, words)
    assert [each.content for each in composed.messages] == [("word " * 18).strip() + " … (truncated)"]
    assert [item.outcome for item in composed.manifest] == [Outcome.OVER_SECTION_BUDGET, Outcome.TRUNCATED]
    for role, parts in ((TOOL, ()), (USER, (TextPart("word " * 50),))):
        spoken = SpokenPiece(Piece("message", ("c", "1"), "" if parts else "word " * 50), role, parts)
        assert compose([MessageSection("talk", (spoken,), 24)], 100, words).messages == ()


def test_strict_budgets_leave_what_is_unused_unused() -> None:
    sections = [text_section("a", "one ", tokens_max=50, priority=1), text_section("b", "a b c d ", tokens_max=5)]
    assert len(compose(sections, 100, words).messages) == 2
    composed = compose(sections, 100, words, is_strict=True)
    assert [each.section for each in composed.messages] == ["a"]
    assert composed.usages[1].tokens_max == 5


def test_a_record_that_two_sections_have_is_rendered_by_the_one_that_is_filled_first() -> None:
    first, second = text_section("a", "one ", "two "), text_section("a", "one ", "two ", priority=1)
    composed = compose([first, msgspec.structs.replace(second, name="b")], 100, words)
    assert [(each.section, each.content) for each in composed.messages] == [("b", "one two ")]
    assert [item.outcome for item in composed.manifest] == [Outcome.DUPLICATE] * 2 + [Outcome.INCLUDED] * 2
    assert composed.usages[0].left_out == 2
    of_another = msgspec.structs.replace(second, name="b", owner="another agent")
    assert len(compose([first, of_another], 100, words).messages) == 2
    talk = message_section((USER, "hello"), (USER, "there"))
    twice = compose([talk, msgspec.structs.replace(talk, name="again")], 100, words)
    assert [each.section for each in twice.messages] == ["talk", "talk"]


def memory_of(number: int, text: str, **fields: Any) -> TextSection:
    piece = Piece("memory", ("m",), text, origins=(("message", "c", str(number)),))
    return TextSection("memories", (piece,), 1_000, **fields)


@pytest.mark.parametrize("priority", [-1, 1])
def test_a_memory_is_left_out_beside_the_message_that_it_was_made_of(priority: int) -> None:
    talk = message_section((USER, "I moved"), (USER, "hello"))
    composed = compose([memory_of(1, "moved ", priority=priority), talk], 100, words)
    assert [each.content for each in composed.messages] == ["I moved", "hello"]
    assert composed.manifest[0].outcome is Outcome.DUPLICATE
    of_none = compose([memory_of(9, "moved ", priority=priority), talk], 100, words)
    assert len(of_none.messages) == 3


def test_a_memory_stays_if_its_message_is_not_rendered_in_full() -> None:
    talk = message_section((USER, "word " * 50), tokens_max=30)
    composed = compose([memory_of(1, "moved "), talk], 100, words, is_strict=True)
    assert [item.outcome for item in composed.manifest] == [Outcome.INCLUDED, Outcome.TRUNCATED]


def test_a_memory_stays_if_its_message_would_lose_its_room_to_what_replaces_the_memory() -> None:
    pieces = (
        Piece("memory", ("m",), "a b ", 0, origins=(("message", "c", "1"),)),
        Piece("memory", ("n",), "one two three four ", 1),
    )
    memories = TextSection("memories", pieces, MESSAGE_TOKENS + 4, priority=1)
    talk = message_section((USER, "five six"), tokens_max=MESSAGE_TOKENS)
    composed = compose([memories, talk], 2 * MESSAGE_TOKENS + 4, words)
    assert [each.content for each in composed.messages] == ["a b ", "five six"]


def crowded(text: str) -> int:
    """Return more tokens for joined texts than for the single ones, as some tokenizers do."""
    return len(text.split()) + text.count(". ")


TEXTS = st.lists(st.sampled_from(["one ", "two words ", "end. ", "", "a b c d e f "]), max_size=5)
BUDGETS = st.integers(0, 40)


@st.composite
def sections(draw: st.DrawFn) -> list[Section]:
    drawn: list[Section] = []
    for index in range(draw(st.integers(0, 4))):
        texts, budget, priority = draw(TEXTS), draw(BUDGETS), draw(st.integers(-2, 2))
        if draw(st.booleans()):
            headings = draw(st.lists(st.sampled_from(["", "[x] ", "[y]. "]), min_size=5, max_size=5))
            pieces = tuple(
                Piece("note", (str(place),), text, draw(st.integers(0, 5)), heading)
                for place, (text, heading) in enumerate(zip(texts, headings, strict=False))
            )
            cut = draw(st.sampled_from(Cut))
            section = TextSection(f"s{index}", pieces, budget, priority, fills_gaps=draw(st.booleans()), cut=cut)
            drawn.append(section)
        else:
            roles = st.sampled_from(list(MessageRole))
            said = [(draw(roles), text) for text in texts]
            talk = message_section(*said, tokens_max=budget, priority=priority)
            summary = (
                SpokenPiece(Piece("summary", ("talk",), "in short"), MessageRole.SYSTEM)
                if draw(st.booleans())
                else None
            )
            drawn.append(msgspec.structs.replace(talk, summary=summary))
    return drawn


@given(sections(), BUDGETS, st.sampled_from([words, crowded, len]), st.booleans())
def test_it_never_takes_more_than_there_is_and_says_what_became_of_each(drawn, budget, count, is_strict) -> None:  # type: ignore[no-untyped-def]
    composed = compose(drawn, budget, count, is_strict=is_strict)
    assert composed.tokens == sum(message_tokens(each, count) for each in composed.messages) <= budget
    assert composed.tokens == sum(usage.tokens for usage in composed.usages)
    assert len(composed.usages) == len(drawn)
    sizes = [
        len(each.pieces) if isinstance(each, TextSection) else len(each.messages) + (each.summary is not None)
        for each in drawn
    ]
    assert [usage.included + usage.left_out for usage in composed.usages] == sizes
    assert len(composed.manifest) == sum(sizes)
    assert composed == compose(drawn, budget, count, is_strict=is_strict)
