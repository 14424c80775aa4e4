"""Names: the words of a text that are written in capitals for another reason than that they begin a sentence."""

import re

from memoryd_server.retrieval.text.word import folded

_WORD = re.compile(r"[^\W\d_]\w*")
_ENDS_SENTENCE = re.compile(r"[.!?:\u00bf\u00a1][\s\"']*\Z")


def names_in(text: str) -> frozenset[str]:
    """Return the folded words of a text that begin with a capital, without those that begin a sentence, and "I"."""
    found = set()
    last = 0
    for word in _WORD.finditer(text):
        if last and word[0][0].isupper() and word[0] != "I" and not _ENDS_SENTENCE.search(text[last : word.start()]):
            found.add(folded(word[0]))
        last = word.end()
    return frozenset(found)
