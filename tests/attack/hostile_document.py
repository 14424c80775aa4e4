"""Files that harm their reader, as attackers make them."""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.unit.extraction.file import docx_of, docx_of_body, pdf_of_streams, slow_pdf, with_member

MEBIBYTE = 1 << 20
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_HTML, _MARKDOWN, _TEXT = "text/html", "text/markdown", "text/plain"
_LAUGHS = '<!DOCTYPE l [<!ENTITY a0 "hahahahaha">' + "".join(
    f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 10)
)
_PARAGRAPH = "<w:p><w:r><w:t>%s</w:t></w:r></w:p>"

File = tuple[str, str, Callable[[], bytes]]
"""A file's description, its media type if one is given, and its content."""


def hostile_documents(trap: str) -> Iterator[File]:
    """Yield files. ``trap`` is an address that no reader may connect to."""
    yield from _archives(trap)
    yield from _pdfs(trap)
    yield from _pages(trap)
    yield from _texts()


def _archives(trap: str) -> Iterator[File]:
    def body(text: str) -> Callable[[], bytes]:
        return lambda: docx_of_body(text.encode())

    def whole(xml: bytes) -> Callable[[], bytes]:
        return lambda: with_member(docx_of(lambda _: None), "word/document.xml", xml)

    laughing = f"{_LAUGHS}]><w:document {_WORD}><w:body>{_PARAGRAPH % '&a9;'}</w:body></w:document>"
    entity = f'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document {_WORD}><w:body>{_PARAGRAPH % "&x;"}'
    entity += "</w:body></w:document>"
    yield "docx of 300 MB", "", body(_PARAGRAPH % ("a" * (300 * MEBIBYTE)))
    yield "docx of 31 MB of text", "", body(_PARAGRAPH % ("a" * (31 * MEBIBYTE)))
    yield "docx nested 20,000 deep", "", body("<w:tbl><w:tr><w:tc>" * 20_000 + "</w:tc></w:tr></w:tbl>" * 20_000)
    for encoding in ("utf-8", "utf-16", "utf-7", "cp037"):
        yield f"docx of entities in {encoding}", "", whole(laughing.encode(encoding))
    yield "docx that includes a file", "", whole(entity.encode())
    yield "docx with a DTD elsewhere", "", whole(f'<!DOCTYPE d SYSTEM "http://{trap}/d"><w:document {_WORD}/>'.encode())
    yield "docx with names that climb", "", lambda: with_member(docx_of(lambda _: None), "../../climbed", b"x")
    yield "docx of 200 MB of zeros beside", "", lambda: with_member(docx_of(lambda _: None), "m", bytes(200 * MEBIBYTE))


def _pdfs(trap: str) -> Iterator[File]:
    def pdf(*objects: bytes) -> Callable[[], bytes]:
        return lambda: _pdf(objects)

    catalog = b"<< /Type /Catalog /Pages 2 0 R >>"
    pages = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>"
    )
    form = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 11 >>"
    draws = b"\nstream\n/X Do /X Do\nendstream"
    yield "pdf of 400 MB", "", lambda: pdf_of_streams([b"BT (" + b"a" * (400 * MEBIBYTE) + b") Tj ET"], [0])
    yield "pdf packed twice", "", _packed_twice
    yield "pdf whose pages contain themselves", "", pdf(catalog, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>")
    yield "pdf whose form draws itself", "", pdf(catalog, pages, page, b"<< /Length 11 >>" + draws, form + draws)
    yield "pdf that says 200,000 pages", "", lambda: pdf_of_streams([b"BT (a) Tj ET"], [0] * 5_000, count=200_000)
    yield "pdf of a deep array", "", lambda: pdf_of_streams([b"BT " + b"[" * 300_000 + b"]" * 300_000 + b" TJ ET"], [0])
    yield "pdf that takes minutes", "", slow_pdf
    action = f"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /URI /URI (http://{trap}/) >> >>".encode()
    yield "pdf with an action", "", pdf(action, pages, page, b"<< /Length 11 >>" + draws)
    yield "pdf whose table is a loop", "", lambda: b"%PDF-1.4\nxref\n0 0\ntrailer << /Prev 9 >>\nstartxref\n9\n%%EOF"
    yield "pdf of junk", "", lambda: b"%PDF-1.7\n" + b"1 0 obj << >> endobj\n" * 700_000


def _pages(trap: str) -> Iterator[File]:
    sources = f'<img src="http://{trap}/"><iframe src="http://{trap}/"><link rel=stylesheet href="http://{trap}/">'
    yield "html of entities", _HTML, lambda: f"{_LAUGHS}]><html>&a9;</html>".encode()
    yield "html that loads others", _HTML, lambda: f"<html><body>text{sources}".encode()
    for name, part, times in (
        ("divisions", "<div>", 200_000),
        ("bold", "<b>", 1_000_000),
        ("tables", "<table><tr><td>", 20_000),
        ("<", "<", 15_000_000),
        ("&", "&", 10_000_000),
        ("comments", "<!--", 3_000_000),
        ("formats", "<a><b><i><u><s><p>x", 5_000),
    ):
        yield f"html of {times:,} {name}", _HTML, lambda part=part, times=times: (part * times).encode() + b"x"
    yield "html of attributes", _HTML, lambda: b"<a " + b"b=c " * 3_500_000 + b">x</a>"


def _texts() -> Iterator[File]:
    for part, times in (("[", 3_900_000), ("[a](", 900_000), ("``", 1_900_000), ("# a\n", 900_000)):
        yield f"markdown of {part!r}", _MARKDOWN, lambda part=part, times=times: part.encode() * times
    yield "markdown of quotes", _MARKDOWN, lambda: (b">" * 3_000 + b"\n") * 1_300
    yield "a word of 4 MB", _TEXT, lambda: b"a" * (4 * MEBIBYTE)
    yield "4 MB of lines", _TEXT, lambda: b"\na" * (2 * MEBIBYTE)
    yield "4 MB of accents", _TEXT, lambda: "\u0301".encode() * (2 * MEBIBYTE)
    yield "bytes", _TEXT, lambda: bytes(range(256)) * 1_000
    yield "a program", "", Path("/bin/true").read_bytes
    yield "text that is said to be a pdf", "application/pdf", lambda: b"hello"
    yield "a type of two lines", "text/html\r\nx: y", lambda: b"<p>x"


def _packed_twice() -> bytes:
    data = zlib.compress(zlib.compress(bytes(512 * MEBIBYTE), 9), 9)
    filters = b"[/FlateDecode /FlateDecode]"
    content = b"<< /Length %d /Filter %b >>\nstream\n%b\nendstream" % (len(data), filters, data)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"
    pages = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return _pdf((b"<< /Type /Catalog /Pages 2 0 R >>", pages, page, content))


def _pdf(objects: tuple[bytes, ...]) -> bytes:
    """Return a PDF without a table of its objects: readers look for them."""
    bodies = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%%PDF-1.7\n%btrailer << /Root 1 0 R /Size %d >>\nstartxref\n0\n%%%%EOF\n" % (bodies, len(objects) + 1)
