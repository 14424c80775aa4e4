import msgspec
import pytest
from tests.unit.extraction.file import LIMITS, content_stream, encrypted, pdf_of, pdf_of_streams

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.extraction.file_type import PDF
from memoryd_server.extraction.pdf_reader import read_pdf
from memoryd_server.ports.extraction import ExtractedText


def test_pages_are_read_with_form_feeds_between_them() -> None:
    found = read_pdf(pdf_of(["Füchse\nin Köln", "(zwei)"], "Füchse in 北京"), LIMITS)
    assert found == ExtractedText("Füchse\nin Köln\n\f(zwei)", "Füchse in 北京", PDF)


def test_an_empty_page_counts_unless_all_are_empty() -> None:
    assert read_pdf(pdf_of(["", ""]), LIMITS).text == ""
    assert read_pdf(pdf_of(["", "One."]), LIMITS).text == "\n\fOne."


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_an_encrypted_file_is_read_only_if_it_opens_without_a_password(algorithm: str) -> None:
    assert read_pdf(encrypted(pdf_of(["One."]), "", algorithm), LIMITS).text == "One."
    with pytest.raises(DocumentUnreadable, match="is encrypted"):
        read_pdf(encrypted(pdf_of(["One."]), "secret", algorithm), LIMITS)


@pytest.mark.parametrize("pdf", [pdf_of(["a"] * 101), pdf_of_streams([content_stream("a")], [0], count=10**9)])
def test_too_many_pages_are_refused_even_if_they_are_only_declared(pdf: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="has more than 100 pages"):
        read_pdf(pdf, LIMITS)


def test_a_declared_count_that_is_too_small_hides_no_pages() -> None:
    with pytest.raises(DocumentUnreadable, match="has more than 100 pages"):
        read_pdf(pdf_of_streams([content_stream("a")], [0] * 101, count=1), LIMITS)


def test_a_stream_that_unpacks_to_more_than_the_limit_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="unpacks to more"):
        read_pdf(pdf_of_streams([b" " * 80_000_000], [0]), LIMITS)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(TooLarge):
        read_pdf(pdf_of(["abcdef"] * 2), msgspec.structs.replace(LIMITS, text_bytes=10))
