"""Splitting of a document's text into chunks, the units of search and of prompts."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from memoryd_server.domain.documents.markdown_section import Section, sections_of
from memoryd_server.domain.values.token_estimate import end_of_tokens, estimated_tokens, start_of_tokens

CHUNK_TOKENS_MAX = 300
"""Maximum tokens of a chunk by ``token_estimate``. Most chunks have more than two thirds of it."""
CHUNK_LETTERS_MAX = 8 * CHUNK_TOKENS_MAX
"""Maximum characters of a chunk. It bounds a chunk of white space, which has no tokens."""
OVERLAP_TOKENS_MAX = 40
_OVERLAP_LETTERS_MAX = 8 * OVERLAP_TOKENS_MAX
_OVERLAP_SENTENCES = 2

PAGE_BREAK = "\f"
"""The character between pages."""
_PAGE = re.compile(PAGE_BREAK)
_PARAGRAPH = re.compile(r"\n(?:[ \t\r]*\n)+")
_SENTENCE = re.compile(
    r"(?<=[.!?…])\s+|(?<=[.!?…][\"')\]»”\u2019])\s+"
    r"|(?<=[\u3002\uff01\uff1f])\s*(?![\u3002\uff01\uff1f])"  # those of Chinese and Japanese, which need no blank
    r"|\n[ \t\r]*\n\s*"
)
_LINE = re.compile(r"\n+")
_WORD = re.compile(r"\s+")
_BREAKS = (_PAGE, _PARAGRAPH, _SENTENCE, _LINE, _WORD)
"""The places at which a chunk may end, the best first."""


class Chunk(msgspec.Struct, frozen=True):
    """A part of a document's text, as ``DocumentChunk`` of the contract.

    ``heading`` is the heading of its section, below the headings above it. ``overlap`` is the end of the preceding
    chunk of the section: a sentence or two, or some words of a long one. ``page`` and ``last_page`` are those on which
    the text begins and ends, from 1; 0 if the text has no pages.
    """

    text: str
    heading: str
    overlap: str
    page: int = 0
    last_page: int = 0


def chunks_of(text: str, *, has_pages: bool = False) -> Sequence[Chunk]:
    """Return the chunks, whose texts concatenate to the given text. Takes time linear in its length.

    A form feed begins a page. A text without one has pages only if ``has_pages`` is true.
    """
    page = 1 if has_pages or PAGE_BREAK in text else 0
    chunks = []
    for section in sections_of(text):
        for chunk in _chunks_of_section(text, section):
            if page:
                first = page + _breaks(chunk.text[: len(chunk.text) - len(chunk.text.lstrip())])
                last = page + _breaks(chunk.text.rstrip())
                page += _breaks(chunk.text)
                chunk = msgspec.structs.replace(chunk, page=first, last_page=max(first, last))
            chunks.append(chunk)
    return chunks


def _breaks(text: str) -> int:
    return text.count(PAGE_BREAK)


def _chunks_of_section(text: str, section: Section) -> Iterator[Chunk]:
    heading, overlap, start = section.heading, "", section.start
    tokens_left = estimated_tokens(text[start : section.end])
    while start < section.end:
        end = _end_of_chunk(text, start, section.end, tokens_left)
        chunk = Chunk(text[start:end], heading, overlap)
        yield chunk
        if end < section.end:
            overlap = _overlap(chunk.text)
            tokens_left -= estimated_tokens(chunk.text)
        start = end


def _end_of_chunk(text: str, start: int, end: int, tokens_left: int) -> int:
    # ``tokens_left`` is a little off after many chunks: parts may count less than their whole.
    if end - start <= CHUNK_LETTERS_MAX and estimated_tokens(text[start:end]) <= CHUNK_TOKENS_MAX:
        return end
    tokens = CHUNK_TOKENS_MAX
    if tokens_left > CHUNK_TOKENS_MAX:
        # Split the rest between the last two chunks, so that the last one is not a single line.
        tokens = min(tokens, tokens_left * 2 // 3)
    # End in the second half of the chunk, at the best break that it has.
    half = end_of_tokens(text, start, min(end, start + CHUNK_LETTERS_MAX // 2), tokens // 2)
    latest = end_of_tokens(text, half, min(end, half + CHUNK_LETTERS_MAX // 2), tokens - tokens // 2)
    return latest if latest == end else _last_break(text, half, latest)


def _last_break(text: str, earliest: int, latest: int) -> int:
    for kind in _BREAKS:
        ends = [found.end() for found in kind.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return latest


def _overlap(text: str) -> str:
    """Return the end of a chunk, which is rendered again before the next one."""
    end = text.rstrip()[-_OVERLAP_LETTERS_MAX:]
    earliest = start_of_tokens(end, OVERLAP_TOKENS_MAX)
    is_whole = len(end) < _OVERLAP_LETTERS_MAX and earliest == 0
    sentences = [0] * is_whole + [found.end() for found in _SENTENCE.finditer(end, earliest)]
    starts = [start for start in sentences if start < len(end)][-_OVERLAP_SENTENCES:]
    starts += [found.end() for found in _WORD.finditer(end, earliest)]
    return end[starts[0] if starts else earliest :].strip()
