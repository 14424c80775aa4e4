import msgspec
import pytest
from tests.unit.extraction.file import LIMITS

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.extraction.file_type import MARKDOWN, TEXT
from memoryd_server.extraction.text_reader import read_markdown, read_text

GERMAN = "Größe und Übermut tun selten gut, sagt man auf den Straßen von Köln. "


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_in_each_of_its_encodings(encoding: str) -> None:
    text = "Füchse 🦊 in 北京\n"
    assert read_text(text.encode(encoding), LIMITS).text == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_selects_the_encoding(encoding: str) -> None:
    assert read_text("\ufeffFüchse".encode(encoding), LIMITS).text == "Füchse"


def test_an_8_bit_encoding_is_detected() -> None:
    assert read_text((GERMAN * 3).encode("cp1252"), LIMITS).text == GERMAN * 3


def test_a_repetitive_text_is_not_taken_for_ebcdic() -> None:
    assert "aaa" in read_text("ä".encode("cp1252") * 9 + b"a" * 9_999, LIMITS).text


@pytest.mark.parametrize("data", [bytes(range(256)) * 9, b"text\0text", b"\x01\x02text", b"\xff\xfeA\0\0\0"])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="is binary"):
        read_text(data, LIMITS)


def test_data_that_is_too_long_in_any_encoding_is_refused_before_decoding() -> None:
    limits = msgspec.structs.replace(LIMITS, text_bytes=10)
    assert read_text(b"a" * 40, limits).text
    with pytest.raises(TooLarge):
        read_text(b"a" * 41, limits)
    with pytest.raises(TooLarge):
        read_markdown(b"a" * 41, limits)


def test_the_title_of_markdown_is_the_heading_at_its_start() -> None:
    found = read_markdown(b"\n# The fox #\n\nIt lives.\n", LIMITS)
    assert (found.title, found.media_type) == ("The fox", MARKDOWN)
    assert read_markdown(b"It lives.\n# The fox\n", LIMITS).title == ""
    plain = read_text(b"# The fox\n", LIMITS)
    assert (plain.title, plain.media_type) == ("", TEXT)
