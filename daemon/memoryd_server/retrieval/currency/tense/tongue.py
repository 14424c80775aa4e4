"""The language of a question, as far as its tense is concerned."""

import re

from memoryd_server.retrieval.currency.tense.chinese import CHINESE
from memoryd_server.retrieval.currency.tense.dutch import DUTCH
from memoryd_server.retrieval.currency.tense.english import ENGLISH
from memoryd_server.retrieval.currency.tense.french import FRENCH
from memoryd_server.retrieval.currency.tense.german import GERMAN
from memoryd_server.retrieval.currency.tense.italian import ITALIAN
from memoryd_server.retrieval.currency.tense.japanese import JAPANESE
from memoryd_server.retrieval.currency.tense.portuguese import PORTUGUESE
from memoryd_server.retrieval.currency.tense.spanish import SPANISH
from memoryd_server.retrieval.currency.tense.table import Tense

_SPACED = (ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN, PORTUGUESE, DUTCH)

_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+")


def tense_of(question: str) -> Tense:
    """Return the table whose words a question has most of; that of English if it has none of any."""
    if not question.isascii():
        if _KANA.search(question):
            return JAPANESE
        if _HAN.search(question):
            return CHINESE
    words = _WORD.findall(question.casefold())
    counts = [sum(word in each.stops or word in each.forms for word in words) for each in _SPACED]
    most = max(counts)
    likely = [each for each, count in zip(_SPACED, counts, strict=True) if count == most]
    return likely[0] if len(likely) == 1 else max(likely, key=lambda each: _begins_in(question, each))


def _begins_in(question: str, tense: Tense) -> int:
    """Return 1 for each of these: a question begins as those of a language do, and has a word of it for now."""
    is_opened = tense.opening_pattern.match(question) is not None
    return is_opened + (tense.current_pattern.search(question) is not None)
