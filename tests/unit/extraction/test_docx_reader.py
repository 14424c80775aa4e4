import io
import zipfile

import msgspec
import pytest
from docx.document import Document
from lxml import etree
from tests.unit.extraction.file import LIMITS, docx_of, docx_of_body, with_member

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.extraction.docx_reader import read_docx
from memoryd_server.extraction.file_type import DOCX
from memoryd_server.ports.extraction import ExtractedText

LAUGHS = b'<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'


def guide(document: Document) -> None:
    """Write headings, paragraphs, lists and a table."""
    document.add_heading("Guide", 0)
    document.add_heading("Install", 2)
    document.add_paragraph("Füchse 🦊 in 北京.\nThey\tlive.")
    document.add_paragraph("a", style="List Bullet")
    document.add_paragraph("b", style="List Number 2")
    table = document.add_table(2, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell\n{number}"
    document.add_paragraph("The end.")
    document.add_heading("Deep", 9)


def test_a_document_is_read_in_order() -> None:
    assert read_docx(docx_of(guide, "Füchse"), LIMITS) == ExtractedText(
        "# Guide\n\n## Install\n\nFüchse 🦊 in 北京.\nThey\tlive.\n\n- a\n  - b\n\n"
        "cell 0 | cell 1\ncell 2 | cell 3\n\nThe end.\n\n###### Deep",
        "Füchse",
        DOCX,
    )


def run(text: str) -> bytes:
    """Return a run of text, as XML."""
    return f"<w:r><w:t>{text}</w:t></w:r>".encode()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"<w:p>%b<w:ins>%b</w:ins><w:del><w:r><w:delText>c</w:delText></w:r></w:del></w:p>", "ab"),
        (b"<w:sdt><w:sdtContent><w:p>%b</w:p></w:sdtContent></w:sdt><w:p>%b</w:p>", "a\n\nb"),
        (b"<w:p>%b<w:r><w:pict><w:txbxContent><w:p>%b</w:p></w:txbxContent></w:pict></w:r></w:p>", "a\n\nb"),
        (b"<w:p>%b<w:r><w:instrText>no</w:instrText></w:r>%b</w:p>", "ab"),
        (b"<w:p><w:pPr><w:numPr><w:ilvl w:val='1'/></w:numPr></w:pPr>%b</w:p><w:p><w:pPr/>%b</w:p>", "  - a\n\nb"),
        (b"<w:p><w:pPr><w:numPr><w:ilvl w:val='x'/></w:numPr></w:pPr>%b%b</w:p>", "- ab"),
        (b"<w:p><w:pPr><w:numPr/><w:pStyle w:val='Unknown'/></w:pPr>%b%b</w:p>", "- ab"),
        (
            b"<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc><w:p>%b</w:p></w:tc></w:tr></w:tbl><w:p>%b</w:p></w:tc></w:tr></w:tbl>",
            "a | b",
        ),
        (b"<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>%b%b", "ab"),
    ],
)
def test_text_outside_of_plain_paragraphs_is_read(body: bytes, text: str) -> None:
    assert read_docx(docx_of_body(body % (run("a"), run("b"))), LIMITS).text == text


def test_an_empty_document_has_no_text() -> None:
    assert read_docx(docx_of(lambda _: None), LIMITS).text == ""


def refused(data: bytes) -> str:
    """Return the problem for which a file is refused."""
    with pytest.raises(DocumentUnreadable) as error:
        read_docx(data, LIMITS)
    return error.value.metadata["problem"]


def test_an_archive_that_is_no_docx_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "Hello")
    assert refused(file.getvalue()) == "is an archive, but not a DOCX file"


def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused() -> None:
    document = docx_of(lambda _: None)
    assert refused(with_member(document, "word/media/image.png", b"\0" * 9 * 1024**2)) == "unpacks to more than 8 MiB"
    parts = document
    for number in range(3):
        parts = with_member(parts, f"word/{number}.xml", b" " * 3 * 1024**2)
    assert refused(parts) == "unpacks to more than 8 MiB"


def test_a_member_with_a_forged_size_unpacks_to_no_more_than_that() -> None:
    archive = bytearray(with_member(docx_of(lambda _: None), "word/a.xml", b" " * 9 * 1024**2))
    real_size = (9 * 1024**2).to_bytes(4, "little")
    while (place := archive.find(real_size)) >= 0:
        archive[place : place + 4] = (9).to_bytes(4, "little")
    with pytest.raises(zipfile.BadZipFile):
        read_docx(bytes(archive), LIMITS)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_that_declares_entities_is_refused(encoding: str) -> None:
    laughing = docx_of_body(b"<w:p>" + run("&b;") + b"</w:p>", LAUGHS)
    with zipfile.ZipFile(io.BytesIO(laughing)) as archive:
        part = archive.read("word/document.xml").decode().replace('"1.0"', f'"1.0" encoding="{encoding}"')
    assert refused(with_member(laughing, "word/document.xml", part.encode(encoding))).startswith(
        "contains an XML document type"
    )


def test_an_encrypted_member_is_refused() -> None:
    archive = bytearray(docx_of(lambda _: None))
    place = archive.find(b"PK\x01\x02")
    archive[place + 8] |= 1
    assert refused(bytes(archive)) == "is encrypted"


def test_xml_that_is_nested_too_deeply_is_not_parsed() -> None:
    with pytest.raises(etree.XMLSyntaxError):
        read_docx(docx_of_body(b"<w:p>" * 9_999 + b"</w:p>" * 9_999), LIMITS)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(TooLarge):
        read_docx(docx_of(guide), msgspec.structs.replace(LIMITS, text_bytes=10))
