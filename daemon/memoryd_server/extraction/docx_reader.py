"""Reads DOCX: Word documents in the Office Open XML format."""

import io
import re
import zipfile

import docx
from docx.document import Document
from docx.oxml.ns import qn
from lxml import etree

from memoryd_server.domain.error import DocumentUnreadable, TooLarge
from memoryd_server.extraction.file_type import DOCX
from memoryd_server.extraction.limit import MEMBERS_MAX
from memoryd_server.extraction.message import ReadingLimits
from memoryd_server.ports.extraction import ExtractedText

_DOCUMENT = "word/document.xml"
_DOCUMENT_TYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))

_PARAGRAPH, _TABLE, _ROW, _CELL, _TEXT = (qn(tag) for tag in ("w:p", "w:tbl", "w:tr", "w:tc", "w:t"))
_SIGNS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_PROPERTIES = qn("w:pPr")
_LEFT_OUT = frozenset(
    {
        *map(qn, ("w:pPr", "w:rPr", "w:tblPr", "w:trPr", "w:tcPr", "w:sectPr", "w:del", "w:moveFrom", "w:instrText")),
        # A drawing's text occurs twice: as a drawing, and as a fallback for readers that do not support drawings.
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    }
)
_CELL_END = " | "
_HEADING = re.compile(r"Heading ([1-9])", re.IGNORECASE)
_LIST = re.compile(r"List (?:Bullet|Number)(?: ([2-5]))?")
_HEADING_LEVELS_MAX = 6


def read_docx(data: bytes, limits: ReadingLimits) -> ExtractedText:
    """Return the text in document order: headings and lists as Markdown, each row of a table as a line."""
    _check_archive(data, limits)
    try:
        document = docx.Document(io.BytesIO(data))
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        raise
    return ExtractedText(_Body(document, limits.text_bytes).text(), document.core_properties.title or "", DOCX)


def _check_archive(data: bytes, limits: ReadingLimits) -> None:
    """Unpack all members before anything is parsed: neither their declared sizes nor their XML can be trusted."""
    too_large = DocumentUnreadable(f"unpacks to more than {limits.unpacked_bytes // 1024**2} MiB")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if _DOCUMENT not in archive.namelist():
            raise DocumentUnreadable("is an archive, but not a DOCX file")
        left = limits.unpacked_bytes
        if len(members) > MEMBERS_MAX or sum(member.file_size for member in members) > left:
            raise too_large
        for member in members:
            if member.flag_bits & 1:
                raise DocumentUnreadable("is encrypted")
            with archive.open(member) as file:
                unpacked = file.read(left + 1)
            left -= len(unpacked)
            if left < 0:
                raise too_large
            if member.filename.endswith((".xml", ".rels")) and any(sign in unpacked for sign in _DOCUMENT_TYPES):
                raise DocumentUnreadable("contains an XML document type, which DOCX does not allow")


class _Body:
    """Converts a document's body to text."""

    def __init__(self, document: Document, text_bytes: int) -> None:
        self._root = document.element.body
        self._style_names = {style.style_id: style.name or "" for style in document.styles}
        self._text_bytes = text_bytes
        self._letters = 0
        self._written: list[str] = []
        self._paragraph: list[str] = []
        self._prefix = ""
        self._gap = ""
        self._cells = 0
        self._is_after_item = False

    def text(self) -> str:
        """Return the text of the whole body.

        The elements are walked directly, because python-docx's paragraphs lack tracked insertions and content controls.
        """
        walk = etree.iterwalk(self._root, events=("start", "end"))
        for event, element in walk:
            if element.tag in _LEFT_OUT:
                if event == "start":
                    walk.skip_subtree()
            elif event == "start":
                self._begin(element)
            else:
                self._end(element)
        self._end_paragraph()
        return "".join(self._written)

    def _begin(self, element: etree._Element) -> None:
        if element.tag == _TEXT:
            self._paragraph.append(element.text or "")
        elif element.tag in _SIGNS:
            self._paragraph.append(_SIGNS[element.tag])
        elif element.tag == _CELL:
            self._cells += 1
        elif element.tag == _PARAGRAPH and not self._cells:
            # A text box may be in the middle of another paragraph.
            self._end_paragraph()
            self._prefix = self._prefix_of(element)
        elif element.tag == _TABLE and not self._cells:
            self._end_paragraph()

    def _end(self, element: etree._Element) -> None:
        if element.tag == _PARAGRAPH:
            if self._cells:
                self._paragraph.append(" ")
            else:
                self._end_paragraph()
        elif element.tag == _CELL:
            self._cells -= 1
            self._paragraph.append(_CELL_END)
        elif element.tag == _ROW and not self._cells:
            self._end_row()
        elif element.tag == _TABLE and not self._cells:
            self._gap = "\n\n"

    def _end_row(self) -> None:
        row = " ".join("".join(self._paragraph[:-1]).split())
        self._paragraph = []
        if row:
            self._write(row, "\n")
        self._is_after_item = False

    def _end_paragraph(self) -> None:
        text = "".join(self._paragraph).strip()
        self._paragraph = []
        if text:
            is_item = self._prefix.endswith("- ")
            if is_item and self._is_after_item:
                self._gap = "\n"
            self._write(" ".join(text.split()) if self._prefix else text, "\n\n")
            self._is_after_item = is_item
        self._prefix = ""

    def _write(self, text: str, gap: str) -> None:
        self._letters += len(text)
        if self._letters > self._text_bytes:
            raise TooLarge("document_text_bytes", self._text_bytes)
        self._written += (self._gap if self._written else "", self._prefix, text)
        self._gap = gap

    def _prefix_of(self, paragraph: etree._Element) -> str:
        properties = paragraph.find(_PROPERTIES)
        if properties is None:
            return ""
        style = properties.find(qn("w:pStyle"))
        name = "" if style is None else self._style_names.get(style.get(qn("w:val"), ""), "")
        if name == "Title":
            return "# "
        if heading := _HEADING.fullmatch(name):
            return "#" * min(int(heading[1]), _HEADING_LEVELS_MAX) + " "
        if listed := _LIST.fullmatch(name):
            return "  " * (int(listed[1] or 1) - 1) + "- "
        return _item_mark(properties)


def _item_mark(properties: etree._Element) -> str:
    numbering = properties.find(qn("w:numPr"))
    if numbering is None:
        return ""
    level = numbering.find(qn("w:ilvl"))
    value = "0" if level is None else level.get(qn("w:val"), "0")
    return "  " * (int(value) if value in "012345678" else 0) + "- "
