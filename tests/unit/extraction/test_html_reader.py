import msgspec
import pytest
from tests.unit.extraction.file import LIMITS

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.extraction.html_reader import read_html
from memoryd_server.ports.extraction import ExtractedText


def read(body: str) -> ExtractedText:
    """Return the text of a page with this body."""
    return read_html(f"<!doctype html><html>{body}</html>".encode(), LIMITS)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>One\n  <b>fox</b>es.</p><div>Two.</div>", "One foxes.\n\nTwo."),
        ("One.<br>Two.", "One.\nTwo."),
        ("&amp; &eacute; &#x1F98A; &nbsp;end", "& é 🦊 end"),
        ("<h1>Guide</h1>One.<h2>In<br>st<i>all</i></h2>Two.", "# Guide\n\nOne.\n\n## In stall\n\nTwo."),
        ("<h2></h2>One.", "One."),
        ("One.<ul><li>a<li><p>b</p></ul>Two.", "One.\n\n- a\n- b\n\nTwo."),
        ("<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a\n  - b\n2. c"),
        ("<li>a", "- a"),
        ("<ul><li></li></ul>One.", "One."),
        (
            "<table><tr><th>x</th><th>y</th></tr><tr><td><p>1</p><p>2</p></td><td>3<br>4</td></tr></table>One.",
            "x | y\n1 2 | 3 4\n\nOne.",
        ),
        ("</td></pre></li></ul></h1>One.", "One."),
        ("One.<pre># comment\n  x = 1\n</pre>Two.", "One.\n\n```\n# comment\n  x = 1\n```\n\nTwo."),
        ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
        ("<pre>  \n</pre>One.", "One."),
        ("<pre>not closed", "```\nnot closed\n```"),
        ("<nav>Menu</nav><script>x</script><style>y</style><svg><title>z</title></svg>One.", "One."),
        ("<!-- no --><?no ?>One.", "One."),
        ("", ""),
    ],
)
def test_a_page_is_read_as_a_browser_shows_it(body: str, text: str) -> None:
    assert read(body).text == text


def test_the_title_is_that_of_the_page_else_its_first_heading() -> None:
    assert read("<head><title>A &amp; B</title></head><h1>C</h1>").title == "A & B"
    assert read("<h2>C <b>D</b></h2><h1>E</h1>").title == "C D"
    assert read("One.").title == ""


@pytest.mark.parametrize(
    "data",
    [
        "<meta charset=utf-8><p>Füchse".encode(),
        '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>Füchse'.encode("iso-8859-2"),
        '<meta charset="windows-1251">Füchse'.encode(),
        "<p>Füchse".encode("utf-16"),
    ],
)
def test_unicode_takes_precedence_over_the_declared_encoding(data: bytes) -> None:
    assert read_html(data, LIMITS).text == "Füchse"


def test_a_page_may_be_nested_without_limit() -> None:
    assert read("<div>" * 100_000 + "One.").text == "One."
    assert read("<ul><li>" * 10_000 + "One.").text.strip() == "- One."
    assert read("<nav>" * 10_000 + "</nav>" * 10_000 + "One.").text == "One."


def test_entities_that_a_page_declares_are_ignored() -> None:
    laughs = '<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><html>One.&b;</html>'
    assert "haha" not in read_html(laughs.encode(), LIMITS).text


def test_a_page_that_is_binary_or_too_long_is_refused() -> None:
    with pytest.raises(DocumentUnreadable):
        read("\0")
    with pytest.raises(TooLarge):
        read_html(b"<p>abc</p>" * 4, msgspec.structs.replace(LIMITS, text_bytes=10))
