"""Tokens of long texts, which are searched in parts."""

from memoryd_server.retrieval.text.token import tokens_of

WORDS = "getUserById costs 1,500 in C# "


def test_a_long_text_has_the_tokens_of_its_parts() -> None:
    text = WORDS * 4_000
    assert tokens_of(text, text.lower()) == tokens_of(WORDS, WORDS.lower()) * 4_000


def test_a_long_text_without_spaces_is_read_to_its_end() -> None:
    text = "[" * 100_000 + "end"
    assert tokens_of(text, text) == ["end"]
