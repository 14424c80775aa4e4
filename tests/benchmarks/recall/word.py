"""The words of a text, for whoever is compared by words alone."""

import re
from collections.abc import Sequence

from memoryd_server.retrieval.stop_word import STOP_WORDS

_WORD = re.compile(r"\w+")


def words(text: str) -> Sequence[str]:
    """Lower-cased, in order, without those that the daemon leaves out."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
