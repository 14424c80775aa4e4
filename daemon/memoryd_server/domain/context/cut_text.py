"""Cutting of a text that does not fit into a budget of tokens."""

import re
from bisect import bisect_right

from memoryd_server.domain.context.filled_section import CountTokens

CUT_MARK = " … (truncated)"
"""The end of a text that was cut."""
CUT_TOKENS_MIN = 8
"""Minimum tokens that are kept of a text. Of less, a model would learn nothing."""

_PART_CHARACTERS = 2_048
"""Characters that are counted together, so that a long text is counted about once."""
_SENTENCE_END = re.compile(r"[.!?…][\"')\]»”\u2019]?(?=\s)|[\u3002\uff01\uff1f]|\n")
_WORD_END = re.compile(r"\S(?=\s)")


def cut(text: str, tokens_max: int, count: CountTokens) -> str:
    """Return the beginning of a text with CUT_MARK, at most ``tokens_max`` tokens; empty if too little would be left.

    It ends with a sentence or a line, else with a word, else anywhere: with the first of these that keeps half of what
    fits.
    """
    left = tokens_max - count(CUT_MARK)
    if left < CUT_TOKENS_MIN:
        return ""
    end = _fitting(text, left, count)
    while end > 0:
        for place in _ends(text, end):
            found = text[:place].rstrip() + CUT_MARK
            if count(found) <= tokens_max:
                return found
        # The parts of a text may have fewer tokens than the text.
        end = end * 9 // 10
    return ""


def _fitting(text: str, tokens_max: int, count: CountTokens) -> int:
    """Return the offset up to which a text has at most ``tokens_max`` tokens, less than its length."""
    start, left = 0, tokens_max
    while start < len(text) and (size := count(text[start : start + _PART_CHARACTERS])) <= left:
        start += _PART_CHARACTERS
        left -= size
    within = range(start, min(start + _PART_CHARACTERS, len(text)))
    return max(bisect_right(within, left, key=lambda end: count(text[start:end])) - 1, 0) + start


def _ends(text: str, end: int) -> list[int]:
    """Return the offsets at which a text may be cut, at most at ``end``, the best first."""
    last = [
        max((found.end() for found in kind.finditer(text, end // 2, end + 1) if found.end() <= end), default=0)
        for kind in (_SENTENCE_END, _WORD_END)
    ]
    return [*filter(None, last), end]
