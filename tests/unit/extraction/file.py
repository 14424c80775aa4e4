"""Files to read, written by hand where no library writes files that are so wrong."""

import io
import zipfile
import zlib
from collections.abc import Callable, Sequence

import docx
from docx.document import Document
from pypdf import PdfReader, PdfWriter

from memoryd_server.extraction.message import ReadingLimits

LIMITS = ReadingLimits(
    file_bytes=8 * 1024**2,
    memory_bytes=256 * 1024**2,
    text_bytes=1024**2,
    unpacked_bytes=8 * 1024**2,
    pages=100,
    cpu_s=30.0,
)


def content_stream(text: str) -> bytes:
    """Return the content stream that shows a text on a page, encoded in cp1252."""
    lines = text.encode("cp1252").replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)").split(b"\n")
    return b"BT /F 12 Tf 72 720 Td 14 TL " + b" ".join(b"(%b) Tj T*" % line for line in lines) + b" ET"


def pdf_of(pages: Sequence[str], title: str = "") -> bytes:
    """Return a PDF with a page for each text."""
    return pdf_of_streams([content_stream(page) for page in pages], range(len(pages)), title)


def pdf_of_streams(streams: Sequence[bytes], shows: Sequence[int], title: str = "", count: int | None = None) -> bytes:
    """Return a PDF whose page ``n`` shows ``streams[shows[n]]``, and which declares ``count`` pages, if given."""
    first = 5 + len(streams)
    kids = b" ".join(b"%d 0 R" % (first + page) for page in range(len(shows)))
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(shows) if count is None else count),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title <feff%b> >>" % title.encode("utf-16-be").hex().encode(),
    ]
    for stream in streams:
        packed = zlib.compress(stream)
        bodies.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream" % (len(packed), packed))
    bodies += [
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
        b" /Resources << /Font << /F 3 0 R >> >> >>" % (5 + stream)
        for stream in shows
    ]
    return _pdf_of_objects(bodies)


def _pdf_of_objects(bodies: Sequence[bytes]) -> bytes:
    file = io.BytesIO(b"%PDF-1.7\n")
    file.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(file.tell())
        file.write(b"%d 0 obj\n%b\nendobj\n" % (number, body))
    table = file.tell()
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(bodies) + 1
    file.write(b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, rows))
    file.write(b"trailer << /Size %d /Root 1 0 R /Info 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, table))
    return file.getvalue()


def encrypted(pdf: bytes, user_password: str, algorithm: str) -> bytes:
    """Return the PDF, encrypted. The user password that opens it may be empty."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf)))
    writer.encrypt(user_password, owner_password="of its owner", algorithm=algorithm)
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def slow_pdf() -> bytes:
    """Return a small file that takes minutes to read: each of its pages shows the same long stream."""
    return pdf_of_streams([b"BT /F 12 Tf " + b"(a) Tj " * 300_000 + b"ET"], [0] * 90)


def docx_of(write: Callable[[Document], object], title: str = "") -> bytes:
    """Return a DOCX whose content ``write`` adds."""
    document = docx.Document()
    document.core_properties.title = title
    write(document)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def with_member(archive: bytes, name: str, content: bytes) -> bytes:
    """Return the archive with the content of one member added or replaced."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        new.writestr(name, content)
    return file.getvalue()


def document_xml(body: bytes, beginning: bytes = b"") -> bytes:
    """Return the main part of a DOCX with this body."""
    namespace = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return b'<?xml version="1.0"?>%b<w:document xmlns:w="%b"><w:body>%b</w:body></w:document>' % (
        beginning,
        namespace,
        body,
    )


def docx_of_body(body: bytes, beginning: bytes = b"") -> bytes:
    """Return a DOCX whose main part has exactly this body."""
    return with_member(docx_of(lambda _: None), "word/document.xml", document_xml(body, beginning))
