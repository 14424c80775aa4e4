"""The words of a text, for the contenders that compare words alone."""

import re
from collections.abc import Sequence

from memoryd_server.retrieval.text.stop_word import STOP_WORDS

_WORD = re.compile(r"\w+")


def words(text: str) -> Sequence[str]:
    """Return the words of a text, lower-cased, in order, without the daemon's stop words."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
