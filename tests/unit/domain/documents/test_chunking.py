import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.documents.chunking import (
    CHUNK_LETTERS_MAX,
    CHUNK_TOKENS_MAX,
    OVERLAP_TOKENS_MAX,
    Chunk,
    chunks_of,
)
from memoryd_server.domain.values.token_estimate import estimated_tokens

SENTENCE = "The fox lives in Lisbon, and writes home. "
"""A sentence of ten tokens."""

TEXTS = st.one_of(
    st.text(max_size=3_000),
    st.text(alphabet="ab1 \t\r\n\f.#`~👍北。!\"'", max_size=3_000),
    st.lists(
        st.tuples(st.sampled_from([SENTENCE, "a" * 90, "\n\n", "# Guide\n", "\f", " " * 99, "。"]), st.integers(1, 99))
    ).map(lambda runs: "".join(part * count for part, count in runs)),
)


def texts(text: str) -> list[str]:
    """Return the texts of the chunks."""
    return [chunk.text for chunk in chunks_of(text)]


@given(TEXTS)
def test_the_chunks_are_the_text_and_none_is_too_long(text: str) -> None:
    chunks = chunks_of(text)
    assert "".join(chunk.text for chunk in chunks) == text
    for chunk in chunks:
        assert 0 < len(chunk.text) <= CHUNK_LETTERS_MAX
        # A text that is cut within a word or a run of line breaks may count one token more than its parts.
        assert estimated_tokens(chunk.text) <= CHUNK_TOKENS_MAX + 1
        assert estimated_tokens(chunk.overlap) <= OVERLAP_TOKENS_MAX + 1
        assert chunk.overlap == chunk.overlap.strip()


@given(TEXTS)
def test_an_overlap_is_the_end_of_the_chunk_before_in_the_same_section(text: str) -> None:
    before = Chunk("", "", "")
    for chunk in chunks_of(text):
        assert not chunk.overlap or (before.heading == chunk.heading and before.text.rstrip().endswith(chunk.overlap))
        before = chunk


def test_a_short_text_is_one_chunk_and_an_empty_one_has_none() -> None:
    assert chunks_of("# Guide\nThe fox.") == [Chunk("# Guide\nThe fox.", "Guide", "")]
    assert chunks_of("") == []


@pytest.mark.parametrize(("separator", "many"), [("\f", 24), ("\n\n", 24), ("\n \t\r\n", 24), (" ", 24), ("\n", 24)])
def test_a_chunk_ends_with_a_page_a_paragraph_or_a_sentence(separator: str, many: int) -> None:
    part = SENTENCE.strip() + separator
    chunks = texts(part * many * 4)
    assert len(chunks) == 4
    assert all(chunk.endswith(part) and chunk.startswith("The fox") for chunk in chunks)


def test_a_page_is_a_better_end_than_a_paragraph_and_that_than_a_sentence() -> None:
    page = SENTENCE * 18 + "\f" + (SENTENCE * 3 + "\n\n") * 10
    assert texts(page)[0] == SENTENCE * 18 + "\f"
    paragraph = SENTENCE * 18 + "\n\n" + SENTENCE * 100
    assert texts(paragraph)[0] == SENTENCE * 18 + "\n\n"


def test_what_is_said_in_quotes_or_in_chinese_ends_sentences_too() -> None:
    quoted = '"The fox lives in Lisbon and writes home." '
    assert all(chunk.endswith(quoted) for chunk in texts(quoted * 100))
    chinese = "狐狸住在里斯本。"
    assert all(chunk.endswith(chinese) for chunk in texts(chinese * 200))


def test_without_sentences_lines_are_kept_whole_then_words_then_nothing() -> None:
    assert all(chunk.endswith("\n") for chunk in texts("alpha beta gamma delta\n" * 400))
    assert all(chunk.endswith(" ") for chunk in texts("alpha " * 1_000))
    assert [len(chunk) for chunk in texts("a" * 7 * 900)] == [2_100, 2_100, 2_100]


def test_the_last_chunks_share_what_is_left() -> None:
    assert [estimated_tokens(chunk) for chunk in texts("fox " * 310)] == [205, 105]


def test_blanks_do_not_make_a_chunk_endless() -> None:
    assert len(texts("fox" + " " * 10 * CHUNK_LETTERS_MAX + "fox")) >= 10


def test_an_overlap_is_the_last_two_sentences_or_one_where_they_are_long() -> None:
    assert {chunk.overlap for chunk in chunks_of(SENTENCE * 100)[1:]} == {(SENTENCE * 2).strip()}
    longer = "The fox lives in Lisbon" + " and writes home" * 8 + ". "
    assert {chunk.overlap for chunk in chunks_of(longer * 50)[1:]} == {longer.strip()}


def test_an_overlap_of_an_endless_sentence_is_its_last_words() -> None:
    overlaps = {chunk.overlap for chunk in chunks_of("Endlessness " * 400)[1:]}
    assert overlaps == {" ".join(["Endlessness"] * 19)}
    assert estimated_tokens(chunks_of("a" * 7 * 900)[1].overlap) == OVERLAP_TOKENS_MAX


def test_a_section_has_no_overlap_with_the_one_before() -> None:
    chunks = chunks_of(f"# One\n{SENTENCE * 40}\n# Other\n{SENTENCE * 40}")
    assert [(chunk.heading, bool(chunk.overlap)) for chunk in chunks] == [
        ("One", False),
        ("One", True),
        ("Other", False),
        ("Other", True),
    ]


@pytest.mark.parametrize(
    "part", ["!", "a", " ", "\n", "# a\n", "a\n\n", "```\n", "\n \t", ". ", "👍", "\f", "# " + " " * 999]
)
def test_a_megabyte_of_anything_is_cut(part: str) -> None:
    text = part * (1024 * 1024 // len(part))
    assert "".join(texts(text)) == text


def pages(text: str, *, has_pages: bool = False) -> list[tuple[int, int]]:
    return [(chunk.page, chunk.last_page) for chunk in chunks_of(text, has_pages=has_pages)]


def test_a_chunk_has_the_pages_of_its_text() -> None:
    assert pages("One.\n\fTwo.\n\f\fFour.") == [(1, 4)]
    assert pages("\fTwo.\f") == [(2, 2)]
    assert pages("One.") == [(0, 0)]
    assert pages("One.", has_pages=True) == [(1, 1)]


@given(TEXTS)
def test_pages_are_those_of_the_first_and_the_last_letter(text: str) -> None:
    place = 0
    for chunk in chunks_of(text, has_pages=True):
        letters = [at for at, letter in enumerate(chunk.text) if not letter.isspace()]
        if letters:
            assert chunk.page == 1 + text.count("\f", 0, place + letters[0])
            assert chunk.last_page == 1 + text.count("\f", 0, place + letters[-1])
        place += len(chunk.text)
