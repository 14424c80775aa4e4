"""Reads HTML event by event: a tree would take fifty times the file's size."""

import re

from lxml import etree

from memoryd_server.domain.error import TooLarge
from memoryd_server.extraction.file_type import HTML
from memoryd_server.extraction.message import ReadingLimits
from memoryd_server.extraction.text_decoding import decoded
from memoryd_server.ports.extraction import UNKNOWN_FILE, ExtractedText, FileDescription

_CLUTTER = frozenset(
    {
        *("script", "style", "noscript", "template", "nav", "svg", "math", "iframe", "object", "canvas", "audio"),
        *("video", "select", "button", "dialog"),
    }
)
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "main", "p", "pre"),
        *("section", "summary", "table", "tbody", "tfoot", "thead"),
    }
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu"})
_CELLS = frozenset({"td", "th"})
_CELL_END = " | "
_INDENTED_MAX = 8

_DECLARED_WITHIN = 1024
_DECLARED = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.IGNORECASE)


def read_html(data: bytes, limits: ReadingLimits, file: FileDescription = UNKNOWN_FILE) -> ExtractedText:
    """Return the visible text, with headings, lists and code as Markdown, and each row of a table as a line."""
    declared = _DECLARED.search(data[:_DECLARED_WITHIN])
    stated = declared[1].decode("ascii") if declared else ""
    text, charset = decoded(data, file.charset, (file.charset_hint, stated))
    page = _Page(limits.text_bytes)
    # The page keeps only its text, which is bounded. So the parser's limits of depth and size are not needed.
    parser = etree.HTMLParser(target=page, encoding="utf-8", huge_tree=True)
    parser.feed(text.encode("utf-8", "replace") or b" ")
    parser.close()
    return ExtractedText("".join(page.written), page.title(), HTML, charset)


class _Page:
    """Receives the parser's events, and writes the page's text."""

    def __init__(self, text_bytes: int) -> None:
        self.written: list[str] = []
        self._text_bytes = text_bytes
        self._letters = 0
        self._line: list[str] = []
        self._gap = ""
        """The line breaks between the last line and the next."""
        self._prefix = ""
        """The start of the next line: the signs of a heading, or the mark of an item."""
        self._lists: list[int] = []
        """The number of the last item of each open list, the outermost first; -1 for a list without numbers."""
        self._clutter = self._cells = self._code = 0
        self._is_in_title = False
        self._title: list[str] = []
        self._first_heading = ""

    def title(self) -> str:
        """Return the page's title, else its first heading."""
        return "".join(self._title).strip() or self._first_heading

    def start(self, tag: str, _attributes: object) -> None:
        """Handle the start of an element."""
        if self._clutter or tag in _CLUTTER:
            self._clutter += 1
        elif tag == "title":
            self._is_in_title = True
        elif tag in _HEADINGS:
            self._end_line("\n\n")
            self._prefix = _HEADINGS[tag]
        elif tag in _LISTS:
            self._end_line("\n" if self._lists else "\n\n")
            self._lists.append(0 if tag == "ol" else -1)
        elif tag == "li":
            self._begin_item()
        elif tag in _CELLS:
            self._cells += 1
        else:
            self._break(tag)
            self._code += tag == "pre"

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        if self._clutter:
            self._clutter -= 1
        elif tag == "title":
            self._is_in_title = False
        elif tag in _HEADINGS:
            self._end_heading()
        elif tag in _LISTS:
            self._end_line("\n" if len(self._lists) > 1 else "\n\n")
            del self._lists[-1:]
        elif tag == "li":
            self._end_line("\n")
            self._prefix = ""
        elif tag in _CELLS:
            self._cells = max(self._cells - 1, 0)
            self._line.append(_CELL_END)
        elif tag == "pre" and self._code:
            self._end_code()
        elif tag != "br":
            self._break(tag)

    def data(self, text: str) -> None:
        """Handle text between tags."""
        if self._is_in_title:
            self._title.append(text)
        elif not self._clutter:
            self._line.append(text)

    def close(self) -> None:
        """Handle the end of the page."""
        self._code = 0
        self._end_line("")

    def _break(self, tag: str) -> None:
        if self._code:
            if tag == "br" or (tag in _BLOCKS and not "".join(self._line[-1:]).endswith("\n")):
                self._line.append("\n")
        elif tag == "tr":
            if self._line[-1:] == [_CELL_END]:
                self._line.pop()
            self._end_line("\n")
        elif tag != "pre" and (self._cells or self._prefix.startswith("#")):
            # A cell and a heading are one line each, even if they contain blocks.
            self._line.append(" " * (tag in _BLOCKS or tag == "br"))
        elif tag == "br":
            self._end_line("\n")
        elif tag in _BLOCKS:
            self._end_line("\n" if self._lists else "\n\n")

    def _begin_item(self) -> None:
        self._end_line("\n")
        mark = "- "
        if self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            mark = f"{self._lists[-1]}. "
        self._prefix = "  " * min(len(self._lists) - 1, _INDENTED_MAX) + mark

    def _end_heading(self) -> None:
        if not self._first_heading:
            self._first_heading = " ".join("".join(self._line).split())
        self._end_line("\n\n")
        self._prefix = ""

    def _end_code(self) -> None:
        self._code -= 1
        code = "".join(self._line).strip("\n").replace("\r", "")
        self._line = []
        if code.strip():
            self._write(f"```\n{code}\n```")
            self._gap = "\n\n"

    def _end_line(self, gap: str) -> None:
        line = " ".join("".join(self._line).split())
        self._line = []
        if line:
            self._write(line)
        if len(gap) > len(self._gap):
            self._gap = gap

    def _write(self, text: str) -> None:
        self._letters += len(text)
        if self._letters > self._text_bytes:
            raise TooLarge("document_text_bytes", self._text_bytes)
        self.written += (self._gap if self.written else "", self._prefix, text)
        self._gap = self._prefix = ""
