import pytest

from memoryd_server.domain.error import DocumentUnreadable
from memoryd_server.extraction.file_type import DOCX, HTML, MARKDOWN, PDF, TEXT, type_of

ZIP = b"PK\x03\x04"


@pytest.mark.parametrize(
    ("data", "name", "media_type", "found"),
    [
        (b"Hello", "", "", TEXT),
        (b"Hello", "a.txt", "", TEXT),
        (b"Hello", "a.md", "", MARKDOWN),
        (b"Hello", "A.MD", "text/plain; charset=utf-8", MARKDOWN),
        (b"Hello", "a", "Text/Markdown; charset=utf-8", MARKDOWN),
        (b"Hello", "a.txt", "text/html", HTML),
        (b"Hello", "a.txt", "application/xhtml+xml", HTML),
        (b"Hello", "a.html", "", HTML),
        (b"{}", "a.json", "application/json", TEXT),
        (b"%PDF-1.7", "a.txt", "text/plain", PDF),
        (b"\n\n%PDF-1.7", "a.pdf", "", PDF),
        (b"About %PDF-1.7", "a.txt", "", TEXT),
        (ZIP, "a.pdf", PDF, DOCX),
        (b"<!DOCTYPE html><p>", "a.txt", "", HTML),
        (b"\xef\xbb\xbf <?xml version='1.0'?><!-- a --> <html lang='en'>", "a.pdf", "", HTML),
        (b"<html is what I write about", "a.txt", "", HTML),
        (b"<htmlish>", "a.txt", "", TEXT),
        (b"", "", "", TEXT),
    ],
)
def test_the_type_is_that_of_the_content_else_the_given_one_else_that_of_the_name(
    data: bytes, name: str, media_type: str, found: str
) -> None:
    assert type_of(data, name, media_type) == found


@pytest.mark.parametrize(
    ("data", "name", "problem"),
    [
        (b"Hello", "a.pdf", "is not a PDF file, although its name or media type says so"),
        (b"Hello", "a.docx", "is not a DOCX file, although its name or media type says so"),
        (b"\x89PNG\r\n\x1a\n", "a.txt", "is an image"),
        (b"\x1f\x8b\x08", "a.txt", "is compressed"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 of a letter", "a.doc", "is of an older Office, which is not supported"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "a.docx",
            "is encrypted",
        ),
    ],
)
def test_a_file_of_an_unsupported_type_is_refused_with_the_type(data: bytes, name: str, problem: str) -> None:
    with pytest.raises(DocumentUnreadable) as refused:
        type_of(data, name, "")
    assert refused.value.metadata == {"problem": problem}
