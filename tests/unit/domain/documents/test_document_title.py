import pytest

from memoryd_server.domain.documents.document_title import name_in, title_of
from memoryd_server.domain.limit import TITLE_BYTES_MAX


@pytest.mark.parametrize(
    ("text", "own_title", "name", "title"),
    [
        ("text", "Own", "name.pdf", "Own"),
        ("text", "", "name.pdf", "name.pdf"),
        ("\n\n  ## The  first\tline \nsecond", "", "", "The first line"),
        ("text", " \n", "\0", "text"),
        ("###\n", "", "", "id"),
        ("text", "Word Document", "name.docx", "name.docx"),
        ("text", "Microsoft Word - name.doc", "name.pdf", "name.pdf"),
        ("text", "Untitled", "", "text"),
        ("text", "document1", "", "text"),
        ("text", "Word Documents of the Year", "", "Word Documents of the Year"),
    ],
)
def test_a_title_is_the_first_of_what_there_is_in_one_line(text: str, own_title: str, name: str, title: str) -> None:
    assert title_of("id", text, own_title, name) == title


@pytest.mark.parametrize("letter", ["x", "ü", "語", "🦊"])
def test_a_long_title_is_cut_between_its_letters(letter: str) -> None:
    title = title_of("id", letter * 5_000)
    assert set(title) == {letter}
    assert TITLE_BYTES_MAX - len(letter.encode()) < len(title.encode()) <= TITLE_BYTES_MAX


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("", ""),
        ("guide.md", "guide.md"),
        ("/home/ada/guide.md", "guide.md"),
        ("C:\\texts\\guide.md", "guide.md"),
        ("https://example.org/a/my%20guide.pdf?x=/y#z/w", "my guide.pdf"),
        ("https://example.org/", ""),
        ("https://example.org", ""),
        ("http://[broken", ""),
    ],
)
def test_a_name_is_the_end_of_a_path_or_of_a_url(source: str, name: str) -> None:
    assert name_in(source) == name
